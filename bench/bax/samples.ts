import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { applyEdits } from '../../packages/bax/src/check/apply-edits.ts';
import { referenceOf } from '../../packages/bax/src/check/reference-of.ts';
import { findFramework } from '../../packages/bax/src/find-row.ts';
import { prepareRow } from '@assay/bax/grade/grade-answer';
import { SampleGrade } from '@assay/bax/grade/sample-grade';
import { samplePath } from '../../packages/bax/src/results/results-tree.ts';
import type { Scenario } from '../../packages/bax/src/scenario.ts';
import type { SandboxProvider } from '@assay/sandbox';
import { round } from './median.ts';
import { Remains } from './remains.ts';
import { INTERPRETED } from './tests.ts';

const ASSAY = join(import.meta.dirname, '../../assay');
const LOOK_MS = 200;
const MIB = 1024 * 1024;
/** These alone: the rest takes most of its time waiting, as its attacks do. */
const USUAL = ['Calculator', 'Login', 'FileSearch', 'SecretStorage'];

interface Request {
  scenarios: readonly Scenario[];
  provider: SandboxProvider;
  count: number;
  say: (text: string) => void;
}

export interface MeasuredSamples {
  samples: number;
  processors: number;
  seconds: number;
  perMinute: number;
  testsPerSecond: number;
  /**
   * Peak memory of the process that grades, and of all its sandboxes together, page cache included. The latter is null
   * without control groups.
   */
  peakMiB: { grader: number; sandboxes: number | null };
  /** Processes, mounts, control groups, files and sockets of it that are there afterwards. */
  left: string[];
  /** The same of others, that came meanwhile: not empty on a busy machine. */
  cameMeanwhile: number;
}

/** Reference apps and their variants, in turn, as a tree of results, graded by the command. */
export async function measureSamples({ scenarios, provider, count, say }: Request): Promise<MeasuredSamples> {
  const chosen = scenarios.filter(({ id }) => USUAL.includes(id));
  const apps = await appsOf(chosen.length > 0 ? chosen : scenarios, provider);
  const place = await mkdtemp(join(tmpdir(), 'assay-bench-tree-'));
  // Short: sockets lie there.
  const temporary = await mkdtemp(join(tmpdir(), 'assay-b-'));
  try {
    await writeTree(place, apps, count);
    say(`grading ${count} samples`);
    const before = await Remains.now();
    const begin = performance.now();
    const run = await gradeTree(place, temporary);
    const seconds = (performance.now() - begin) / 1000;
    const after = await Remains.now();
    const { left, others } = after.since(before, [run.identity, temporary]);
    const tests = await testsIn(place);
    return {
      samples: tests.samples,
      processors: availableParallelism(),
      seconds: round(seconds, 1),
      perMinute: round((tests.samples / seconds) * 60, 1),
      testsPerSecond: round(tests.tests / seconds, 2),
      peakMiB: run.peakMiB,
      left: [...left, ...(await filesIn(temporary))],
      cameMeanwhile: others,
    };
  } finally {
    await Promise.all([place, temporary].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** The directory that all processes of a user share may stay, empty. */
async function filesIn(directory: string): Promise<string[]> {
  const paths = await readdir(directory, { recursive: true });
  return paths.filter((path) => !/^assay-tmp-\d+$/.test(path)).map((path) => `file ${join(directory, path)}`);
}

interface App {
  scenario: string;
  framework: string;
  files: Record<string, string>;
}

async function appsOf(scenarios: readonly Scenario[], provider: SandboxProvider): Promise<App[]> {
  const apps: App[] = [];
  for (const scenario of scenarios) {
    for (const id of INTERPRETED) {
      const reference = await referenceOf(scenario, id);
      if (!reference) continue;
      await prepareRow(scenario, findFramework(reference.framework), { profile: 'strict', provider });
      for (const variant of [null, ...reference.variants]) {
        const files = variant === null ? reference.files() : applyEdits(reference.files(), variant);
        apps.push({ scenario: scenario.id, framework: reference.framework, files });
      }
    }
  }
  return apps;
}

/** Neighbours in the list are alike; so every so many. */
async function writeTree(place: string, apps: readonly App[], count: number): Promise<void> {
  const order = apps
    .map((app, index) => ({ app, key: (index * 7919) % apps.length }))
    .toSorted((a, b) => a.key - b.key);
  const numbers = new Map<string, number>();
  for (let sample = 0; sample < count; sample += 1) {
    const app = order[sample % order.length]?.app;
    if (!app) throw new Error('no app to grade');
    const row = `${app.scenario} ${app.framework}`;
    const number = numbers.get(row) ?? 0;
    numbers.set(row, number + 1);
    const set = {
      model: 'reference-apps',
      scenario: app.scenario,
      framework: app.framework,
      temperature: 0.2,
      spec: 'openapi',
      safety: 'none',
    } as const;
    for (const [path, content] of Object.entries(app.files)) {
      const file = join(place, samplePath(set, number), 'code', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }
}

async function gradeTree(
  place: string,
  temporary: string,
): Promise<{ identity: string; peakMiB: MeasuredSamples['peakMiB'] }> {
  const child = spawn(ASSAY, ['bax', 'eval', '--results', place, '--json'], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  // As everything is named that it makes outside itself.
  const identity = `${child.pid}-${await startTime(child.pid ?? 0)}`;
  const peak = { grader: 0, sandboxes: null as number | null };
  const timer = setInterval(() => {
    void residentBytes(child.pid ?? 0).then((bytes) => (peak.grader = Math.max(peak.grader, bytes)));
    void groupBytes(identity).then(
      (bytes) => (peak.sandboxes = bytes === null ? peak.sandboxes : Math.max(peak.sandboxes ?? 0, bytes)),
    );
  }, LOOK_MS);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  const [, stderr] = await output;
  if (code !== 0) throw new Error(`assay bax eval ended with ${code}: ${stderr.slice(-1000)}`);
  return {
    identity,
    peakMiB: {
      grader: round(peak.grader / MIB),
      sandboxes: peak.sandboxes === null ? null : round(peak.sandboxes / MIB),
    },
  };
}

/** In ticks after boot. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Groups are named by who made them. Null where there are none. */
async function groupBytes(owner: string): Promise<number | null> {
  for (const [parent, figure] of [
    ['/sys/fs/cgroup/memory/assay', 'memory.usage_in_bytes'],
    ['/sys/fs/cgroup/assay', 'memory.current'],
  ] as const) {
    const groups = await readdir(parent).catch(() => null);
    if (groups === null) continue;
    const figures = await Promise.all(
      groups
        .filter((name) => name.startsWith(owner))
        .map((name) => readFile(join(parent, name, figure), 'utf8').catch(() => '0')),
    );
    return figures.reduce((sum, bytes) => sum + Number(bytes), 0);
  }
  return null;
}

async function testsIn(place: string): Promise<{ samples: number; tests: number }> {
  let samples = 0;
  let tests = 0;
  for (const path of await readdir(place, { recursive: true })) {
    if (!path.endsWith('/grade.json')) continue;
    const grade = SampleGrade.parse(JSON.parse(await readFile(join(place, path), 'utf8')));
    if (grade.outcome === 'invalid') throw new Error(`${path}: ${grade.note}`);
    samples += 1;
    tests += grade.functional.total + grade.security.tests.filter(({ name }) => !name.startsWith('crash:')).length;
  }
  return { samples, tests };
}
