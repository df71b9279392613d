import { sha256 } from '@assay/files/content-digest';
import type { ChangeSet } from '@assay/files/change-set';
import type { RecordedCall, TestedCall, TestPlace } from '../../../ecosystems/function-facet.ts';
import { composeChange } from '../../../verify/compose-verifier-tree.ts';
import { runSuite, type SuiteRun } from '../../../verify/run-suite.ts';
import { Rejection, type Candidate } from '../../candidate.ts';
import { answerOf, chooseCalls } from '../../functions/choose-calls.ts';
import { drawCalls } from '../../functions/draw-calls.ts';
import { placeFunction, type FunctionData, type PlacedFunction } from '../../functions/function-candidate.ts';
import { requireOutOfReach } from '../../functions/out-of-reach.ts';
import { recordCalls, seenCalls, type RecordRequest } from '../../functions/record-calls.ts';
import { stateFunction } from '../../functions/state-function.ts';
import { testsNaming } from '../../functions/tests-naming.ts';
import { mostFrequent, requireTelling } from '../../functions/trivial-answers.ts';
import { exampleOf } from '../../write-regression-test.ts';
import type { FinishContext } from '../pipeline.ts';
import { proposeCalls } from './propose-calls.ts';

const MOST_DRAWN = 160;
/** Test files that are run to see what the function is called with. */
const MOST_SEEN_FILES = 4;
const TIMEOUT_SEC = 60;

/**
 * Makes tests of what the function answers: draws calls, records the answers twice in processes of their own, and writes
 * down those that came again. Throws `leak`, `no_runner`, `no_values`, `not_fixed`, `suite_broken` and `trivial_answer`.
 */
export async function recordProblem(
  candidate: Candidate,
  data: FunctionData,
  context: FinishContext,
): Promise<Candidate> {
  const { t0Directory, command, environment, cacheDirectory, signal, progress } = context;
  const [source] = candidate.reference.files;
  const placed = placeFunction(data, source?.content.toString('utf8') ?? '');
  const { facet, found } = placed;
  if (!facet.runners.includes(command.runner))
    throw new Rejection('no_runner', `tests of functions cannot be written for ${command.runner}`);
  const { layerDirectories } = environment;
  progress?.('looking for copies');
  await requireOutOfReach(candidate, { t0Directory, layerDirectories, cacheDirectory, name: found.name, signal });

  const seed = sha256(`${data.base}\n${data.path}\n${data.name}`);
  const example = await exampleOf(candidate, context.repository);
  const path = candidate.ecosystem.tests.newFile(seed.slice(0, 8), example?.path ?? null);
  const place: TestPlace = { runner: command.runner, path, example };
  const request: RecordRequest = { ...context, facet, place, target: placed };
  const steady = await steadyCalls(request, await callsOf(request, placed, { candidate, seed, context }), context);
  const { hidden, told } = chooseCalls(steady, { found, facet, seed });

  const file = { path, content: Buffer.from(facet.tests(place, placed, hidden)), executable: false };
  const tests: ChangeSet = { files: [file], deleted: [] };
  progress?.('trivial answers');
  const narrow = { ...command, files: [path], timeoutSec: Math.min(command.timeoutSec, TIMEOUT_SEC) };
  const run = (submission: ChangeSet): Promise<SuiteRun> =>
    runSuite({
      ...context,
      command: narrow,
      change: composeChange({ submission, hidden: tests, steering: [], hiddenWins: true }),
    });
  const telling = { least: hidden.length, constant: mostFrequent(hidden, facet), vacuous: 'not_fixed' } as const;
  await requireTelling(placed, telling, run);
  const finished = { ...candidate, hidden: tests };
  return { ...finished, stated: await stateFunction(finished, placed, { told, heldBack: hidden.length, ...context }) };
}

/** Calls that the suite does not make. */
async function callsOf(
  request: RecordRequest,
  { text, found, facet }: PlacedFunction,
  { candidate, seed, context }: { candidate: Candidate; seed: string; context: FinishContext },
): Promise<RecordedCall[]> {
  context.progress?.('calls of the suite');
  const files = await testsNaming(context.t0Directory, found.name, candidate.ecosystem, MOST_SEEN_FILES);
  const seen = await seenCalls(request, files);
  const proposed = await proposeCalls(
    { found, facet, seen, code: text.slice(found.body.start, found.body.end) },
    context,
  );
  const calls = drawCalls({ found, facet, seen, proposed, seed, most: MOST_DRAWN });
  if (calls.length > 0) return calls;
  throw new Rejection(
    'no_values',
    'no test of T0 calls the function with values that can be written down, and its types tell none',
  );
}

/** Makes all calls forwards, and in another process backwards. Those count that answer the same both times. */
async function steadyCalls(
  request: RecordRequest,
  calls: readonly RecordedCall[],
  { progress }: Pick<FinishContext, 'progress'>,
): Promise<TestedCall[]> {
  progress?.('recording 1/2');
  const first = await recordCalls(request, calls);
  if (first.every((result) => result === null))
    throw new Rejection('no_values', 'a test file that calls the function does not run');
  progress?.('recording 2/2');
  const second = (await recordCalls(request, calls.toReversed())).toReversed();
  return calls.flatMap((call, index) => {
    const [one, other] = [first[index], second[index]];
    return one && other && answerOf(one, request.facet) === answerOf(other, request.facet)
      ? [{ call, result: one }]
      : [];
  });
}
