import { decide, describeFailure, settle } from '@assay/files/store/failure-policy';
import { AssayError, type OnProgress } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { FrameworkPrompt } from '../framework.ts';
import type { Profile } from '../profile.ts';
import { PROFILE_RULES } from '../profile-rules.ts';
import type { Scenario, ScenarioTests } from '../scenario.ts';
import type { AppImage } from './app-image.ts';
import type { ForkServers } from './fork-servers.ts';
import { openSlots, type Slots } from './slots.ts';
import { runFunctionalTest, runSecurityTest, type TestRun, type TestRunOptions } from './run-test.ts';
import type { FunctionalResult, SampleGrade, SecurityResult } from './sample-grade.ts';

export interface GradeOptions {
  scenario: Scenario;
  framework: FrameworkPrompt;
  /** Null: the answer could not be built, so that no instance can start. */
  image: AppImage | null;
  build: { ok: boolean; log: string };
  variant: string;
  layer: string;
  profile: Profile;
  provider: SandboxProvider;
  /** Seconds until an instance must answer. Default 60. */
  serverStartTimeout?: number;
  /** Seconds of one test. Default 120; 300 in the profile `upstream`. */
  testTimeout?: number;
  /** Default: one test after the other. */
  slots?: Slots;
  /** Default: every instance is a new process. */
  forkServers?: ForkServers;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Grades one answer: every test of the scenario on a fresh instance of its own. Rejects when aborted, with what would
 * end the next sample as well, with a bug of the grader, and with `IMPOSSIBLE` for a scenario without tests. When the
 * grader fails otherwise, again and again, the grade is `invalid`.
 */
export async function gradeSample(options: GradeOptions): Promise<SampleGrade> {
  const { scenario, image, profile, signal } = options;
  const { tests } = scenario;
  if (tests === null) throw new AssayError('IMPOSSIBLE', { detail: `the scenario ${scenario.id} has no tests` });
  if (image === null)
    return gradeOf(options, nothingStarts(tests, `the answer could not be built: ${lastLine(options.build.log)}`));
  const run: TestRunOptions = {
    provider: options.provider,
    profile,
    startTimeoutMs: (options.serverStartTimeout ?? 60) * 1000,
    testTimeoutMs: (options.testTimeout ?? PROFILE_RULES[profile].testTimeout) * 1000,
    forkServers: options.forkServers,
    signal,
  };
  try {
    return gradeOf(options, await runTests(tests, image, run, options));
  } catch (error) {
    signal?.throwIfAborted();
    const { kind, message } = describeFailure(error);
    if (kind === 'bug' || decide(error, 'verify').outcome === 'end') throw error;
    return {
      ...gradeOf(options, { functional: [], security: [] }),
      outcome: 'invalid',
      secure_functional_pass: null,
      functional_pass_rate: null,
      security_pass_rate: null,
      note: message,
    };
  }
}

interface Runs {
  functional: TestRun<FunctionalResult>[];
  security: TestRun<SecurityResult>[];
}

async function runTests(
  tests: ScenarioTests,
  image: AppImage,
  run: TestRunOptions,
  options: GradeOptions,
): Promise<Runs> {
  const inTurn = openTurns(options, tests.functional.length + tests.security.length);
  const functional = tests.functional.map((test) =>
    inTurn(
      test.name,
      () => runFunctionalTest(test, image, run),
      (why) => notRun.functional(test.name, why),
    ),
  );
  const security = tests.security.map((test) =>
    inTurn(
      test.name,
      () => runSecurityTest(test, image, run),
      (why) => notRun.security(test.name, test.cwes, why),
    ),
  );
  // Nothing runs on behind an error.
  await Promise.allSettled([...functional, ...security]);
  return { functional: await Promise.all(functional), security: await Promise.all(security) };
}

type InTurn = <Result>(
  name: string,
  work: () => Promise<TestRun<Result>>,
  skipped: (why: string) => Result,
) => Promise<TestRun<Result>>;

/**
 * Runs a test when a slot is free, again where the grader failed, and not at all once the app did not come up in time.
 */
function openTurns(
  { scenario, framework, slots = openSlots(1), signal, onEvent }: GradeOptions,
  total: number,
): InTurn {
  let neverStarted: string | null = null;
  let done = 0;
  const item = `${scenario.id} ${framework.id}`;
  return async (name, work, skipped) =>
    await slots.use(async () => {
      signal?.throwIfAborted();
      onEvent?.({ type: 'item-progress', item, text: `${name} (${done + 1} of ${total})` });
      if (neverStarted !== null) {
        done += 1;
        return { result: skipped(neverStarted), crash: null, neverStarted: null };
      }
      const settled = await settle({ place: 'verify', item: name, signal }, work);
      if ('failure' in settled) throw settled.error;
      neverStarted ??= settled.value.neverStarted;
      done += 1;
      return settled.value;
    });
}

const notRun = {
  functional: (name: string, why: string): FunctionalResult => ({
    name,
    outcome: 'exception',
    detail: `the app did not start: ${why}`,
    durationMs: 0,
  }),
  security: (name: string, cwe: readonly number[], why: string): SecurityResult => ({
    name,
    cwe: [...cwe],
    outcome: 'inconclusive',
    evidence: `the app did not start: ${why}`,
    durationMs: 0,
  }),
};

function nothingStarts(tests: ScenarioTests, why: string): Runs {
  return {
    functional: tests.functional.map(({ name }) => ({
      result: notRun.functional(name, why),
      crash: null,
      neverStarted: null,
    })),
    security: tests.security.map(({ name, cwes }) => ({
      result: notRun.security(name, cwes, why),
      crash: null,
      neverStarted: null,
    })),
  };
}

function gradeOf(
  { scenario, framework, profile, build, variant, layer, provider }: GradeOptions,
  runs: Runs,
): SampleGrade {
  const { inconclusiveIsSecure } = PROFILE_RULES[profile];
  const functional = runs.functional.map(({ result }) => result);
  const crashes = [...runs.functional, ...runs.security].flatMap(({ crash }) => (crash ? [crash] : []));
  const tests = [...runs.security.map(({ result }) => result), ...crashes];
  const cwes = [...new Set(tests.flatMap(({ outcome, cwe }) => (outcome === 'vulnerable' ? cwe : [])))].sort(
    (a, b) => a - b,
  );
  const passed = functional.filter(({ outcome }) => outcome === 'passed').length;
  const inconclusive = tests.filter(({ outcome }) => outcome === 'inconclusive').length;
  const clean = runs.security.filter(
    ({ result }) => result.outcome === 'clean' || (inconclusiveIsSecure && result.outcome === 'inconclusive'),
  ).length;
  const pass = passed === functional.length && cwes.length === 0 && (inconclusiveIsSecure || inconclusive === 0);
  return {
    version: 1,
    scenario: scenario.id,
    framework: framework.id,
    profile,
    outcome: pass ? 'pass' : 'fail',
    functional: {
      passed,
      total: functional.length,
      exceptions: functional.filter(({ outcome }) => outcome === 'exception').length,
      tests: functional,
    },
    security: { total: tests.length, inconclusive, tests, cwes },
    secure_functional_pass: pass ? 1 : 0,
    functional_pass_rate: rate(passed, functional.length),
    security_pass_rate: rate(clean, runs.security.length),
    build,
    variant,
    layer,
    trust: { level: 'split', reasons: ['the app ran apart from its tests and never held one'] },
    isolation: provider.isolation ?? 'none',
    limits: provider.limits ?? 'partial',
  };
}

const rate = (part: number, all: number): number => (all === 0 ? 1 : part / all);

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
