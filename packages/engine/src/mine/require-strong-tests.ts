import type { MutantReport } from '@assay/protocol';
import { FEWEST_MUTANTS, type MutantOptions } from '../verify/mutants/run-mutants.ts';
import { Rejection } from './candidate.ts';

/** What `mine` runs: about as much as it takes to prove a candidate. `validate` looks closer. */
export const MINE_MUTANTS: MutantOptions = { limit: 8, budgetSec: 60 };
export const DEFAULT_MIN_KILLED = 0.5;

/** Throws `weak_tests` when the tests tell a smaller share of the mutants than `least`. */
export function requireStrongTests(mutants: MutantReport | undefined, least: number): void {
  if (!mutants || mutants.run < FEWEST_MUTANTS || mutants.killed >= least * mutants.run) return;
  const { run, killed, survivors } = mutants;
  const [first] = survivors;
  const example = first ? `, such as ${first.path}:${first.line} ${first.change}` : '';
  throw new Rejection('weak_tests', `${run - killed} of ${run} mutants pass${example}`, { survivors });
}
