import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, Job, type JobResult } from '@assay/protocol';
import type { AgentContext } from '../agents/agent.ts';
import { programAgent } from '../agents/program-agent.ts';
import { SMALL_QUESTION } from '../../../lanes/src/model-lane/dialects/small-question.ts';
import type { ScriptEntryInput } from '../../../lanes/src/fake-model/script.ts';
import { signingKey } from '@assay/judging/receipts/key-file';
import type { AgentModelOptions } from './lanes/agent-model.ts';
import {
  agentOf,
  ask,
  attempt,
  bench,
  FAST,
  KEY,
  readEntries,
  refused,
  setUpBench,
  shell,
  tearDownBench,
  trialOf,
  withModel,
  WRITE,
} from './model-agents.fixture.ts';
import { runJob, type RunJobOptions } from '../job/run-job.ts';
import { verifyReceipt } from '../commands/receipt/verify-receipt.ts';

before(() => setUpBench({ repository: false }));
after(tearDownBench);

describe('a service that fails', () => {
  /** Nor does it answer the lane's own question. */
  const down: ScriptEntryInput = { when: { contains: SMALL_QUESTION }, fault: 'status', status: 500, repeat: 'always' };

  test('429, 500, a cut and a reset are absorbed', async () => {
    const faults: ScriptEntryInput[] = [
      { fault: 'status', status: 429, headers: { 'retry-after': '0' } },
      { fault: 'status', status: 500 },
      WRITE,
      { fault: 'cut', say: 'I was about to say something of some length' },
      { fault: 'reset' },
      { say: 'Done.' },
    ];
    const { trial, entries } = await attempt(bench.standardTask, 'loop', faults);
    assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.usage?.retries], ['pass', 'ended', 4]);
    assert.deepEqual(
      entries.map(({ retries }) => retries.length),
      [2, 2],
    );
  });

  test('one that always fails makes no score: the trial is tried again, and is invalid', async () => {
    const { trial, job, directory, entries, model } = await attempt(bench.standardTask, 'loop', [
      WRITE,
      down,
      { fault: 'status', status: 500, repeat: 'always' },
    ]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['invalid', null, 'infrastructure']);
    assert.match(trial.note ?? '', /the model of the agent failed: .*500/);
    assert.deepEqual([job.summary.invalid, job.summary.passRate, trial.discarded?.tries], [1, null, 2]);
    assert.equal(job.summary.usage?.requests, 3 * entries.length);
    // The last request of each try, and then the lane's own question.
    assert.equal(model.requests.length, 3 * (1 + FAST.attempts + (FAST.attempts + 2)));
    assert.equal(entries.at(-1)?.outcome, 'infrastructure');
    const records = (await readdir(directory)).filter((name) => name.startsWith('model.')).toSorted();
    assert.deepEqual(records, ['model.discarded-1.jsonl', 'model.discarded-2.jsonl', 'model.jsonl']);
  });

  test('control: the same without the fault is a score', async () => {
    const { trial } = await attempt(bench.standardTask, 'loop', [WRITE]);
    assert.equal(trial.outcome, 'pass');
  });

  test('a service that finds the request wrong: the agent could not work, and what it left is graded', async () => {
    const { trial } = await attempt(bench.standardTask, 'loop', [
      WRITE,
      { fault: 'status', status: 400, message: 'too long a story', repeat: 'always' },
    ]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'could-not-work']);
    assert.match(trial.note ?? '', /no answer from the model/);
  });
});

describe('budgets', () => {
  const endless: ScriptEntryInput[] = [WRITE, { ...shell('true'), repeat: 'always' }];

  test('of requests: the agent ends, what it left is graded, and the verdict says so', async () => {
    const { trial, directory, entries } = await attempt(bench.standardTask, 'loop', endless, {
      model: { maxRequests: 3 },
    });
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'budget']);
    const verdict: { note?: string } = JSON.parse(await readFile(join(directory, 'verdict.json'), 'utf8'));
    assert.match(verdict.note ?? '', /^the agent's budget is spent: .*3 requests/);
    assert.deepEqual(
      entries.map(({ outcome }) => outcome),
      ['answered', 'answered', 'answered', 'budget'],
    );
    const { checks } = await verifyReceipt({
      file: join(directory, 'receipt.json'),
      trust: (await signingKey()).keyId,
    });
    assert.deepEqual(
      checks.filter(({ status }) => status === 'fail'),
      [],
    );
  });

  test('of money, by the prices of a file', async () => {
    const prices = join(bench.home, 'prices.json');
    await writeFile(prices, JSON.stringify({ 'm-1': { inputPerMillion: 1000, outputPerMillion: 2000 } }));
    const { trial, job } = await attempt(
      bench.standardTask,
      'loop',
      [{ ...shell('true'), repeat: 'always', usage: { input: 400, output: 50 } }],
      { model: { maxUsd: '1.20', prices } },
    );
    assert.equal(trial.agentRun?.status, 'budget');
    assert.ok((trial.usage?.usd ?? 0) >= 1 && (job.summary.usage?.usd ?? 0) < 3);
  });

  test('an agent that goes on without its model is killed', async () => {
    const { trial } = await attempt(
      bench.standardTask,
      'loop',
      [{ tools: [{ name: 'run_shell', arguments: { command: 'true' } }], repeat: 'always' }],
      { model: { maxRequests: 1, graceMs: 600_000 } },
    );
    assert.equal(trial.agentRun?.status, 'budget');
    const stubborn = agentOf(async ({ sandbox, model, signal, timeoutMs }) => ({
      exec: await sandbox.exec(`${ask(model)}; ${ask(model)}; exec sleep 3600`, { timeout: timeoutMs, signal }),
    }));
    const result = await withModel([{ say: 'yes' }], ({ endpoints }) =>
      trialOf(stubborn, { endpoint: endpoints.openai, maxRequests: 1, graceMs: 50 }),
    );
    assert.deepEqual([result.trial.agentRun.status, result.trial.outcome], ['budget', 'fail']);
    assert.match(result.trial.note ?? '', /went on without a model, and was killed/);
    assert.match(result.log, /^200\n/);
  });
});

describe('an agent that wants no outcome gets one', () => {
  const words = 'the words that break it';
  const poison = (fault: ScriptEntryInput): ScriptEntryInput[] => [
    { when: { contains: words }, ...fault, repeat: 'always' },
    { say: 'yes' },
  ];
  const endOf = async (turns: ScriptEntryInput[], stream: boolean): Promise<unknown[]> => {
    const agent = agentOf(async ({ sandbox, model }) => ({
      exec: await sandbox.exec(`${ask(model, { words, stream })} || true; exit 9`),
    }));
    const { trial } = await withModel(turns, ({ endpoints }) => trialOf(agent, { endpoint: endpoints.openai }));
    return [trial.outcome, trial.reward, trial.agentRun.status];
  };

  test('by a request at which the service fails', async () => {
    assert.deepEqual(await endOf(poison({ fault: 'status', status: 500 }), false), ['fail', 0, 'ended']);
    assert.deepEqual(
      await endOf([{ fault: 'status', status: 500, repeat: 'always' }], false),
      ['invalid', null, 'infrastructure'],
      'control: it fails at all',
    );
  });

  test('by one at which it breaks off', async () => {
    const cut: ScriptEntryInput = { fault: 'cut', say: 'I was about to say something of some length', afterEvents: 3 };
    assert.deepEqual(await endOf(poison(cut), true), ['fail', 0, 'ended']);
    assert.deepEqual(
      await endOf([{ ...cut, repeat: 'always' }], true),
      ['invalid', null, 'infrastructure'],
      'control: it breaks off all',
    );
  });

  test('by a record without end', async () => {
    const long = `python3 -c "print('x' * 20000)"`;
    const { trial } = await attempt(bench.standardTask, 'loop', [{ ...shell(long), repeat: 'always' }], {
      model: { policy: { ...FAST, recordBytes: 200_000 } },
    });
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'budget']);
    assert.match(trial.note ?? '', /budget of 200000 bytes of record is spent/);
  });
});

test('what was used up and printed is kept when the sandbox breaks', async () => {
  const agent = agentOf(async ({ sandbox, model }) => {
    await sandbox.exec(ask(model));
    throw new AssayError('SANDBOX_GONE', { id: 'x' });
  });
  const { trial, log } = await withModel([{ say: 'yes' }], ({ endpoints }) =>
    trialOf(agent, { endpoint: endpoints.openai }),
  );
  assert.deepEqual([trial.outcome, trial.usage?.requests, log], ['invalid', 1, '200\n']);
});

test('time is told apart from the rest', async () => {
  const { trial } = await attempt(bench.standardTask, 'loop', [WRITE, shell('sleep 600')], { timeoutSec: 3 });
  assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.agentRun?.timedOut], ['pass', 'timed-out', true]);
});

test('limits of its own are told apart from the rest', async () => {
  const result = await withModel([{ ...shell('true'), repeat: 'always' }], ({ endpoints }) =>
    trialOf(programAgent('loop', { turns: 2 }), { endpoint: endpoints.openai }),
  );
  assert.deepEqual([result.trial.agentRun.status, result.trial.usage?.requests], ['could-not-work', 2]);
});

describe('a stream that breaks after its first byte', () => {
  const cut: ScriptEntryInput = { fault: 'cut', say: 'I was about to say something of some length', afterEvents: 3 };
  /** Reads a stream to its end; exits 9 when it is cut off. */
  const stream = (model: AgentContext['model']): string => ask(model, { stream: true });

  test('is no fault of an agent that gives up', async () => {
    const agent = agentOf(async ({ sandbox, model }) => ({ exec: await sandbox.exec(`${stream(model)} || exit 9`) }));
    const { trial } = await withModel([{ ...cut, repeat: 'always' }], ({ endpoints }) =>
      trialOf(agent, { endpoint: endpoints.openai }),
    );
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.agentRun.exitCode], ['invalid', 'infrastructure', 9]);
  });

  test('is no excuse for one that asks again, and is answered', async () => {
    const agent = agentOf(async ({ sandbox, model }) => ({
      exec: await sandbox.exec(`${stream(model)}; ${stream(model)} || exit 9; exit 1`),
    }));
    const { trial } = await withModel([cut, { say: 'yes' }], ({ endpoints }) =>
      trialOf(agent, { endpoint: endpoints.openai }),
    );
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.agentRun.exitCode], ['fail', 'ended', 1]);
  });
});

describe('the token of a trial', () => {
  test('works within it, and is worth nothing in the next one; its lane is gone', async () => {
    await withModel([{ say: 'yes' }], async ({ endpoints, requests }) => {
      const tokens: string[] = [];
      const thief = agentOf(async ({ sandbox, model }) => {
        const [foreign] = tokens;
        tokens.push(model?.token ?? '');
        return {
          exec: await sandbox.exec(
            `${ask(model)}; ${foreign === undefined ? 'true' : ask(model, { token: foreign })}; ls /run/lanes`,
          ),
        };
      });
      const first = await trialOf(thief, { endpoint: endpoints.openai });
      assert.match(first.log, /^200\n8711\n$/);
      const second = await trialOf(thief, { endpoint: endpoints.openai });
      assert.match(second.log, /^200\n400\n8711\n$/);
      assert.notEqual(tokens[0], tokens[1]);
      assert.equal(requests.length, 2);
      assert.ok(!tokens.includes(KEY));
    });
  });

  test('may be left alone: an agent that asks nothing is graded, and has a record without a line', async () => {
    const directory = join(bench.home, 'silent.1');
    const { trial } = await withModel([{ say: 'yes' }], ({ endpoints }) =>
      trialOf(
        agentOf(async () => ({ exec: null })),
        { endpoint: endpoints.openai },
        { directory },
      ),
    );
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.usage?.requests], ['fail', 'ended', 0]);
    assert.deepEqual([await readEntries(directory), existsSync(join(directory, 'trial.json'))], [[], true]);
  });

  test('is worth nothing as soon as the agent has ended, and no socket is left', async () => {
    const sockets = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith(`assay-lane-${process.pid}-`));
    const seen: string[] = [];
    const agent = agentOf(async () => {
      seen.push(...(await sockets()));
      return { exec: null };
    });
    await withModel([{ say: 'yes' }], ({ endpoints }) => trialOf(agent, { endpoint: endpoints.openai }));
    assert.equal(seen.length, 1);
    assert.deepEqual(await sockets(), []);
  });
});

describe('a job', () => {
  test('names its model and budgets, without a secret, and resume compares them', async () => {
    const out = join(bench.home, 'resumed');
    await withModel([WRITE], async ({ endpoints, requests }) => {
      const options: RunJobOptions = {
        path: bench.standardTask,
        agent: 'loop',
        out,
        model: { name: 'm-1', endpoint: endpoints.openai, maxRequests: 9, maxTokens: 100_000 },
      };
      await runJob(options);
      const job = Job.parse(JSON.parse(await readFile(join(out, 'job.json'), 'utf8')));
      assert.deepEqual(job.model, {
        name: 'm-1',
        endpoint: endpoints.openai,
        dialects: ['openai-chat'],
        budgets: { requests: 9, totalTokens: 100_000 },
      });
      const asked = requests.length;
      const { summary } = await runJob({ ...options, resume: true });
      assert.deepEqual([summary.passed, requests.length, summary.usage?.requests], [1, asked, asked]);
      await refused(
        runJob({ ...options, resume: true, model: { ...options.model, name: 'm-2' } }),
        'JOB_MISMATCH',
        /model differs/,
      );
      await refused(
        runJob({ ...options, resume: true, model: { ...options.model, maxRequests: 10 } }),
        'JOB_MISMATCH',
        /model differs/,
      );
    });
  });

  test('is not begun when its model cannot be asked', async () => {
    const out = join(bench.home, 'never');
    const job = (model: AgentModelOptions, agent = 'loop'): Promise<JobResult> =>
      runJob({ path: bench.standardTask, agent, out, model });
    const local = { name: 'm-1', endpoint: 'http://127.0.0.1:1/v1' };
    await refused(runJob({ path: bench.standardTask, agent: 'loop', out }), 'BAD_OPTION', /^--model: /);
    await refused(job({ ...local, name: 'no such model' }), 'BAD_OPTION', /^--model: /);
    await refused(job(local), 'BAD_OPTION', /^--endpoint: .*cannot be reached/);
    await refused(
      job({ ...local, endpoint: `http://user:${KEY}@127.0.0.1:1/v1` }),
      'BAD_OPTION',
      /^--endpoint: .*no credentials/,
    );
    await refused(job({ ...local, maxUsd: '1' }), 'BAD_OPTION', /^--max-usd: there is no price for m-1/);
    await refused(job({ ...local, maxUsd: 'much' }), 'BAD_OPTION', /^--max-usd: /);
    await refused(job({ ...local, prices: join(bench.home, 'standard.json') }), 'BAD_OPTION', /^--prices: /);
    await refused(job(local, 'nop'), 'BAD_OPTION', /^--model: this agent asks no model/);
    await refused(job({ maxTokens: 5 }, 'oracle'), 'BAD_OPTION', /^--max-tokens: this agent asks no model/);
    delete process.env['ASSAY_MODEL_KEY'];
    const providers = { OPENAI_API_KEY: process.env['OPENAI_API_KEY'] };
    delete process.env['OPENAI_API_KEY'];
    try {
      await refused(job({ name: 'm-1' }), 'BAD_OPTION', /^ASSAY_MODEL_KEY: there is no key for https:.*OPENAI_API_KEY/);
    } finally {
      process.env['ASSAY_MODEL_KEY'] = KEY;
      if (providers.OPENAI_API_KEY !== undefined) process.env['OPENAI_API_KEY'] = providers.OPENAI_API_KEY;
    }
    assert.equal(existsSync(out), false);
  });
});
