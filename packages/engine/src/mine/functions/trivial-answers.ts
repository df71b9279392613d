import type { LiteralValue, TestedCall } from '../../ecosystems/function-facet.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { SuiteRun } from '../../verify/run-suite.ts';
import { Rejection } from '../candidate.ts';
import { answerOf } from './choose-calls.ts';
import { withBody, type PlacedFunction } from './function-candidate.ts';

/** Runs the hidden tests over some sources. */
export type RunsHidden = (submission: ChangeSet) => Promise<SuiteRun>;

/**
 * Throws when the tests do not hold: `suite_broken` where they cannot even be loaded without the function, `not_fixed`
 * where the reference fails one or the stub passes one, and `trivial_answer`.
 */
export async function requireTelling(
  { path, text, found, facet }: PlacedFunction,
  hidden: readonly TestedCall[],
  run: RunsHidden,
): Promise<void> {
  const withText = (after: string): ChangeSet => ({
    files: [{ path, content: Buffer.from(after), executable: false }],
    deleted: [],
  });
  const reference = statusesOf(await run(withText(text)));
  const failed = reference.filter((status) => status !== 'passed');
  if (reference.length < hidden.length || failed.length > 0)
    throw new Rejection('not_fixed', `${failed.length} of ${reference.length} recorded answers do not come again`);
  const without = statusesOf(await run({ files: [], deleted: [] }));
  if (without.length < reference.length)
    throw new Rejection('suite_broken', `without ${found.name} the tests cannot be loaded`);
  if (without.includes('passed')) throw new Rejection('not_fixed', 'a test passes without the function');
  for (const { title, body } of facet.trivialBodies(found, mostFrequent(hidden, facet))) {
    const statuses = statusesOf(await run(withText(withBody(text, found, body))));
    if (statuses.length > 0 && statuses.every((status) => status === 'passed'))
      throw new Rejection('trivial_answer', `whoever returns ${title} passes`);
  }
}

const statusesOf = ({ report }: SuiteRun): string[] => [...report.results.values()].map(({ status }) => status);

function mostFrequent(hidden: readonly TestedCall[], facet: PlacedFunction['facet']): LiteralValue | null {
  const groups = Map.groupBy(
    hidden.filter(({ result }) => result.value !== undefined),
    ({ result }) => answerOf(result, facet),
  );
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  return most?.[0]?.result.value ?? null;
}
