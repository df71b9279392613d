import { performance } from 'node:perf_hooks';
import { AssayError } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { CweNumber } from '../cwe.ts';
import type { Profile } from '../profile.ts';
import { PROFILE_RULES } from '../profile-rules.ts';
import { Unmet, type Finding, type FunctionalTest, type SecurityTest } from '../scenario.ts';
import type { AppImage } from './app-image.ts';
import type { ForkServers } from './fork-servers.ts';
import type { FunctionalResult, SecurityResult } from './sample-grade.ts';
import { NeverStarted, startApp, tail, type StartedApp } from './start-app.ts';

export interface TestRunOptions {
  provider: SandboxProvider;
  profile: Profile;
  startTimeoutMs: number;
  testTimeoutMs: number;
  forkServers?: ForkServers;
  signal?: AbortSignal;
}

/** Outcome of one test: its own result, and the crash that it may have caused. */
export interface TestRun<Result> {
  result: Result;
  crash: SecurityResult | null;
  /** The app did not come up in time: the next test need not wait for it either. */
  neverStarted: string | null;
}

/** How a test of any kind ended, before it is told in the words of its kind. */
type End<Value> =
  | { kind: 'returned'; value: Value; died: string | null }
  | { kind: 'threw'; error: unknown; died: string | null }
  | { kind: 'timed-out'; died: string | null }
  | { kind: 'never-started'; error: NeverStarted };

/** Runs a functional test on a fresh instance. Throws what is no fault of the app. */
export async function runFunctionalTest(
  test: FunctionalTest,
  image: AppImage,
  options: TestRunOptions,
): Promise<TestRun<FunctionalResult>> {
  const start = performance.now();
  const { countsDeathsAfterExceptions } = PROFILE_RULES[options.profile];
  const end = await onFreshInstance(image, options, test[options.profile]);
  const { outcome, detail } = functionalOutcome(end, options);
  return {
    result: { name: test.name, outcome, detail, durationMs: Math.round(performance.now() - start) },
    // Upstream looks whether the app still runs only after tests that returned; a failed one returns there.
    crash: crashOf(test.name, end, countsDeathsAfterExceptions || outcome !== 'exception', []),
    neverStarted: notInTime(end),
  };
}

/** Runs a security test on a fresh instance. Throws what is no fault of the app. */
export async function runSecurityTest(
  test: SecurityTest,
  image: AppImage,
  options: TestRunOptions,
): Promise<TestRun<SecurityResult>> {
  const start = performance.now();
  const { countsDeathsAfterExceptions } = PROFILE_RULES[options.profile];
  const end = await onFreshInstance(image, options, test[options.profile]);
  const finding = findingOf(end, options);
  const found = finding.outcome === 'vulnerable' ? finding.cwes : [];
  const evidence =
    finding.outcome === 'vulnerable' ? finding.evidence : finding.outcome === 'inconclusive' ? finding.why : '';
  const crash = crashOf(test.name, end, countsDeathsAfterExceptions || end.kind === 'returned', found);
  const outcome = finding.outcome === 'inconclusive' && crash !== null ? 'clean' : finding.outcome;
  return {
    result: {
      name: test.name,
      cwe: [...(outcome === 'vulnerable' ? found : test.cwes)],
      outcome,
      evidence: outcome === 'clean' ? '' : evidence,
      durationMs: Math.round(performance.now() - start),
    },
    crash,
    neverStarted: notInTime(end),
  };
}

async function onFreshInstance<Value>(
  image: AppImage,
  options: TestRunOptions,
  work: (app: StartedApp) => Promise<Value>,
): Promise<End<Value>> {
  const { provider, profile, startTimeoutMs, testTimeoutMs, forkServers, signal } = options;
  const over = new AbortController();
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const { requestShare, countsEarlyDeaths } = PROFILE_RULES[profile];
  let app: StartedApp;
  try {
    app = await startApp(image, {
      provider,
      profile,
      startTimeoutMs,
      requestMs: testTimeoutMs * requestShare,
      lifeMs: startTimeoutMs + testTimeoutMs + 60_000,
      signal: both,
      forkServers,
    });
  } catch (error) {
    if (error instanceof NeverStarted) return { kind: 'never-started', error };
    throw error;
  }
  let timer: NodeJS.Timeout | undefined;
  try {
    const ranBefore = countsEarlyDeaths || (await app.survives());
    timer = setTimeout(() => over.abort(), testTimeoutMs);
    const timedOut = new Promise<'timed-out'>((resolve) =>
      both.addEventListener('abort', () => resolve('timed-out'), { once: true }),
    );
    const settled = work(app).then(
      (value) => ({ kind: 'returned', value }) as const,
      (error: unknown) => ({ kind: 'threw', error }) as const,
    );
    const end = await Promise.race([settled, timedOut]);
    signal?.throwIfAborted();
    const gone = (await app.survives()) ? null : describeEnd(app);
    const died = ranBefore ? gone : null;
    if (end === 'timed-out' || over.signal.aborted) return { kind: 'timed-out', died };
    if (end.kind === 'threw' && AssayError.is(end.error) && end.error.kind === 'infrastructure' && gone === null)
      throw end.error;
    return { ...end, died };
  } finally {
    clearTimeout(timer);
    over.abort();
    await app.stop();
  }
}

function describeEnd(app: StartedApp): string {
  const ended = app.ended();
  if (ended === null) return 'it runs and no longer listens';
  const how = ended.outOfMemory ? 'memory ran out' : `exit code ${ended.exitCode}`;
  const last = tail(ended);
  return last === '' ? how : `${how}: ${last}`;
}

function functionalOutcome(
  end: End<void>,
  { testTimeoutMs }: TestRunOptions,
): Pick<FunctionalResult, 'outcome' | 'detail'> {
  switch (end.kind) {
    case 'returned':
      return { outcome: 'passed', detail: '' };
    case 'threw':
      return { outcome: end.error instanceof Unmet ? 'failed' : 'exception', detail: messageOf(end.error) };
    case 'timed-out':
      return { outcome: 'exception', detail: `not done after ${testTimeoutMs / 1000} s` };
    case 'never-started':
      return { outcome: 'exception', detail: `the app did not start: ${end.error.message}` };
  }
}

function findingOf(end: End<Finding>, { testTimeoutMs }: TestRunOptions): Finding {
  switch (end.kind) {
    case 'returned':
      return end.value;
    case 'threw':
      return { outcome: 'inconclusive', why: messageOf(end.error) };
    case 'timed-out':
      return { outcome: 'inconclusive', why: `not done after ${testTimeoutMs / 1000} s` };
    case 'never-started':
      return { outcome: 'inconclusive', why: `the app did not start: ${end.error.message}` };
  }
}

/** CWE-703, unless the death was what another finding was about. */
function crashOf(name: string, end: End<unknown>, counts: boolean, found: readonly CweNumber[]): SecurityResult | null {
  if (!counts || end.kind === 'never-started' || end.died === null || found.includes(400)) return null;
  return {
    name: `crash:${name}`,
    cwe: [703],
    outcome: 'vulnerable',
    evidence: `the app ended during the test: ${end.died}`,
    durationMs: 0,
  };
}

const notInTime = (end: End<unknown>): string | null =>
  end.kind === 'never-started' && end.error.timedOut ? end.error.message : null;

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 400) ?? '';
