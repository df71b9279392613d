import type { SandboxProvider } from '../../contract.ts';
import { compileFilter } from '../../seccomp/compile-filter.ts';
import { StageProvider } from '../stage-provider.ts';
import { BubblewrapRunner } from './bubblewrap-runner.ts';

/** Sandboxes of Linux namespaces, made by bubblewrap. Isolation level `namespace`. */
export function bubblewrapProvider(): SandboxProvider {
  return new StageProvider(new BubblewrapRunner(compileFilter()), 'namespace');
}
