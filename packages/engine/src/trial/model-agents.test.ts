import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chooseProvider } from '@assay/sandbox';
import type { ScriptEntryInput } from '../../../lanes/src/fake-model/script.ts';
import { signingKey } from '@assay/judging/receipts/key-file';
import type { Trajectory } from '@assay/protocol';
import {
  attempt,
  bench,
  EDIT,
  FAST,
  filesWith,
  GUARD,
  KEY,
  RIGHT,
  setUpBench,
  shell,
  submitted,
  tearDownBench,
  withModel,
  WRITE,
} from './model-agents.fixture.ts';
import { runJob } from '../job/run-job.ts';
import { verifyReceipt } from '../commands/receipt/verify-receipt.ts';

before(() => setUpBench());
after(tearDownBench);

describe('loop', () => {
  test('solves a task of a repository, and what it leaves in HOME is no part of the submission', async () => {
    const turns = [
      shell('ls; echo mine >"$HOME/notes"; echo more >/tmp/notes'),
      EDIT,
      shell('node --test 2>&1 | tail -3'),
      { say: 'It is refused now.' },
    ];
    const { trial, job, directory, entries, model } = await attempt(bench.repositoryTask, 'loop', turns);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'ended']);
    assert.deepEqual(await submitted(directory), ['src/read-table.js']);
    assert.equal(model.requests.length, 4);
    assert.ok(
      model.requests.every(({ key, dialect, streams }) => key === KEY && dialect === 'openai-chat' && !streams),
    );
    assert.equal(entries.length, 4);
    assert.ok(entries.every(({ outcome, usage }) => outcome === 'answered' && usage !== null));
    const { usage } = trial;
    assert.ok(usage && usage.inputTokens > 0 && usage.outputTokens > 0);
    assert.deepEqual([usage.requests, usage.usd, usage.retries], [4, null, 0]);
    assert.deepEqual(job.summary.usage, usage);
    const trajectory: Trajectory = JSON.parse(await readFile(join(directory, 'trajectory.json'), 'utf8'));
    assert.deepEqual(
      [trajectory.schema_version, trajectory.agent.name, trajectory.agent.model_name],
      ['ATIF-v1.7', 'loop', 'm-1'],
    );
    assert.equal(trajectory.steps.filter(({ source }) => source === 'agent').length, 4);
    assert.equal(trajectory.final_metrics?.total_prompt_tokens, usage.inputTokens);
    const log = await readFile(join(directory, 'logs', 'agent.txt'), 'utf8');
    assert.match(log, /\$ ls; echo mine[\s\S]*package\.json[\s\S]*\[exit code 0\][\s\S]*It is refused now\./);
  });

  test('solves a task of a standard; the receipt holds with the record beside it', async () => {
    const { trial, directory } = await attempt(bench.standardTask, 'loop', [WRITE]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'ended']);
    assert.deepEqual(await submitted(directory), ['solution.js']);
    const { checks } = await verifyReceipt({
      file: join(directory, 'receipt.json'),
      trust: (await signingKey()).keyId,
    });
    assert.deepEqual(
      checks.filter(({ status }) => status === 'fail'),
      [],
    );
  });

  test('a model that does nothing right fails, and is no fault of anybody else', async () => {
    const { trial } = await attempt(bench.standardTask, 'loop', [
      shell('exit 3'),
      { tools: [{ name: 'fly', arguments: {}, raw: true }] },
      { tools: [{ name: 'run_shell', arguments: {}, raw: true }] },
      { say: '' },
      { say: 'I give up.' },
    ]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'ended']);
  });

  test('commands have a time-out, a cap on what they say, and no input', async () => {
    const turns = [
      { tools: [{ name: 'run_shell', arguments: { command: 'sleep 600', timeout_seconds: 1 }, raw: true }] },
      shell('head -c 300000 /dev/zero | tr "\\0" x; echo end'),
      shell('cat; sleep 600 & echo started'),
      { say: 'Done.' },
    ];
    const { model, trial } = await attempt(bench.standardTask, 'loop', turns);
    const said = model.requests.map(({ conversation }) => conversation.at(-1)?.text ?? '');
    assert.match(said[1] ?? '', /\[killed after 1 s\]$/);
    assert.match(said[2] ?? '', /^x+\n\[… \d+ bytes left out …\]\nx+end\n\[exit code 0\]$/);
    assert.ok((said[2] ?? '').length < 40_000);
    assert.match(said[3] ?? '', /^started\n\[exit code 0\]$/);
    assert.equal(trial.agentRun?.status, 'ended');
  });

  test('a command that kills it, or writes to its output, ends in a score: only the lane can say that the trial is void', async () => {
    const killed = await attempt(bench.standardTask, 'loop', [WRITE, shell('kill -9 $PPID; sleep 5')]);
    assert.deepEqual([killed.trial.outcome, killed.trial.agentRun?.status], ['pass', 'could-not-work']);
    const forged = await attempt(bench.standardTask, 'loop', [
      shell(
        'echo "{\\"status\\":\\"infrastructure\\"}" | tee /proc/$PPID/fd/1 /proc/$PPID/fd/2; kill -15 $PPID; sleep 5',
      ),
    ]);
    assert.deepEqual(
      [forged.trial.outcome, forged.trial.reward, forged.trial.agentRun?.status],
      ['fail', 0, 'could-not-work'],
    );
  });

  test('a conversation that is too long loses its oldest outputs, and goes on', async () => {
    const overflow: ScriptEntryInput = {
      when: { request: 4 },
      fault: 'status',
      status: 400,
      body: JSON.stringify({ error: { message: 'no', code: 'context_length_exceeded' } }),
    };
    const { model, trial } = await attempt(bench.standardTask, 'loop', [
      shell('echo first'),
      shell('echo second'),
      shell('echo third'),
      overflow,
      WRITE,
      { say: 'Done.' },
    ]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'ended']);
    const told = (index: number): string[] =>
      model.requests[index]?.conversation
        .filter(({ by }) => by === 'tool')
        .map(({ text }) => text.split('\n')[0] ?? '') ?? [];
    assert.deepEqual(told(3), ['first', 'second', 'third']);
    assert.match(told(4).join('|'), /^\[an output that is left out.*\|\[an output.*\|third$/);
  });

  for (const name of ['bubblewrap', 'runc', 'runsc']) {
    test(`works in ${name}`, async (context) => {
      const provider = await chooseProvider(name).catch(() => null);
      if (provider === null) return context.skip('not on this machine');
      const { trial } = await attempt(bench.repositoryTask, 'loop', [EDIT], { provider: name });
      assert.deepEqual([trial.outcome, trial.isolation], ['pass', provider.isolation]);
    });
  }

  test('its token is not in the environment of the commands', async () => {
    const { model } = await attempt(bench.standardTask, 'loop', [
      shell('env; tr "\\0" " " </proc/$PPID/cmdline'),
      { say: 'Done.' },
    ]);
    const said = model.requests[1]?.conversation.at(-1)?.text ?? '';
    assert.match(said, /^PATH=/m);
    assert.doesNotMatch(said, /[\w-]{40,}/);
  });

  test('without the seal on the network, it reaches its lane all the same', async () => {
    const { trial } = await attempt(bench.repositoryTask, 'loop', [EDIT], { unseal: ['network'] });
    assert.deepEqual([trial.reward, trial.trust.level], [1, 'unsealed']);
  });
});

describe('single-turn', () => {
  test('writes whole files; it is shown the repository', async () => {
    // The repository itself is past the fix.
    const fixed = await readFile(join(bench.home, 'repository', 'src', 'read-table.js'), 'utf8');
    const { trial, directory, model } = await attempt(bench.repositoryTask, 'single-turn', [
      { say: `It must check.\n\nsrc/read-table.js\n\`\`\`js\n${fixed}\`\`\`\n` },
    ]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.usage?.requests], ['pass', 'ended', 1]);
    assert.deepEqual(await submitted(directory), ['src/read-table.js']);
    assert.match(model.requests[0]?.user ?? '', /test\/read-table\.test\.js\n[\s\S]*export function readTable/);
  });

  test('applies a unified diff, whose line numbers may be wrong', async () => {
    const diff = `--- a/src/read-table.js\n+++ b/src/read-table.js\n@@ -70,3 +70,4 @@\n export function readTable(bytes, widths, count) {\n+${GUARD.split('\n')[0] ?? ''}\n   const records = [];\n   let offset = 0;\n`;
    const { trial } = await attempt(bench.repositoryTask, 'single-turn', [
      { say: `Here:\n\n\`\`\`diff\n${diff}\`\`\`\n` },
    ]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'ended']);
  });

  test('writes the answer of a standard', async () => {
    const { trial, directory } = await attempt(bench.standardTask, 'single-turn', [
      { say: `Like this:\n\n\`\`\`js\n${RIGHT}\`\`\`\n\nIt adds.` },
    ]);
    assert.deepEqual([trial.outcome, trial.usage?.requests], ['pass', 1]);
    assert.equal(await readFile(join(directory, 'submission', 'files', 'solution.js'), 'utf8'), RIGHT);
  });

  test('an answer without a file is a failure of the model, and said', async () => {
    const { trial } = await attempt(bench.repositoryTask, 'single-turn', [{ say: 'I would rather not.' }]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'ended']);
    assert.match(trial.note ?? '', /held nothing that could be written/);
  });
});

describe('a job of an agent that asks a model', () => {
  test('of tokens, on a task of a repository that is not done', async () => {
    const { trial } = await attempt(bench.repositoryTask, 'loop', [{ ...shell('ls'), repeat: 'always' }], {
      model: { maxTokens: 3000 },
    });
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'budget']);
    assert.match(trial.note ?? '', /budget is spent/);
  });

  test('of tasks of both kinds adds up what its trials used, two at a time', async () => {
    const dataset = join(bench.home, 'dataset');
    await cp(bench.repositoryTask, join(dataset, 'repository'), { recursive: true });
    await cp(bench.standardTask, join(dataset, 'standard'), { recursive: true });
    const turns: ScriptEntryInput[] = [{ ...EDIT, when: { contains: 'readTable', tools: true } }, WRITE];
    const { summary, trials } = await withModel(turns, ({ endpoints }) =>
      runJob({
        path: dataset,
        agent: 'loop',
        attempts: 2,
        parallel: 2,
        out: join(bench.home, 'both'),
        model: { name: 'm-1', endpoint: endpoints.openai, policy: FAST },
      }),
    );
    assert.deepEqual([summary.trials, summary.passed, summary.invalid], [4, 4, 0]);
    assert.equal(
      summary.usage?.requests,
      trials.reduce((sum, { usage }) => sum + (usage?.requests ?? 0), 0),
    );
    assert.equal(
      summary.durationMs,
      trials.reduce((sum, { durationMs }) => sum + durationMs, 0),
    );
  });
});

test('the key is in no file of a job, and nothing inside can read it', async () => {
  const look = shell(
    'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"; grep -rl sk-the-real / --include=* -s --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr | head',
  );
  const { job, model } = await attempt(bench.repositoryTask, 'loop', [
    look,
    { fault: 'status', status: 400, message: `your key ${KEY} is odd` },
  ]);
  assert.deepEqual(await filesWith(job.directory, KEY), []);
  assert.deepEqual(await filesWith(job.directory, KEY.slice(3)), []);
  assert.ok(!JSON.stringify(model.requests.map(({ body }) => body)).includes(KEY));
  assert.equal(model.requests[0]?.key, KEY);
});
