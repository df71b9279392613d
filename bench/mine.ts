/**
 * Candidates per minute of `assay mine` on a real repository: two workers against one, and a second run from the cache.
 *
 *     node bench/mine.ts REPOSITORY [--limit 8] [--json]
 *
 * Each timed run has a cache of its own, filled once beforehand with the environments, so that the registry's speed is
 * no part of it.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { mineRepository } from '@assay/engine/commands/mine';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string', default: '8' }, json: { type: 'boolean', default: false } },
});
const source = positionals[0];
if (!source) throw new Error('usage: node bench/mine.ts REPOSITORY [--limit 8] [--json]');
const directory = await mkdtemp(join(tmpdir(), 'assay-bench-mine-'));
try {
  const warm = join(directory, 'cache-warm');
  process.env['ASSAY_CACHE'] = warm;
  await mine('warm', 2);
  const seconds: Record<string, number> = {};
  let candidates = 0;
  for (const [name, jobs] of [
    ['one worker', 1],
    ['two workers', 2],
  ] as const) {
    process.env['ASSAY_CACHE'] = join(directory, `cache-${jobs}`);
    await cp(join(warm, 'layers'), join(directory, `cache-${jobs}`, 'layers'), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
    const timed = await mine(`out-${jobs}`, jobs);
    seconds[name] = timed.seconds;
    candidates = timed.candidates;
  }
  seconds['second run'] = (await mine('out-again', 2)).seconds;
  const [one = NaN, two = NaN, again = NaN] = Object.values(seconds);
  const result = {
    source,
    candidates,
    seconds,
    candidatesPerMinute: { one: (candidates * 60) / one, two: (candidates * 60) / two },
    ratios: { twoWorkers: one / two, cache: two / again },
  };
  console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function mine(name: string, jobs: number): Promise<{ seconds: number; candidates: number }> {
  const start = performance.now();
  const result = await mineRepository({
    source: source ?? '',
    pipeline: 'commit_runtime',
    out: join(directory, name),
    limit: Number(values.limit),
    jobs,
  });
  return { seconds: (performance.now() - start) / 1000, candidates: result.candidates };
}
