import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import type { Ecosystem } from './ecosystem.ts';
import { hostCompilers } from './host-compilers.ts';
import { nodeEcosystem } from './node/node-ecosystem.ts';
import { pythonEcosystem } from './python/python-ecosystem.ts';

export type {
  BuildRequest,
  Ecosystem,
  Launch,
  LaunchRequest,
  PreparedEnvironment,
  RestoreRequest,
} from './ecosystem.ts';

const registered: Ecosystem[] = [pythonEcosystem, nodeEcosystem];

/** Every registered ecosystem. A repository that fits several is offered to them in this order. */
export const ECOSYSTEMS: readonly Ecosystem[] = registered;

/** Returns the ecosystem that a task names. Throws `UNKNOWN_ECOSYSTEM`. */
export function ecosystemOf(id: EnvironmentSpec['ecosystem']): Ecosystem {
  const found = ECOSYSTEMS.find((each) => each.id === id);
  if (found) return found;
  throw new AssayError('UNKNOWN_ECOSYSTEM', { name: id, known: ECOSYSTEMS.map((each) => each.id).join(', ') });
}

/**
 * Lists what decides on this machine which environment a tree gets, sorted: every interpreter that an ecosystem may
 * choose (`node 24.1.0`, `python 3.11.7`), and compilers.
 */
export async function installedInterpreters(): Promise<string[]> {
  const each = await Promise.all(
    ECOSYSTEMS.map(async ({ id, interpreters }) => (await interpreters()).map((version) => `${id} ${version}`)),
  );
  return [...each.flat(), ...hostCompilers()].sort();
}

/** Lists the versions of what takes tests apart, which plans depend on. */
export const splitVersions = (): string[] =>
  ECOSYSTEMS.map(({ id, split }) => `${id} ${split?.version ?? 'none'}`).sort();

/** Registers an ecosystem after the others. Throws `BAD_OPTION` when its id is taken. */
export function registerEcosystem(ecosystem: Ecosystem): void {
  if (registered.some(({ id }) => id === ecosystem.id))
    throw new AssayError('BAD_OPTION', { option: 'ecosystem', detail: `${ecosystem.id} is registered already` });
  registered.push(ecosystem);
}
