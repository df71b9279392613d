import type { LiteralValue, TestedCall } from '../../ecosystems/function-facet.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { SuiteRun } from '../../verify/run-suite.ts';
import { Rejection } from '../candidate.ts';
import { answerOf } from './choose-calls.ts';
import { withBody, type PlacedFunction } from './function-candidate.ts';

/** Runs the hidden tests over some sources. */
export type RunsHidden = (submission: ChangeSet) => Promise<SuiteRun>;

interface TellingRequest {
  /** Fewest tests. */
  least: number;
  /** An answer that is seen often. */
  constant: LiteralValue | null;
  /** What it means when a test passes without the function. */
  vacuous: 'not_fixed' | 'vacuous_tests';
}

/**
 * Throws when the tests do not hold: `no_tests` of too few, `suite_broken` where they cannot even be loaded without the
 * function, `not_fixed` where the reference fails one, `trivial_answer`, and what is said where the stub passes one.
 */
export async function requireTelling(
  { path, text, found, facet }: PlacedFunction,
  { least, constant, vacuous }: TellingRequest,
  run: RunsHidden,
): Promise<void> {
  const withText = (after: string): ChangeSet => ({
    files: [{ path, content: Buffer.from(after), executable: false }],
    deleted: [],
  });
  const reference = statusesOf(await run(withText(text)));
  const failed = reference.filter((status) => status !== 'passed');
  if (failed.length > 0)
    throw new Rejection('not_fixed', `${failed.length} of ${reference.length} tests fail with the reference`);
  if (reference.length < least) throw new Rejection('no_tests', `${reference.length} tests run, of ${least} or more`);
  const without = statusesOf(await run({ files: [], deleted: [] }));
  if (without.length < reference.length)
    throw new Rejection('suite_broken', `without ${found.name} the tests cannot be loaded`);
  const passed = without.filter((status) => status === 'passed');
  if (passed.length > 0)
    throw new Rejection(vacuous, `${passed.length} of ${without.length} tests pass without the function`);
  for (const { title, body } of facet.trivialBodies(found, constant)) {
    const statuses = statusesOf(await run(withText(withBody(text, found, body))));
    if (statuses.length > 0 && statuses.every((status) => status === 'passed'))
      throw new Rejection('trivial_answer', `whoever returns ${title} passes`);
  }
}

const statusesOf = ({ report }: SuiteRun): string[] => [...report.results.values()].map(({ status }) => status);

/** The answer that most calls have in common. */
export function mostFrequent(hidden: readonly TestedCall[], facet: PlacedFunction['facet']): LiteralValue | null {
  const groups = Map.groupBy(
    hidden.filter(({ result }) => result.value !== undefined),
    ({ result }) => answerOf(result, facet),
  );
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  return most?.[0]?.result.value ?? null;
}
