/**
 * What `assay mine` admits of real repositories, without a model, and what that costs, against an older checkout of it.
 *
 *     node bench/mine.ts REPOSITORY... [--pipeline NAME] [--flag TEXT]... [--limit 40] [--minutes 15] [--jobs 2]
 *       [--before CHECKOUT] [--keep DIR] [--json]
 *
 * Mines the newest `--limit` candidates of each repository, at most `--minutes` long, with a cache of its own that is empty at
 * first. Prints for each: candidates that were finished and admitted, per 100; processor minutes of all processes (a control
 * group counts them), per candidate and per admitted task; why the others fell; tasks with a test of the fix of class `split`.
 * A run that came to its end is made again from the cache. `--before` mines with that checkout too (one with its dependencies installed), and prints the ratios. `--keep` leaves
 * the datasets there, to be read by hand. `--pipeline` is another than `commit_runtime`, and each `--flag` is one more word for
 * `assay mine`, such as `--flag=--text-only`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { SplitPlan } from '@assay/protocol';
import { readTaskOf } from '../packages/engine/src/bundle/read-task.ts';
import { PLAN_FILE } from '../packages/engine/src/bundle/split-oracle.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '40' },
    minutes: { type: 'string', default: '15' },
    jobs: { type: 'string', default: '2' },
    before: { type: 'string' },
    pipeline: { type: 'string', default: 'commit_runtime' },
    flag: { type: 'string', multiple: true, default: [] },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0)
  throw new Error('usage: node bench/mine.ts REPOSITORY... [--limit 40] [--before CHECKOUT]');

/** Of one repository, by one checkout. */
interface Mined {
  finished: number;
  admitted: number;
  perHundred: number;
  /** Admitted tasks with a test of the fix whose expectation stays outside. */
  withSplit: number;
  reasons: Record<string, number>;
  processorMinutes: number;
  minutesPerCandidate: number;
  /** Infinity where nothing was admitted. */
  minutesPerAdmitted: number;
  wallMinutes: number;
  endedByTime: boolean;
  /** What a second run takes, which finds all ends in the cache; null where the first was cut. */
  againMinutes: number | null;
}

const here = resolve(import.meta.dirname, '..');
const directory = values.keep ? resolve(values.keep) : await mkdtemp(join(tmpdir(), 'assay-bench-mine-'));
try {
  const reports = [];
  for (const source of positionals) {
    const name = nameOf(source);
    const before = values.before && (await mine(source, resolve(values.before), join(directory, name, 'before')));
    const after = await mine(source, here, join(directory, name, 'after'));
    const ratios = before && {
      perHundred: after.perHundred / before.perHundred,
      minutesPerCandidate: after.minutesPerCandidate / before.minutesPerCandidate,
      minutesPerAdmitted: after.minutesPerAdmitted / before.minutesPerAdmitted,
    };
    reports.push({ repository: name, ...(before ? { before } : {}), after, ...(ratios ? { ratios } : {}) });
    if (!values.json) console.log(JSON.stringify(reports.at(-1), null, 2));
  }
  if (values.json) console.log(JSON.stringify(reports));
} finally {
  if (!values.keep) await rm(directory, { recursive: true, force: true });
}

/** The last telling part of a path or address: `OWNER+NAME` of `…/OWNER+NAME/repo`. */
function nameOf(source: string): string {
  const parts = source.split('/').filter((part) => part !== '' && part !== 'repo' && part !== '.git');
  return basename(parts.at(-1) ?? 'repository', '.git');
}

async function mine(source: string, checkout: string, place: string): Promise<Mined> {
  mkdirSync(place, { recursive: true });
  const first = await run(source, checkout, { place, name: 'dataset' });
  const again = first.endedByTime ? null : await run(source, checkout, { place, name: 'again' });
  if (!values.keep) await rm(join(place, 'cache'), { recursive: true, force: true });
  return { ...(await countEnds(join(place, 'dataset'), first)), againMinutes: again?.wallMinutes ?? null };
}

type Run = Pick<Mined, 'processorMinutes' | 'wallMinutes' | 'endedByTime'>;

async function run(source: string, checkout: string, { place, name }: { place: string; name: string }): Promise<Run> {
  const group = openGroup();
  const start = performance.now();
  const { pipeline, limit, jobs, flag } = values;
  const flags = ['--pipeline', pipeline, '--limit', limit, '--jobs', jobs, ...flag];
  const argv = [join(checkout, 'assay'), 'mine', source, ...flags, '--out', join(place, name)];
  // The shell joins the group before it becomes the command, so that every process of it is counted.
  const child = spawn('sh', ['-c', 'echo $$ >"$0" && exec "$@"', group.members, ...argv], {
    env: { ...process.env, ASSAY_CACHE: join(place, 'cache') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const ended = once(child, 'close').then(() => true);
  const clock = new AbortController();
  const inTime = await Promise.race([
    ended,
    delay(Number(values.minutes) * 60_000, false, { signal: clock.signal }).catch(() => false),
  ]);
  clock.abort();
  if (!inTime) child.kill('SIGINT');
  await ended;
  const wallMinutes = (performance.now() - start) / 60_000;
  writeFileSync(join(place, `${name}.log`), said.join(''));
  return { wallMinutes, processorMinutes: await group.close(), endedByTime: !inTime };
}

async function countEnds(out: string, spent: Run): Promise<Omit<Mined, 'againMinutes'>> {
  const { mined } = JSON.parse(await readFile(join(out, 'dataset.json'), 'utf8')) as {
    mined: { candidates: { outcome: string; reason?: string }[] }[];
  };
  const finished = mined.flatMap(({ candidates }) => candidates).filter(({ outcome }) => outcome !== 'deferred');
  const admitted = finished.filter(({ outcome }) => outcome === 'admitted').length;
  const reasons: Record<string, number> = {};
  for (const { reason } of finished) if (reason) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return {
    finished: finished.length,
    admitted,
    perHundred: (admitted * 100) / finished.length,
    withSplit: await countSplit(out),
    reasons,
    minutesPerCandidate: spent.processorMinutes / finished.length,
    minutesPerAdmitted: spent.processorMinutes / admitted,
    ...spent,
  };
}

/** Tasks of older checkouts may be of a form that is no longer read; they count as having none. */
async function countSplit(out: string): Promise<number> {
  let count = 0;
  for (const entry of await readdir(out, { withFileTypes: true })) {
    const bundle = join(out, entry.name);
    if (!existsSync(join(bundle, PLAN_FILE))) continue;
    const task = await readTaskOf('repository', bundle).catch(() => null);
    const { tests } = JSON.parse(await readFile(join(bundle, PLAN_FILE), 'utf8')) as SplitPlan;
    count += Number(tests.some((test) => test.class === 'split' && task?.meta.fail_to_pass.includes(test.id)));
  }
  return count;
}

/** A control group whose processor time the kernel counts, in version 1 or 2; throws where there is neither. */
function openGroup(): { members: string; close: () => Promise<number> } {
  const name = `assay-bench-${process.pid}-${Math.round(performance.now())}`;
  const [root, file, perMinute] = existsSync('/sys/fs/cgroup/cpuacct')
    ? (['/sys/fs/cgroup/cpuacct', 'cpuacct.usage', 60e9] as const)
    : (['/sys/fs/cgroup', 'cpu.stat', 60e6] as const);
  const path = join(root, name);
  mkdirSync(path);
  return {
    members: join(path, 'cgroup.procs'),
    async close() {
      // What a killed sandbox leaves ends a moment after the command.
      while (readFileSync(join(path, 'cgroup.procs'), 'utf8') !== '') await delay(100);
      const usage = Number(/\d+/.exec(readFileSync(join(path, file), 'utf8'))?.[0] ?? NaN);
      rmdirSync(path);
      return usage / perMinute;
    },
  };
}
