import { AssayError } from '@assay/protocol/errors';
import type { SandboxProvider } from '../contract.ts';
import type { CaseOutcome, CaseRequest } from './case-outcome.ts';

/** Runs the cases with a provider that runs processes: a driver of the language inside is given one case after the other. */
export async function runCasesInProcesses(provider: SandboxProvider, request: CaseRequest): Promise<CaseOutcome[]> {
  void request;
  throw new AssayError('IMPOSSIBLE', { detail: `${provider.name} not yet` });
}
