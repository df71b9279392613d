import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import type { Ecosystem } from './ecosystem.ts';
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

/** Every family of repositories that Assay knows, in the order in which a repository of several is offered to them. */
export const ECOSYSTEMS: readonly Ecosystem[] = registered;

/** The ecosystem that a task names. Throws `UNKNOWN_ECOSYSTEM`. */
export function ecosystemOf(id: EnvironmentSpec['ecosystem']): Ecosystem {
  const found = ECOSYSTEMS.find((each) => each.id === id);
  if (found) return found;
  throw new AssayError('UNKNOWN_ECOSYSTEM', { name: id, known: ECOSYSTEMS.map((each) => each.id).join(', ') });
}

/** Every interpreter of this machine that an ecosystem may choose, in one order: `node 24.1.0`, `python 3.11.7`. */
export async function installedInterpreters(): Promise<string[]> {
  const each = await Promise.all(
    ECOSYSTEMS.map(async ({ id, interpreters }) => (await interpreters()).map((version) => `${id} ${version}`)),
  );
  return each.flat().sort();
}

/** Adds an ecosystem to those that Assay knows, after them. Its id must be new. Throws `BAD_OPTION`. */
export function registerEcosystem(ecosystem: Ecosystem): void {
  if (registered.some(({ id }) => id === ecosystem.id))
    throw new AssayError('BAD_OPTION', { option: 'ecosystem', detail: `${ecosystem.id} is registered already` });
  registered.push(ecosystem);
}
