import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { referenceOf } from '../../packages/bax/src/check/reference-of.ts';
import { findFramework } from '../../packages/bax/src/find-row.ts';
import { buildSample } from '../../packages/bax/src/frameworks/build-sample.ts';
import type { AppImage } from '../../packages/bax/src/grade/app-image.ts';
import { ForkServers } from '../../packages/bax/src/grade/fork-servers.ts';
import { prepareRow } from '@assay/bax/grade/grade-answer';
import { gradeSample } from '../../packages/bax/src/grade/grade-sample.ts';
import { startApp } from '../../packages/bax/src/grade/start-app.ts';
import type { FunctionalTest, Scenario } from '../../packages/bax/src/scenario.ts';
import type { SandboxProvider } from '@assay/sandbox';
import { DockerInstances, type DockerImage, type Way } from './docker-instances.ts';
import { median, round } from './median.ts';

/** Interpreted: an instance is what there is to wait for. */
export const INTERPRETED = ['Python-FastAPI', 'JavaScript-express'] as const;
const START_MS = 60_000;
/** Docker's daemon goes on tidying up after it has answered. */
const SETTLE_MS = 500;

interface Request {
  scenarios: readonly Scenario[];
  provider: SandboxProvider;
  rounds: number;
  docker: boolean;
  say: (text: string) => void;
}

/** Milliseconds: `instance` is start until it answers, and end; `test` what is between them. */
interface Once {
  instance: number;
  test: number;
}

export interface TestRow {
  scenario: string;
  framework: string;
  instanceMs: number;
  testMs: number;
  /** Wall time per test when the whole sample is graded, one test after the other. */
  gradedMs: number;
  gradedTests: number;
  asUpstreamMs: number | null;
  leanMs: number | null;
  /** Docker's time divided by ours. */
  asUpstream: number | null;
  lean: number | null;
}

export interface MeasuredTests {
  rows: TestRow[];
  /** Without an app: a sandbox, and a container, that runs `true`. Medians, ms. */
  own: { sandboxMs: number; containerMs: number | null };
  docker: {
    why: string | null;
    ratios: { asUpstream: Record<string, number>; lean: Record<string, number>; own: number } | null;
  };
}

/** Ratios are medians over the rows of a framework. */
export async function measureTests({ scenarios, provider, rounds, docker, say }: Request): Promise<MeasuredTests> {
  const { instances, why } = docker ? await openDocker(say) : { instances: null, why: 'not wanted' };
  const rows: TestRow[] = [];
  const forkServers = new ForkServers(provider);
  const bare: Bare = { sandboxes: [], containers: [] };
  try {
    for (const scenario of scenarios) {
      for (const id of INTERPRETED) {
        const row = await measureRow(scenario, id, { provider, forkServers, instances, rounds, bare });
        if (row === null) continue;
        rows.push(row);
        say(JSON.stringify(row));
      }
    }
  } finally {
    await forkServers.close();
    await instances?.close();
  }
  const { sandboxes, containers } = bare;
  const own = {
    sandboxMs: round(median(sandboxes)),
    containerMs: containers.length > 0 ? round(median(containers)) : null,
  };
  return { rows, own, docker: { why, ratios: ratiosOf(rows, own) } };
}

/** Milliseconds that they take without an app. */
interface Bare {
  sandboxes: number[];
  containers: number[];
}

interface Using {
  provider: SandboxProvider;
  forkServers: ForkServers;
  instances: DockerInstances | null;
  rounds: number;
  bare: Bare;
}

/** Null where the scenario has no app in the framework. */
async function measureRow(scenario: Scenario, id: string, using: Using): Promise<TestRow | null> {
  const { provider, forkServers } = using;
  const reference = await referenceOf(scenario, id);
  if (!reference || !scenario.tests) return null;
  const framework = findFramework(id);
  const prepared = await prepareRow(scenario, framework, { profile: 'strict', provider });
  const sample = await buildSample({ framework, prepared, files: reference.files(), provider });
  try {
    const { image } = sample;
    if (!image) throw new Error(sample.build.log);
    // The imports of a framework are done once for all samples.
    await forkServers.copyFor(image);
    const times = await timesOf(image, scenario.tests.functional, using);
    const layer = { variant: prepared.variant, layer: prepared.digest };
    const graded = await graded1({ scenario, framework, prepared: layer, image, provider, forkServers });
    return rowOf({ scenario: scenario.id, framework: id }, times, graded);
  } finally {
    await sample.dispose();
  }
}

/** In turns, so that what else this machine does falls on all. */
async function timesOf(
  image: AppImage,
  tests: readonly FunctionalTest[],
  { provider, forkServers, instances, rounds, bare }: Using,
): Promise<Record<'ours' | Way, Once[]>> {
  const container = instances ? await instances.imageOf(image) : null;
  const times: Record<'ours' | Way, Once[]> = { ours: [], asUpstream: [], lean: [] };
  for (let turn = 0; turn < rounds; turn += 1) {
    const test = tests[turn % tests.length];
    if (!test) continue;
    await sleep(SETTLE_MS);
    times.ours.push(await ours(image, test, { provider, forkServers }));
    bare.sandboxes.push(await bareSandbox(image, provider));
    if (!instances || container === null) continue;
    for (const way of ['asUpstream', 'lean'] as const) {
      await sleep(SETTLE_MS);
      times[way].push(await theirs(instances, container, way, test));
    }
    bare.containers.push(await instances.bare(container));
  }
  return times;
}

function ratiosOf(
  rows: readonly TestRow[],
  { sandboxMs, containerMs }: MeasuredTests['own'],
): MeasuredTests['docker']['ratios'] {
  if (containerMs === null) return null;
  const of = (key: 'asUpstream' | 'lean'): Record<string, number> =>
    Object.fromEntries(
      INTERPRETED.map((id) => [
        id,
        round(median(rows.flatMap((row) => (row.framework === id ? (row[key] ?? []) : []))), 2),
      ]),
    );
  return { asUpstream: of('asUpstream'), lean: of('lean'), own: round(containerMs / sandboxMs, 2) };
}

async function openDocker(
  say: (text: string) => void,
): Promise<{ instances: DockerInstances | null; why: string | null }> {
  try {
    return { instances: await DockerInstances.open(), why: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`no Docker here: ${why}`);
    return { instances: null, why };
  }
}

async function ours(
  image: AppImage,
  test: FunctionalTest,
  using: { provider: SandboxProvider; forkServers: ForkServers },
): Promise<Once> {
  const begin = performance.now();
  const app = await startApp(image, {
    ...using,
    profile: 'strict',
    startTimeoutMs: START_MS,
    requestMs: START_MS,
    lifeMs: 3 * START_MS,
    signal: AbortSignal.timeout(2 * START_MS),
  });
  const up = performance.now();
  try {
    await test.strict(app);
  } catch (error) {
    await app.stop();
    throw error;
  }
  const done = performance.now();
  const alive = await app.survives();
  await app.stop();
  if (!alive) throw new Error(`${test.name}: the app ended`);
  return { instance: up - begin + performance.now() - done, test: done - up };
}

async function theirs(instances: DockerInstances, image: DockerImage, way: Way, test: FunctionalTest): Promise<Once> {
  const begin = performance.now();
  const { app, stop } = await instances.start(image, way);
  const up = performance.now();
  try {
    await test.strict(app);
  } catch (error) {
    await stop();
    throw error;
  }
  const done = performance.now();
  await stop();
  return { instance: up - begin + performance.now() - done, test: done - up };
}

async function bareSandbox(image: AppImage, provider: SandboxProvider): Promise<number> {
  const begin = performance.now();
  const sandbox = await provider.create({
    user: 'root',
    cwd: '/app',
    env: { ...image.env },
    limits: { memoryBytes: 1024 ** 3 },
    mounts: [...image.mounts],
  });
  await sandbox.exec('true');
  await sandbox.destroy();
  return performance.now() - begin;
}

interface Graded {
  ms: number;
  tests: number;
}

async function graded1({
  scenario,
  framework,
  prepared,
  image,
  provider,
  forkServers,
}: Omit<Parameters<typeof gradeSample>[0], 'build' | 'profile' | 'variant' | 'layer'> & {
  prepared: { variant: string; layer: string };
}): Promise<Graded> {
  const begin = performance.now();
  const grade = await gradeSample({
    scenario,
    framework,
    ...prepared,
    image,
    build: { ok: true, log: '' },
    profile: 'strict',
    provider,
    forkServers,
  });
  if (grade.outcome !== 'pass')
    throw new Error(
      `${scenario.id} ${framework.id}: the reference app is graded ${grade.outcome}: ${JSON.stringify(grade.security.cwes)} ${grade.note ?? ''}`,
    );
  return { ms: performance.now() - begin, tests: grade.functional.total + grade.security.total };
}

function rowOf(
  names: Pick<TestRow, 'scenario' | 'framework'>,
  times: Record<'ours' | Way, Once[]>,
  graded: Graded,
): TestRow {
  const instance = (way: 'ours' | Way): number => median(times[way].map((once) => once.instance));
  const whole = (way: Way): number | null => (times[way].length > 0 ? round(instance(way)) : null);
  const ratio = (way: Way): number | null =>
    times[way].length > 0 ? round(instance(way) / instance('ours'), 2) : null;
  return {
    ...names,
    instanceMs: round(instance('ours')),
    testMs: round(median(times.ours.map(({ test }) => test))),
    gradedMs: round(graded.ms / graded.tests),
    gradedTests: graded.tests,
    asUpstreamMs: whole('asUpstream'),
    leanMs: whole('lean'),
    asUpstream: ratio('asUpstream'),
    lean: ratio('lean'),
  };
}
