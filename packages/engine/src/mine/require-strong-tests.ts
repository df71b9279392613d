import type { MutantReport } from '@assay/protocol';
import { Rejection } from './candidate.ts';

export const DEFAULT_MIN_KILLED = 0.5;
/** Of fewer mutants, a share says nothing: one that changes no behaviour after all would decide. */
const LEAST_RUN = 4;

/** Throws `weak_tests` when the tests tell a smaller share of the mutants than `least`. */
export function requireStrongTests(mutants: MutantReport | undefined, least: number): void {
  if (!mutants || mutants.run < LEAST_RUN || mutants.killed >= least * mutants.run) return;
  const { run, killed, survivors } = mutants;
  const [first] = survivors;
  const example = first ? `, such as ${first.path}:${first.line} ${first.change}` : '';
  throw new Rejection('weak_tests', `${run - killed} of ${run} mutants pass${example}`, survivors);
}
