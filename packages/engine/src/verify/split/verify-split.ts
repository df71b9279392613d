import { basename, dirname, join } from 'node:path';
import { AssayError, type SplitPlan, type SplitTest, type TestCommand, type TestResult } from '@assay/protocol';
import type { ExecResult, Sandbox } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { readRegularFile } from '@assay/files/read-regular-file';
import { controlFiles, insideFiles, type SplitOracle } from '../../bundle/split-oracle.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { Evaluation } from '../../ecosystems/split-facet.ts';
import { readChannel, type ChannelReport } from '../read-channel.ts';
import { inVerifierBox, type BoxRequest } from '../verifier-box.ts';
import { passedInControl } from './control.ts';
import { Evaluator } from './evaluator.ts';

/** File in the box of the submission for what stripped tests observe. */
const OBSERVATIONS = '/tmp/assay-observations.jsonl';
const MAX_OBSERVATIONS = 80 * 1024 * 1024;

export interface SplitRequest extends BoxRequest {
  command: TestCommand;
  hidden: ChangeSet;
  split: SplitOracle;
  /** Run the tests of the plan and no others, where the runner can be asked for that. Default false. */
  selects?: boolean | undefined;
}

export interface SuiteEnd {
  report: ChannelReport;
  exec: ExecResult;
}

/**
 * Runs stripped tests over the submission, and beside them, in another box with another checkout, those that cannot be
 * split; then compares in a third one what the first observed. Returns what the original tests would have reported.
 */
export async function runSplit(request: SplitRequest, submission: ChangeSet): Promise<SuiteEnd> {
  const { plan } = request.split;
  const [outside, inside] = await Promise.all([runOutside(request, submission), runInside(request, submission)]);
  const exec = outside && inside ? mergeEnds(outside.exec, inside.exec) : (outside ?? inside)?.exec;
  if (!exec) throw new AssayError('IMPOSSIBLE', { detail: 'a plan has no test' });
  return { report: mergeReports(plan, { outside, inside: inside?.report ?? null }), exec };
}

interface OutsideEnd extends SuiteEnd {
  evaluation: Evaluation;
}

/**
 * Runs the stripped tests and compares what they observed; null when there are none. What compares starts while they run,
 * and has compared while their box is taken down.
 */
async function runOutside(request: SplitRequest, submission: ChangeSet): Promise<OutsideEnd | null> {
  const { split, command, environment, provider, signal, selects } = request;
  if (split.plan.files.length === 0) return null;
  const facet = ecosystemOf(command.ecosystem).split;
  if (!facet) throw new AssayError('SPLIT_TOOL_FAILED', { detail: `${command.ecosystem} has no split tests` });
  const opening = Promise.withResolvers<Evaluator>();
  const evaluation = Promise.withResolvers<Evaluation>();
  let isOpening = false;
  try {
    const end = await observe(request, submission, {
      onStart: () => {
        isOpening = true;
        opening.resolve(Evaluator.open({ facet, environment, provider, signal }, split.plan));
      },
      onObserved: (observed) => evaluation.resolve(evaluateObserved(opening.promise, observed)),
      only: selects ? split.plan.tests.flatMap(({ stripped }) => stripped ?? []) : undefined,
    });
    return { ...end, evaluation: await evaluation.promise };
  } finally {
    if (isOpening)
      await opening.promise.then(
        (evaluator) => evaluator.dispose(),
        () => undefined,
      );
    evaluation.promise.catch(() => undefined);
  }
}

export interface Observed extends SuiteEnd {
  /** Lines of the observer, as the box left them; null when the file cannot be read. */
  observed: string | null;
}

interface Watch {
  /** The tests have started. */
  onStart?(): void;
  /** What they observed; their box is there yet. */
  onObserved?(observed: string | null): void;
  /** Ids of the stripped tests to run. */
  only?: readonly string[] | undefined;
}

/** Runs stripped tests over a submission. */
export function observe(
  request: BoxRequest & { command: TestCommand; split: { plan: Pick<SplitPlan, 'files'>; stripped: ChangeSet } },
  submission: ChangeSet,
  watch: Watch = {},
): Promise<Observed> {
  const { command, split } = request;
  const run = {
    submission,
    tests: split.stripped,
    command: { ...command, files: split.plan.files },
    observations: OBSERVATIONS,
    onStart: watch.onStart,
    only: watch.only,
  };
  return inVerifierBox(request, run, async ({ sandbox, exec, nonce }) => {
    const observed = await readObservations(sandbox);
    watch.onObserved?.(observed);
    return { report: readChannel(exec.stdout, nonce), exec, observed };
  });
}

/** Reads what the observer wrote. Nothing runs in the box by then; what lies there is hostile, and links are not followed. */
async function readObservations(sandbox: Sandbox): Promise<string | null> {
  try {
    const directory = sandbox.hostView?.(dirname(OBSERVATIONS));
    if (directory === undefined) return await sandbox.readFile(OBSERVATIONS);
    const content = await readRegularFile(join(directory, basename(OBSERVATIONS)), MAX_OBSERVATIONS);
    return content && content.toString('utf8');
  } catch {
    return null;
  }
}

/** Runs the tests that are compared inside, as they were written; null when there are none. */
async function runInside(request: SplitRequest, submission: ChangeSet): Promise<SuiteEnd | null> {
  const { split, command, hidden, selects } = request;
  const files = insideFiles(split.plan, command);
  if (files.length === 0) return null;
  const only = selects
    ? split.plan.tests.flatMap(({ id, stripped }) => (stripped === undefined ? [id] : []))
    : undefined;
  const run = { submission, tests: hidden, command: { ...command, files }, only };
  return inVerifierBox(request, run, async ({ exec, nonce }) => ({ report: readChannel(exec.stdout, nonce), exec }));
}

/** What a submission observes is its own: an evaluator that cannot take it says that the tests fail. */
async function evaluateObserved(opening: Promise<Evaluator>, observed: string | null): Promise<Evaluation> {
  if (observed === null) return { tests: {}, problems: ['what was observed cannot be read'] };
  const evaluator = await opening;
  try {
    return await evaluator.evaluate(observed);
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'SPLIT_TOOL_FAILED') throw error;
    return { tests: {}, problems: [error.message] };
  }
}

interface Ends {
  /** Of the stripped tests; null when there are none. */
  outside: OutsideEnd | null;
  /** Of the tests as they were written; null when none ran. */
  inside: ChannelReport | null;
}

/** Puts together what both boxes reported, under the ids of the original tests. */
function mergeReports(plan: SplitPlan, { outside, inside }: Ends): ChannelReport {
  const results = new Map<string, TestResult>();
  for (const test of plan.tests) {
    const result = test.stripped === undefined ? inside?.results.get(test.id) : outsideResult(test, outside);
    if (result) results.set(test.id, result);
  }
  const reports = [outside?.report, inside].filter((report) => report !== null && report !== undefined);
  return {
    results,
    uncollected: [...new Set(reports.flatMap(({ uncollected }) => uncollected))],
    signals: [...new Set(reports.flatMap(({ signals }) => signals))],
    started: reports.every(({ started }) => started),
    ended: reports.every(({ ended }) => ended),
    problems: [...new Set(reports.flatMap(({ problems }) => problems))],
  };
}

/** A test has passed when its body came to its end and all that it had to observe, if anything, is as expected. */
export function outsideResult(
  { id, stripped = '', sites }: SplitTest,
  outside: Pick<OutsideEnd, 'report' | 'evaluation'> | null,
): TestResult | undefined {
  const recorded = outside?.report.results.get(stripped);
  if (!outside || !recorded) return undefined;
  const { durationMs, status } = recorded;
  if (status !== 'passed') return { id, status, durationMs };
  const { tests, problems } = outside.evaluation;
  const evaluated = tests[id];
  const mayObserveNothing = Object.keys(sites).length === 0;
  const why = problems[0] ?? (evaluated || mayObserveNothing ? evaluated?.why : 'nothing was observed');
  return why === undefined
    ? { id, status, durationMs }
    : { id, status: 'failed', durationMs, detail: why.slice(0, 500) };
}

/**
 * Runs the control, where the plan has one, and returns the ids of tests that cannot pass and were recorded as passed:
 * only a forged report says so.
 */
export async function forgedTests(request: SplitRequest, submission: ChangeSet): Promise<string[]> {
  const { plan, control } = request.split;
  if (!control || plan.control.length === 0) return [];
  const files = controlFiles(plan, request.command);
  const passed = await passedInControl(request, { tests: control, files, submission });
  return passed.filter((id) => plan.control.includes(id));
}

const mergeEnds = (a: ExecResult, b: ExecResult): ExecResult => ({
  stdout: '',
  stderr: `${a.stderr}${b.stderr}`,
  exitCode: a.exitCode || b.exitCode,
  timedOut: a.timedOut === true || b.timedOut === true,
  truncated: a.truncated === true || b.truncated === true,
  outOfMemory: a.outOfMemory === true || b.outOfMemory === true,
});
