import assert from 'node:assert/strict';
import { access, chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, TrialOrder, type ProgressEvent } from '@assay/protocol';
import { chooseProvider, type Sandbox, type SandboxProvider } from '@assay/sandbox';
import { cacheDirectory } from '@assay/files/store/paths';
import type { Agent } from '../agents/agent.ts';
import { makeStandardTask } from '../commands/make-standard-task.ts';
import { validateTasks } from '../commands/validate.ts';
import type { OpenTask } from '../kinds/kind.ts';
import { openTask } from '../kinds/open-task.ts';
import { bench, RIGHT, setUpBench, tearDownBench } from '../trial/model-agents.fixture.ts';
import { runTrial } from '../trial/run-trial.ts';
import type { TrialResult } from '../trial/trial-request.ts';
import { openJobDirectory } from './job-directory.ts';
import { planJob } from './plan-job.ts';
import { runJob } from './run-job.ts';
import { trialWorker } from './trial-worker.ts';

before(() => setUpBench());
after(tearDownBench);

const WRITE_ANSWER = `cat > solution.js <<'EOF'\n${RIGHT}EOF`;
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('one task that cannot be opened', () => {
  test('ends neither run nor validate: it is named with the reason, and the others go on', async () => {
    const dataset = join(bench.home, 'mixed');
    await mkdir(dataset);
    await cp(bench.standardTask, join(dataset, 'good'), { recursive: true });
    await cp(bench.standardTask, join(dataset, 'altered'), { recursive: true });
    await writeFile(join(dataset, 'altered', 'instruction.md'), 'Something else.\n');
    const events: ProgressEvent[] = [];
    const job = await runJob({
      path: dataset,
      agent: 'oracle',
      out: join(bench.home, 'mixed-job'),
      onEvent: (event) => events.push(event),
    });
    assert.deepEqual([job.summary.passed, job.trials.length], [1, 1]);
    assert.deepEqual(
      job.failures.map(({ item, outcome, code }) => [item, outcome, code]),
      [[join(dataset, 'altered'), 'quarantined', 'TASK_ALTERED']],
    );
    assert.ok(events.some(({ type, text }) => type === 'note' && text?.startsWith('quarantined: ')));
    const validated = await validateTasks({ path: dataset });
    assert.deepEqual(
      validated.tasks.map(({ admitted }) => admitted),
      [true],
    );
    assert.equal(validated.failures[0]?.code, 'TASK_ALTERED');
  });

  test('and mended, is what a resume has left to do', async () => {
    const dataset = join(bench.home, 'mixed');
    await rm(join(dataset, 'altered'), { recursive: true });
    await makeStandardTask({
      standard: join(bench.home, 'standard.json'),
      reference: join(bench.home, 'reference.js'),
      out: join(dataset, 'altered'),
      name: 'mended',
    });
    const options = { path: dataset, agent: 'oracle', out: join(bench.home, 'mixed-job'), resume: true };
    const job = await runJob(options);
    assert.deepEqual([job.trials.map(({ outcome }) => outcome), job.failures], [['pass', 'pass'], []]);
    await rm(join(dataset, 'altered'), { recursive: true });
    await assert.rejects(runJob(options), { code: 'JOB_MISMATCH' });
    await cp(bench.standardTask, join(dataset, 'altered'), { recursive: true });
    await writeFile(join(dataset, 'altered', 'instruction.md'), 'Something else.\n');
  });

  test('is still an error where it is the only one', async () => {
    await assert.rejects(validateTasks({ path: join(bench.home, 'mixed', 'altered') }), { code: 'TASK_ALTERED' });
  });
});

/** A provider whose n-th sandbox, from 1, is not to be had: `fails` says what is thrown instead. */
function failing(provider: SandboxProvider, fails: (made: number) => AssayError | null): SandboxProvider {
  let made = 0;
  return {
    ...provider,
    name: provider.name ?? 'unnamed',
    isolation: provider.isolation ?? 'namespace',
    interactive: true,
    create: async (options): Promise<Sandbox> => {
      made += 1;
      const error = fails(made);
      if (error) throw error;
      return provider.create(options);
    },
    destroy: (id) => provider.destroy(id),
  };
}

describe('a verifier that breaks down', () => {
  let started = 0;
  const agent: Agent = {
    name: 'paid',
    run: async ({ sandbox, reference }) => {
      started += 1;
      for (const { path, content } of (await reference())?.files ?? [])
        await sandbox.writeFile(`/workspace/${path}`, content);
      return { exec: await sandbox.exec('true') };
    },
  };
  let task: OpenTask;
  let provider: SandboxProvider;
  before(async () => {
    provider = await chooseProvider('bubblewrap');
    task = await openTask(bench.repositoryTask, { provider, cacheDirectory: cacheDirectory() });
  });
  const trial = (with_: SandboxProvider, name: string): Promise<TrialResult> =>
    runTrial({ task, agent, attempt: 1, provider: with_, unsealed: new Set(), directory: join(bench.home, name) });
  const hiccup = (): AssayError => new AssayError('SANDBOX_START_FAILED', { provider: 'x', detail: 'for a moment' });

  test('has stage 4 tried again, and not the agent', async () => {
    started = 0;
    const { trial: recorded } = await trial(
      failing(provider, (made) => (made === 2 || made === 3 ? hiccup() : null)),
      'hiccup',
    );
    assert.deepEqual([recorded.outcome, started], ['pass', 1]);
  });

  test('for good makes the trial invalid, and the agent is not paid again', async () => {
    started = 0;
    const result = await trial(
      failing(provider, (made) => (made > 1 ? hiccup() : null)),
      'broken',
    );
    assert.deepEqual([result.trial.outcome, result.broke, started], ['invalid', 'verifier', 1]);
  });

  test('with the whole process: the trial goes on with stage 4 from what was collected', async () => {
    started = 0;
    const directory = join(bench.home, 'killed');
    const full = failing(provider, (made) => (made > 1 ? new AssayError('DISK_FULL', { path: '/' }) : null));
    await assert.rejects(trial(full, 'killed'), { code: 'DISK_FULL' });
    assert.ok(await exists(join(directory, 'collected.json')));
    assert.ok(!(await exists(join(directory, 'trial.json'))));
    const { trial: recorded, verdict } = await trial(provider, 'killed');
    assert.deepEqual([recorded.outcome, recorded.agentRun.status, started], ['pass', 'ended', 1]);
    assert.ok(recorded.sealCheck);
    const whole = await trial(provider, 'whole');
    assert.deepEqual(verdict.digests, whole.verdict.digests);
    assert.ok(!(await exists(join(directory, 'collected.json'))));
    assert.ok(await exists(join(directory, 'receipt.json')));
  });

  test('control: what was collected of another task is not gone on with', async () => {
    started = 0;
    const full = failing(provider, (made) => (made > 1 ? new AssayError('DISK_FULL', { path: '/' }) : null));
    await assert.rejects(trial(full, 'other'), { code: 'DISK_FULL' });
    const file = join(bench.home, 'other', 'collected.json');
    const collected = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...collected, task: `sha256:${'0'.repeat(64)}` }));
    await trial(provider, 'other');
    assert.equal(started, 2);
  });
});

test('an order is plain data: a worker that knows nothing else runs it', async () => {
  const plan = await planJob({ path: bench.standardTask, agent: 'exec', agentCommand: WRITE_ANSWER });
  const [task] = plan.tasks;
  assert.ok(task);
  const order = TrialOrder.parse(JSON.parse(JSON.stringify(plan.order(task, 3))));
  const directory = await openJobDirectory(join(bench.home, 'ordered'), {
    job: plan.job,
    directories: new Map(),
    resume: false,
  });
  try {
    const worker = trialWorker({ cacheDirectory: cacheDirectory(), directory, keep: 1 });
    const { trial } = await worker.run(order);
    assert.deepEqual([trial.id, trial.outcome], [order.id, 'pass']);
    assert.equal((await directory.readTrials()).length, 1);
    const altered = { ...order, id: 'x.1', task: { ...order.task, digest: `sha256:${'0'.repeat(64)}` } };
    await assert.rejects(worker.run(altered), { code: 'TASK_ALTERED' });
  } finally {
    await directory.close();
  }
});

describe('the files of the agent exec', () => {
  const job = async (name: string, command: string, agentMounts: string[]) => {
    const events: ProgressEvent[] = [];
    const { trials } = await runJob({
      path: bench.standardTask,
      agent: 'exec',
      agentCommand: command,
      agentMounts,
      attempts: 2,
      out: join(bench.home, name),
      onEvent: (event) => events.push(event),
    });
    return { trials, notes: events.filter(({ type }) => type === 'note') };
  };

  test('a command that is not in the sandbox could not work, told once', async () => {
    const { trials, notes } = await job('no-files', './solve.sh', []);
    assert.deepEqual(
      trials.map(({ outcome, agentRun }) => [outcome, agentRun?.status]),
      [
        ['fail', 'could-not-work'],
        ['fail', 'could-not-work'],
      ],
    );
    assert.equal(notes.length, 1);
    assert.match(notes[0]?.text ?? '', /--mount/);
  });

  test('come with a mount, read-only', async () => {
    const files = join(bench.home, 'my-agent');
    await mkdir(files);
    await writeFile(join(files, 'solve.sh'), `#!/bin/sh\ntouch /opt/agent/x && exit 9\n${WRITE_ANSWER}\n`);
    await chmod(join(files, 'solve.sh'), 0o755);
    const { trials, notes } = await job('files', '/opt/agent/solve.sh', [files]);
    assert.deepEqual(
      trials.map(({ outcome, agentRun }) => [outcome, agentRun?.status]),
      [
        ['pass', 'ended'],
        ['pass', 'ended'],
      ],
    );
    assert.deepEqual(notes, []);
  });

  test('are refused where they would hide the task, for another agent, and when they are not there', async () => {
    for (const [agent, mount] of [
      ['exec', `${bench.home}:/workspace/src`],
      ['exec', `${bench.home}:/`],
      ['exec', join(bench.home, 'nowhere')],
      ['nop', bench.home],
    ] as const)
      await assert.rejects(
        planJob({ path: bench.standardTask, agent, agentCommand: 'true', agentMounts: [mount] }),
        { code: 'BAD_OPTION' },
        mount,
      );
  });
});
