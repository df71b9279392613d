import type { ChangeSet } from '@assay/files/change-set';
import type { SourceFunction } from '../../../ecosystems/function-facet.ts';
import { composeChange } from '../../../verify/compose-verifier-tree.ts';
import { runSuite, type SuiteRun } from '../../../verify/run-suite.ts';
import { Rejection, type Candidate } from '../../candidate.ts';
import { placeFunction, type FunctionData } from '../../functions/function-candidate.ts';
import { requireOutOfReach } from '../../functions/out-of-reach.ts';
import { requireTelling } from '../../functions/trivial-answers.ts';
import { keptBehaviour } from '../../strengthen/kept-behaviour.ts';
import type { FinishContext } from '../pipeline.ts';

const TIMEOUT_SEC = 60;
const MOST_REWRITES = 4;
/** Of fewer tests, a share of killed mutants says little. */
const MIN_TESTS = 3;

/** The new function stands behind all others. */
const later = (one: SourceFunction, other: SourceFunction): SourceFunction =>
  one.body.start > other.body.start ? one : other;

/**
 * Has machines judge what a model wrote: the reference passes its tests, every test fails without it, trivial answers fail, and
 * rewrites of the reference that keep its behaviour pass. Throws `leak`, `no_tests`, `not_fixed`, `suite_broken`,
 * `vacuous_tests`, `trivial_answer` and `over_specified`.
 */
export async function judgeProblem(
  candidate: Candidate,
  _data: FunctionData,
  context: FinishContext,
): Promise<Candidate> {
  const { t0Directory, command, environment, cacheDirectory, provider, signal, progress } = context;
  const { ecosystem, hidden, reference } = candidate;
  const [source] = reference.files;
  const files = hidden.files.map(({ path }) => path).filter(ecosystem.tests.isTestFile);
  if (!source || files.length === 0) throw new Rejection('no_tests', 'the file of tests is none that can be run');
  const text = source.content.toString('utf8');
  const name = ecosystem.functions?.list(source.path, text, true).reduce(later).name ?? '';
  const placed = placeFunction({ path: source.path, name }, text);
  const { layerDirectories } = environment;
  await requireOutOfReach(candidate, { t0Directory, layerDirectories, cacheDirectory, name, signal });
  const narrow = { ...command, files, timeoutSec: Math.min(command.timeoutSec, TIMEOUT_SEC) };
  const run = (submission: ChangeSet): Promise<SuiteRun> =>
    runSuite({
      ...context,
      command: narrow,
      change: composeChange({ submission, hidden, steering: [], hiddenWins: true }),
    });
  progress?.('judging what the model wrote');
  await requireTelling(placed, { least: MIN_TESTS, constant: null, vacuous: 'vacuous_tests' }, run);
  const runtime = { environment, provider, signal };
  for (const { title, submission } of await keptBehaviour(
    { reference, t0Directory, ecosystem, most: MOST_REWRITES },
    runtime,
  )) {
    const results = [...(await run(submission)).report.results.values()];
    if (results.length === 0 || results.some(({ status }) => status !== 'passed'))
      throw new Rejection('over_specified', `a test fails where the solution does the same (${title})`);
  }
  return candidate;
}
