import type { EnvironmentSpec } from '@assay/protocol';
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

/** Every family of repositories that Assay knows, in the order in which a repository of several is offered to them. */
export const ECOSYSTEMS: readonly Ecosystem[] = [pythonEcosystem, nodeEcosystem];

const BY_ID: Record<EnvironmentSpec['ecosystem'], Ecosystem> = { python: pythonEcosystem, node: nodeEcosystem };

export function ecosystemOf(id: EnvironmentSpec['ecosystem']): Ecosystem {
  return BY_ID[id];
}
