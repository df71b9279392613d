/**
 * Measures what a trial costs beyond its tests: the demo's trivial task, reference solution, a sandbox for the agent
 * and another for the verifier, by each provider, and by the real Harbor with Docker when `HARBOR_HERE` names a command
 * that runs it (see test/harbor/).
 *
 *     node bench/trial-overhead.ts [--runs 7] [--json]
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { oracle } from '../packages/engine/src/agents/oracle.ts';
import { runDemo } from '@assay/engine/commands/demo/demo';
import { repositoryTask } from '../packages/engine/src/kinds/repository/repository-task.ts';
import { runTrial } from '../packages/engine/src/trial/run-trial.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { openRepositoryTask, type OpenRepositoryTask } from '../packages/engine/src/verify/open-repository-task.ts';
import { runSuite } from '../packages/engine/src/verify/run-suite.ts';
import { composeChange } from '../packages/engine/src/verify/compose-verifier-tree.ts';
import { chooseProvider, runCommand } from '@assay/sandbox';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '7' }, json: { type: 'boolean', default: false } },
});
const runs = Number(values.runs);
const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const directory = await mkdtemp(join(process.env['H'] ?? tmpdir(), 'assay-bench-'));
try {
  const dataset = join(directory, 'tasks');
  const { task } = await runDemo({ keep: dataset });
  const rows: Record<string, { trialMs: number; testsMs: number; overheadMs: number }> = {};
  for (const name of ['bubblewrap', 'runc', 'runsc']) {
    const provider = await chooseProvider(name);
    const open = await openRepositoryTask(join(dataset, task), { provider, cacheDirectory: cacheDirectory() });
    const trials: number[] = [];
    const tests: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const start = performance.now();
      const { verdict } = await runTrial({
        task: repositoryTask(open, { cacheDirectory: cacheDirectory() }),
        agent: oracle,
        attempt: 1,
        provider,
        unsealed: new Set(),
        directory: join(directory, `trial-${name}-${run}`),
      });
      trials.push(performance.now() - start);
      if (verdict.reward !== 1) throw new Error(`${name}: the reference scored ${verdict.reward}`);
      tests.push(await testsAlone(open, name));
    }
    rows[name] = { trialMs: median(trials), testsMs: median(tests), overheadMs: median(trials) - median(tests) };
  }
  const harbor = process.env['HARBOR_HERE'] ? await harborTrial(process.env['HARBOR_HERE'], join(dataset, task)) : null;
  const namespace = rows['bubblewrap']?.overheadMs ?? Number.NaN;
  const result = {
    runs,
    providers: rows,
    harborMs: harbor,
    ratios:
      harbor === null
        ? null
        : Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, harbor / row.overheadMs])),
    bars: {
      namespaceUnder150Ms: namespace < 150,
      gvisorUnder600Ms: (rows['runsc']?.overheadMs ?? Number.NaN) < 600,
      harborAtLeast50x: harbor === null ? null : harbor / namespace >= 50,
    },
  };
  console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** The tests' own time: what the command in a warm sandbox takes, less what `true` takes there. */
async function testsAlone(open: OpenRepositoryTask, name: string): Promise<number> {
  const provider = await chooseProvider(name);
  const change = composeChange({ submission: open.reference, hidden: open.hidden, steering: [], hiddenWins: true });
  const { exec } = await runSuite({
    command: open.task.meta.test,
    change,
    t0Directory: open.t0Directory,
    environment: open.environment,
    provider,
  });
  const sandbox = await provider.create({});
  const idle = await sandbox.exec('true');
  await sandbox.destroy();
  return Math.max(0, (exec.durationMs ?? 0) - (idle.durationMs ?? 0));
}

/** Seconds from start to end of one oracle trial by Harbor, from its own result.json; its tests are the same. */
async function harborTrial(command: string, task: string): Promise<number> {
  const jobs = join(directory, 'harbor-jobs');
  const run = await runCommand([command, 'run', '-p', task, '-a', 'oracle', '-o', jobs, '--job-name', 'bench', '-y'], {
    env: process.env as Record<string, string>,
    timeoutMs: 600_000,
  });
  if (run.exitCode !== 0) throw new Error(`harbor: ${run.stderr.toString('utf8').slice(-500)}`);
  for (const name of await readdir(join(jobs, 'bench'))) {
    const text = await readFile(join(jobs, 'bench', name, 'result.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    const result: { started_at: string; finished_at: string } = JSON.parse(text);
    return Date.parse(result.finished_at) - Date.parse(result.started_at);
  }
  throw new Error('harbor left no result.json');
}
