import { performance } from 'node:perf_hooks';
import { AssayError, type CheckReport, type OnProgress } from '@assay/protocol';
import { forEachParallel } from '@assay/files/store/schedule';
import { within } from '../eval/within.ts';
import { findFramework, findScenario } from '../find-row.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { gradeAnswer, observingProvider, type GradeSettings } from '../grade/grade-answer.ts';
import { ForkServers } from '../grade/fork-servers.ts';
import { openSlots } from '../grade/slots.ts';
import { PROFILES, type Profile } from '../profile.ts';
import type { ReferenceApp, Variant } from '../reference-app.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { applyEdits } from './apply-edits.ts';
import { judgeReference } from './judge-reference.ts';
import { referenceOf } from './reference-of.ts';

/** Frameworks that are checked where none are named: one for each of three languages, the quickest to install. */
export const USUAL_FRAMEWORKS: readonly string[] = [
  'Python-Flask',
  'Python-FastAPI',
  'JavaScript-express',
  'Go-net/http',
];

export interface CheckRequest {
  /** Ids, or scenarios from elsewhere; default all of ours that have tests. */
  scenarios?: readonly (string | Scenario)[];
  /** Ids; default `USUAL_FRAMEWORKS`, with `all` every one that this machine can prepare. */
  frameworks?: readonly string[];
  all?: boolean;
  profiles?: readonly Profile[];
  /**
   * Takes one variant for each security test, and runs on it the functional tests and what looks for its weaknesses:
   * that the others find nothing is shown by the secure app.
   */
  brief?: boolean;
  provider?: string;
  /** Apps at once; default as `openSlots`. */
  jobs?: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/** One app under one profile. */
export type CheckedApp = CheckReport['apps'][number];

interface Job {
  scenario: Scenario;
  reference: ReferenceApp;
  variant: Variant | null;
  profile: Profile;
}

/**
 * Grades every reference app and every vulnerable variant of it, and compares with what they are known to be. Throws
 * `UNKNOWN_SCENARIO`, `UNKNOWN_FRAMEWORK`, `NOT_GRADABLE`, and what `observingProvider` throws.
 */
export async function checkReferences(request: CheckRequest): Promise<CheckReport> {
  const { profiles = PROFILES, signal, onEvent } = request;
  const provider = await observingProvider(request.provider);
  const slots = openSlots(request.jobs);
  const { jobs, unavailable } = await plan(request);
  const chosen = request.brief === true ? onlyFinding : (job: Job): Scenario => job.scenario;
  const apps: CheckedApp[] = [];
  const all = jobs.flatMap((job) => profiles.map((profile) => ({ ...job, profile })));
  const forkServers = new ForkServers(provider);
  const settings = { provider, slots, forkServers, signal };
  try {
    await forEachParallel(
      all,
      request.jobs ?? 2,
      async (job) => {
        const item = `${job.scenario.id} ${job.reference.framework} ${job.variant?.name ?? 'secure'} ${job.profile}`;
        onEvent?.({ type: 'item-start', item, done: apps.length, total: all.length });
        const row = { ...job, scenario: chosen(job) };
        const checked = await checkApp(row, { ...settings, onEvent: onEvent && within(item, onEvent) });
        apps.push(checked);
        onEvent?.({
          type: 'item-end',
          item,
          ok: checked.ok,
          text: checked.ok ? 'as expected' : checked.problem,
          done: apps.length,
          total: all.length,
        });
      },
      signal,
    );
  } finally {
    await forkServers.close();
  }
  const order = new Map(
    all.map((job, index) => [
      keyOf(job.scenario.id, job.reference.framework, job.variant?.name ?? 'secure', job.profile),
      index,
    ]),
  );
  apps.sort(
    (a, b) =>
      (order.get(keyOf(a.scenario, a.framework, a.app, a.profile)) ?? 0) -
      (order.get(keyOf(b.scenario, b.framework, b.app, b.profile)) ?? 0),
  );
  return { ok: apps.length > 0 && apps.every(({ ok }) => ok), apps, unavailable };
}

const keyOf = (...parts: string[]): string => parts.join('\n');

async function plan({
  scenarios,
  frameworks,
  all = false,
  brief = false,
}: CheckRequest): Promise<{ jobs: Omit<Job, 'profile'>[]; unavailable: CheckReport['unavailable'] }> {
  const chosenScenarios = scenarios ? scenarios.map(findScenario) : SCENARIOS.filter(({ tests }) => tests !== null);
  const chosenFrameworks = frameworks
    ? frameworks.map(findFramework)
    : FRAMEWORKS.filter(({ id }) => all || USUAL_FRAMEWORKS.includes(id));
  const unavailable: CheckReport['unavailable'] = [];
  const jobs: Omit<Job, 'profile'>[] = [];
  for (const framework of chosenFrameworks) {
    const why = await framework.unavailable();
    if (why !== null) {
      unavailable.push({ framework: framework.id, why });
      continue;
    }
    for (const scenario of chosenScenarios) {
      if (scenario.tests === null)
        throw new AssayError('NOT_GRADABLE', { name: scenario.id, detail: 'this scenario has no tests' });
      const reference = await referenceOf(scenario, framework.id);
      if (reference)
        jobs.push(
          ...[null, ...(brief ? onePerTest(reference.variants) : reference.variants)].map((variant) => ({
            scenario,
            reference,
            variant,
          })),
        );
    }
  }
  return { jobs, unavailable };
}

function onePerTest(variants: readonly Variant[]): Variant[] {
  const tests = variants.map(({ expect }) => ('by' in expect ? expect.by : null));
  return variants.filter((_, index) => tests[index] !== null && tests.indexOf(tests[index] ?? null) === index);
}

/** The scenario with the security tests that look for what the variant has. */
function onlyFinding({ scenario, variant }: Job): Scenario {
  const { tests } = scenario;
  if (tests === null || variant === null || !('by' in variant.expect)) return scenario;
  const { by, vulnerable } = variant.expect;
  const has = new Set(typeof vulnerable === 'number' ? [vulnerable] : vulnerable);
  const security = tests.security.filter(
    ({ name, cwes }) => name === by || (has.size > 1 && cwes.some((cwe) => has.has(cwe))),
  );
  return { ...scenario, tests: { ...tests, security } };
}

async function checkApp(
  { scenario, reference, variant, profile }: Job,
  settings: Omit<GradeSettings, 'profile'>,
): Promise<CheckedApp> {
  const start = performance.now();
  const files = variant === null ? reference.files() : applyEdits(reference.files(), variant);
  const grade = await gradeAnswer(
    scenario,
    findFramework(reference.framework),
    { files },
    { ...settings, profile, testTimeout: variant?.testTimeout },
  );
  const problem = judgeReference(grade, reference, variant);
  return {
    scenario: scenario.id,
    framework: reference.framework,
    app: variant?.name ?? 'secure',
    profile,
    ok: problem === null,
    problem: problem ?? '',
    variant: grade.variant,
    functional: { passed: grade.functional.passed, total: grade.functional.total },
    cwes: grade.security.cwes,
    durationMs: Math.round(performance.now() - start),
  };
}
