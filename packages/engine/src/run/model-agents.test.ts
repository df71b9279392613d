import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, Job, type ErrorCode } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import type { Agent, AgentContext } from '../agents/agent.ts';
import { programAgent } from '../agents/program-agent.ts';
import type { ModelLaneEntry } from '../lanes/model/contract.ts';
import { mineRepository } from '../mine/mine-repository.ts';
import type { ScriptEntryInput } from '../models/fake-model/script.ts';
import type { FakeModelService } from '../models/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../models/fake-model/start-fake-model.ts';
import { signingKey } from '../receipts/key-file.ts';
import { cacheDirectory } from '../store/paths.ts';
import type { Trajectory } from '../trace/atif.ts';
import { resolveAgentModel, type AgentModelOptions } from './agent-model.ts';
import { buildDemoRepository } from './demo/demo-repository.ts';
import { makeStandardTask } from './make-standard-task.ts';
import { openTask } from './open-task.ts';
import { runJob, type JobResult, type JobTrial, type RunJobOptions } from './run-job.ts';
import { runTrial } from './run-trial.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';
import { verifyReceipt } from './verify-receipt.ts';

const KEY = 'sk-the-real-key-0123456789abcdef';
const RIGHT = 'function twice(a, b) { return b === undefined ? a + a : a + b; }\n';
const DOUBLE = { type: 'test_cases', title: 'Say it twice', functionName: 'twice', description: 'Returns the text two times.', cases: [{ input: ['a'], expected: 'aa' }, { input: ['b', 'c'], expected: 'bc' }] };
const GUARD = "  if (count > 0 && widths.every((width) => width === 0)) throw new RangeError('records of zero width');\n  const records = [];\n";
const EDIT: ScriptEntryInput = { say: 'The guard.', tools: [{ name: 'edit_file', arguments: { path: 'src/read-table.js', old: '  const records = [];\n', new: GUARD } }] };
const WRITE: ScriptEntryInput = { tools: [{ name: 'write_file', arguments: { path: 'solution.js', content: RIGHT } }] };
const shell = (command: string): ScriptEntryInput => ({ tools: [{ name: 'run_shell', arguments: { command } }] });
const FAST = { backOffMs: 1, attempts: 4 };

let home = '';
let repositoryTask = '';
let standardTask = '';
let counter = 0;
const saved = { ...process.env };

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-model-agents-'));
  Object.assign(process.env, { ASSAY_CACHE: join(home, 'cache'), ASSAY_KEY: join(home, 'receipt-key.pem'), ASSAY_MODEL_KEY: KEY });
  await buildDemoRepository(join(home, 'repository'));
  const { tasks: [id = ''] } = await mineRepository({ source: join(home, 'repository'), pipeline: 'commit_runtime', out: join(home, 'tasks'), limit: 1 });
  repositoryTask = join(home, 'tasks', id);
  standardTask = join(home, 'standard-task');
  await writeFile(join(home, 'standard.json'), JSON.stringify(DOUBLE));
  await writeFile(join(home, 'reference.js'), RIGHT);
  await makeStandardTask({ standard: join(home, 'standard.json'), reference: join(home, 'reference.js'), out: standardTask });
});
after(async () => {
  for (const name of ['ASSAY_CACHE', 'ASSAY_KEY', 'ASSAY_MODEL_KEY']) if (saved[name] === undefined) delete process.env[name];
  Object.assign(process.env, saved);
  await rm(home, { recursive: true, force: true });
});

async function withModel<T>(turns: readonly ScriptEntryInput[], use: (model: FakeModelService) => Promise<T>): Promise<T> {
  const model = await startFakeModel({ script: { turns } });
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

interface OneTrial {
  job: JobResult;
  trial: JobTrial;
  directory: string;
  entries: ModelLaneEntry[];
  model: FakeModelService;
}

/** A job of one trial against a fake model. */
async function attempt(path: string, agent: string, turns: readonly ScriptEntryInput[], { model: options = {}, ...others }: Partial<Omit<RunJobOptions, 'model'>> & { model?: AgentModelOptions } = {}): Promise<OneTrial> {
  return withModel(turns, async (model) => {
    const job = await runJob({ path, agent, out: join(home, `job-${counter++}`), ...others, model: { name: 'm-1', endpoint: model.endpoints.openai, policy: FAST, ...options } });
    const [trial] = job.trials;
    assert.ok(trial);
    const [id = ''] = await readdir(join(job.directory, 'trials'));
    const directory = join(job.directory, 'trials', id);
    return { job, trial, directory, entries: await readEntries(directory), model };
  });
}

async function readEntries(directory: string): Promise<ModelLaneEntry[]> {
  const lines = (await readFile(join(directory, 'model.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line): ModelLaneEntry => JSON.parse(line));
}

async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true })) {
    const path = join(directory, entry);
    if ((await stat(path)).isFile() && (await readFile(path)).includes(text)) found.push(entry);
  }
  return found;
}

const submitted = async (directory: string): Promise<string[]> => {
  const manifest: { files: { path: string }[] } = JSON.parse(await readFile(join(directory, 'submission', 'manifest.json'), 'utf8'));
  return manifest.files.map(({ path }) => path);
};
const refused = (work: Promise<unknown>, code: ErrorCode, pattern: RegExp): Promise<void> =>
  assert.rejects(work, (error) => AssayError.is(error) && error.code === code && pattern.test(error.message) && !error.message.includes(KEY));

describe('loop', () => {
  test('solves a task of a repository, and what it leaves in HOME is no part of the submission', async () => {
    const turns = [shell('ls; echo mine >"$HOME/notes"; echo more >/tmp/notes'), EDIT, shell('node --test 2>&1 | tail -3'), { say: 'It is refused now.' }];
    const { trial, job, directory, entries, model } = await attempt(repositoryTask, 'loop', turns);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'ended']);
    assert.deepEqual(await submitted(directory), ['src/read-table.js']);
    assert.equal(model.requests.length, 4);
    assert.ok(model.requests.every(({ key, dialect, streams }) => key === KEY && dialect === 'openai-chat' && !streams));
    assert.equal(entries.length, 4);
    assert.ok(entries.every(({ outcome, usage }) => outcome === 'answered' && usage !== null));
    const { usage } = trial;
    assert.ok(usage && usage.inputTokens > 0 && usage.outputTokens > 0);
    assert.deepEqual([usage.requests, usage.usd, usage.retries], [4, null, 0]);
    assert.deepEqual(job.summary.usage, usage);
    const trajectory: Trajectory = JSON.parse(await readFile(join(directory, 'trajectory.json'), 'utf8'));
    assert.deepEqual([trajectory.schema_version, trajectory.agent.name, trajectory.agent.model_name], ['ATIF-v1.7', 'loop', 'm-1']);
    assert.equal(trajectory.steps.filter(({ source }) => source === 'agent').length, 4);
    assert.equal(trajectory.final_metrics?.total_prompt_tokens, usage.inputTokens);
    const log = await readFile(join(directory, 'logs', 'agent.txt'), 'utf8');
    assert.match(log, /\$ ls; echo mine[\s\S]*package\.json[\s\S]*\[exit code 0\][\s\S]*It is refused now\./);
  });

  test('solves a task of a standard; the receipt holds with the record beside it', async () => {
    const { trial, directory } = await attempt(standardTask, 'loop', [WRITE]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'ended']);
    assert.deepEqual(await submitted(directory), ['solution.js']);
    const { checks } = await verifyReceipt({ file: join(directory, 'receipt.json'), trust: (await signingKey()).keyId });
    assert.deepEqual(checks.filter(({ status }) => status === 'fail'), []);
  });

  test('a model that does nothing right fails, and is no fault of anybody else', async () => {
    const { trial } = await attempt(standardTask, 'loop', [shell('exit 3'), { tools: [{ name: 'fly', arguments: {}, raw: true }] }, { tools: [{ name: 'run_shell', arguments: {}, raw: true }] }, { say: '' }, { say: 'I give up.' }]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'ended']);
  });

  test('commands have a time-out, a cap on what they say, and no input', async () => {
    const turns = [
      { tools: [{ name: 'run_shell', arguments: { command: 'sleep 600', timeout_seconds: 1 }, raw: true }] },
      shell('head -c 300000 /dev/zero | tr "\\0" x; echo end'), shell('cat; sleep 600 & echo started'), { say: 'Done.' },
    ];
    const { model, trial } = await attempt(standardTask, 'loop', turns);
    const said = model.requests.map(({ conversation }) => conversation.at(-1)?.text ?? '');
    assert.match(said[1] ?? '', /\[killed after 1 s\]$/);
    assert.match(said[2] ?? '', /^x+\n\[… \d+ bytes left out …\]\nx+end\n\[exit code 0\]$/);
    assert.ok((said[2] ?? '').length < 40_000);
    assert.match(said[3] ?? '', /^started\n\[exit code 0\]$/);
    assert.equal(trial.agentRun?.status, 'ended');
  });

  test('a command that kills it, or writes to its output, ends in a score: only the lane can say that the trial is void', async () => {
    const killed = await attempt(standardTask, 'loop', [WRITE, shell('kill -9 $PPID; sleep 5')]);
    assert.deepEqual([killed.trial.outcome, killed.trial.agentRun?.status], ['pass', 'could-not-work']);
    const forged = await attempt(standardTask, 'loop', [shell('echo "{\\"status\\":\\"infrastructure\\"}" | tee /proc/$PPID/fd/1 /proc/$PPID/fd/2; kill -15 $PPID; sleep 5')]);
    assert.deepEqual([forged.trial.outcome, forged.trial.reward, forged.trial.agentRun?.status], ['fail', 0, 'could-not-work']);
  });

  test('a conversation that is too long loses its oldest outputs, and goes on', async () => {
    const overflow: ScriptEntryInput = { when: { request: 4 }, fault: 'status', status: 400, body: JSON.stringify({ error: { message: 'no', code: 'context_length_exceeded' } }) };
    const { model, trial } = await attempt(standardTask, 'loop', [shell('echo first'), shell('echo second'), shell('echo third'), overflow, WRITE, { say: 'Done.' }]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'ended']);
    const told = (index: number): string[] => model.requests[index]?.conversation.filter(({ by }) => by === 'tool').map(({ text }) => text.split('\n')[0] ?? '') ?? [];
    assert.deepEqual(told(3), ['first', 'second', 'third']);
    assert.match(told(4).join('|'), /^\[an output that is left out.*\|\[an output.*\|third$/);
  });

  for (const name of ['bubblewrap', 'runc', 'runsc']) {
    test(`works in ${name}`, async (context) => {
      const provider = await chooseProvider(name).catch(() => null);
      if (provider === null) return context.skip('not on this machine');
      const { trial } = await attempt(repositoryTask, 'loop', [EDIT], { provider: name });
      assert.deepEqual([trial.outcome, trial.isolation], ['pass', provider.isolation]);
    });
  }

  test('its token is not in the environment of the commands', async () => {
    const { model } = await attempt(standardTask, 'loop', [shell('env; tr "\\0" " " </proc/$PPID/cmdline'), { say: 'Done.' }]);
    const said = model.requests[1]?.conversation.at(-1)?.text ?? '';
    assert.match(said, /^PATH=/m);
    assert.doesNotMatch(said, /[\w-]{40,}/);
  });

  test('without the seal on the network, it reaches its lane all the same', async () => {
    const { trial } = await attempt(repositoryTask, 'loop', [EDIT], { unseal: ['network'] });
    assert.deepEqual([trial.reward, trial.trust.level], [1, 'unsealed']);
  });
});

describe('single-turn', () => {
  test('writes whole files; it is shown the repository', async () => {
    // The repository itself is past the fix.
    const fixed = await readFile(join(home, 'repository', 'src', 'read-table.js'), 'utf8');
    const { trial, directory, model } = await attempt(repositoryTask, 'single-turn', [{ say: `It must check.\n\nsrc/read-table.js\n\`\`\`js\n${fixed}\`\`\`\n` }]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.usage?.requests], ['pass', 'ended', 1]);
    assert.deepEqual(await submitted(directory), ['src/read-table.js']);
    assert.match(model.requests[0]?.user ?? '', /test\/read-table\.test\.js\n[\s\S]*export function readTable/);
  });

  test('applies a unified diff, whose line numbers may be wrong', async () => {
    const diff = `--- a/src/read-table.js\n+++ b/src/read-table.js\n@@ -70,3 +70,4 @@\n export function readTable(bytes, widths, count) {\n+${GUARD.split('\n')[0] ?? ''}\n   const records = [];\n   let offset = 0;\n`;
    const { trial } = await attempt(repositoryTask, 'single-turn', [{ say: `Here:\n\n\`\`\`diff\n${diff}\`\`\`\n` }]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'ended']);
  });

  test('writes the answer of a standard', async () => {
    const { trial, directory } = await attempt(standardTask, 'single-turn', [{ say: `Like this:\n\n\`\`\`js\n${RIGHT}\`\`\`\n\nIt adds.` }]);
    assert.deepEqual([trial.outcome, trial.usage?.requests], ['pass', 1]);
    assert.equal(await readFile(join(directory, 'submission', 'files', 'solution.js'), 'utf8'), RIGHT);
  });

  test('an answer without a file is a failure of the model, and said', async () => {
    const { trial } = await attempt(repositoryTask, 'single-turn', [{ say: 'I would rather not.' }]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'ended']);
    assert.match(trial.note ?? '', /held nothing that could be written/);
  });
});

describe('a service that fails', () => {
  test('429, 500, a cut and a reset are absorbed', async () => {
    const faults: ScriptEntryInput[] = [
      { fault: 'status', status: 429, headers: { 'retry-after': '0' } }, { fault: 'status', status: 500 }, WRITE,
      { fault: 'cut', say: 'I was about to say something of some length' }, { fault: 'reset' }, { say: 'Done.' },
    ];
    const { trial, entries } = await attempt(standardTask, 'loop', faults);
    assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.usage?.retries], ['pass', 'ended', 4]);
    assert.deepEqual(entries.map(({ retries }) => retries.length), [2, 2]);
  });

  test('one that always fails makes no score: the trial is tried again, and is invalid', async () => {
    const { trial, job, directory, entries, model } = await attempt(standardTask, 'loop', [WRITE, { fault: 'status', status: 500, repeat: 'always' }]);
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['invalid', null, 'infrastructure']);
    assert.match(trial.note ?? '', /the model of the agent failed: .*500/);
    assert.deepEqual([job.summary.invalid, job.summary.passRate, trial.discarded?.tries], [1, null, 2]);
    assert.equal(job.summary.usage?.requests, 3 * entries.length);
    assert.equal(model.requests.length, 3 * (1 + FAST.attempts));
    assert.equal(entries.at(-1)?.outcome, 'infrastructure');
    const records = (await readdir(directory)).filter((name) => name.startsWith('model.')).toSorted();
    assert.deepEqual(records, ['model.discarded-1.jsonl', 'model.discarded-2.jsonl', 'model.jsonl']);
  });

  test('control: the same without the fault is a score', async () => {
    const { trial } = await attempt(standardTask, 'loop', [WRITE]);
    assert.equal(trial.outcome, 'pass');
  });

  test('a service that finds the request wrong: the agent could not work, and what it left is graded', async () => {
    const { trial } = await attempt(standardTask, 'loop', [WRITE, { fault: 'status', status: 400, message: 'too long a story', repeat: 'always' }]);
    assert.deepEqual([trial.outcome, trial.agentRun?.status], ['pass', 'could-not-work']);
    assert.match(trial.note ?? '', /no answer from the model/);
  });
});

describe('budgets', () => {
  const endless: ScriptEntryInput[] = [WRITE, { ...shell('true'), repeat: 'always' }];

  test('of requests: the agent ends, what it left is graded, and the verdict says so', async () => {
    const { trial, directory, entries } = await attempt(standardTask, 'loop', endless, { model: { maxRequests: 3 } });
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['pass', 1, 'budget']);
    const verdict: { note?: string } = JSON.parse(await readFile(join(directory, 'verdict.json'), 'utf8'));
    assert.match(verdict.note ?? '', /^the agent's budget is spent: .*3 requests/);
    assert.deepEqual(entries.map(({ outcome }) => outcome), ['answered', 'answered', 'answered', 'budget']);
    const { checks } = await verifyReceipt({ file: join(directory, 'receipt.json'), trust: (await signingKey()).keyId });
    assert.deepEqual(checks.filter(({ status }) => status === 'fail'), []);
  });

  test('of tokens, on a task of a repository that is not done', async () => {
    const { trial } = await attempt(repositoryTask, 'loop', [{ ...shell('ls'), repeat: 'always' }], { model: { maxTokens: 3000 } });
    assert.deepEqual([trial.outcome, trial.reward, trial.agentRun?.status], ['fail', 0, 'budget']);
    assert.match(trial.note ?? '', /budget is spent/);
  });

  test('of money, by the prices of a file', async () => {
    const prices = join(home, 'prices.json');
    await writeFile(prices, JSON.stringify({ 'm-1': { inputPerMillion: 1000, outputPerMillion: 2000 } }));
    const { trial, job } = await attempt(standardTask, 'loop', [{ ...shell('true'), repeat: 'always', usage: { input: 400, output: 50 } }], { model: { maxUsd: '1.20', prices } });
    assert.equal(trial.agentRun?.status, 'budget');
    assert.ok((trial.usage?.usd ?? 0) >= 1 && (job.summary.usage?.usd ?? 0) < 3);
  });

  test('an agent that goes on without its model is killed', async () => {
    const { trial } = await attempt(standardTask, 'loop', [{ tools: [{ name: 'run_shell', arguments: { command: 'true' } }], repeat: 'always' }], { model: { maxRequests: 1, graceMs: 600_000 } });
    assert.equal(trial.agentRun?.status, 'budget');
    const stubborn = agentOf(async ({ sandbox, model, signal, timeoutMs }) => ({ exec: await sandbox.exec(`${ask(model)}; ${ask(model)}; exec sleep 3600`, { timeout: timeoutMs, ...(signal ? { signal } : {}) }) }));
    const result = await withModel([{ say: 'yes' }], ({ endpoints }) => trialOf(stubborn, { endpoint: endpoints.openai, maxRequests: 1, graceMs: 50 }));
    assert.deepEqual([result.trial.agentRun.status, result.trial.outcome], ['budget', 'fail']);
    assert.match(result.trial.note ?? '', /went on without a model, and was killed/);
  });
});

test('time is told apart from the rest', async () => {
  const { trial } = await attempt(standardTask, 'loop', [WRITE, shell('sleep 600')], { timeoutSec: 3 });
  assert.deepEqual([trial.outcome, trial.agentRun?.status, trial.agentRun?.timedOut], ['pass', 'timed-out', true]);
});

test('limits of its own are told apart from the rest', async () => {
  const result = await withModel([{ ...shell('true'), repeat: 'always' }], ({ endpoints }) => trialOf(programAgent('loop', { turns: 2 }), { endpoint: endpoints.openai }));
  assert.deepEqual([result.trial.agentRun.status, result.trial.usage?.requests], ['could-not-work', 2]);
});

describe('a stream that breaks after its first byte', () => {
  const cut: ScriptEntryInput = { fault: 'cut', say: 'I was about to say something of some length', afterEvents: 3 };
  /** Reads a stream to its end; exits 9 when it is cut off. */
  const stream = (model: AgentContext['model']): string => ask(model, { stream: true });

  test('is no fault of an agent that gives up', async () => {
    const agent = agentOf(async ({ sandbox, model }) => ({ exec: await sandbox.exec(`${stream(model)} || exit 9`) }));
    const { trial } = await withModel([{ ...cut, repeat: 'always' }], ({ endpoints }) => trialOf(agent, { endpoint: endpoints.openai }));
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.agentRun.exitCode], ['invalid', 'infrastructure', 9]);
  });

  test('is no excuse for one that asks again, and is answered', async () => {
    const agent = agentOf(async ({ sandbox, model }) => ({ exec: await sandbox.exec(`${stream(model)}; ${stream(model)} || exit 9; exit 1`) }));
    const { trial } = await withModel([cut, { say: 'yes' }], ({ endpoints }) => trialOf(agent, { endpoint: endpoints.openai }));
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.agentRun.exitCode], ['fail', 'ended', 1]);
  });
});

/** An agent of a test, which asks a model. */
const agentOf = (run: Agent['run']): Agent => ({ name: 'probe', model: { dialects: ['openai-chat'] }, run });

/** A shell line that asks the model once, reads the answer and prints the status. */
function ask(model: AgentContext['model'], { token = model?.token ?? '', stream = false } = {}): string {
  const script = `import json, urllib.request
request = urllib.request.Request('${model?.endpoints['openai-chat']}/chat/completions', json.dumps({'model': 'm-1', 'messages': [{'role': 'user', 'content': 'hello'}], 'stream': ${stream ? 'True' : 'False'}}).encode(), {'authorization': 'Bearer ${token}', 'content-type': 'application/json'})
try:
    answer = urllib.request.urlopen(request); answer.read(); print(answer.status)
except urllib.error.HTTPError as error: print(error.code)`;
  return `python3 -c "${script.replaceAll('"', '\\"')}"`;
}

async function trialOf(agent: Agent, options: AgentModelOptions, others: Partial<TrialRequest> = {}): Promise<TrialResult> {
  const provider = await chooseProvider('bubblewrap');
  const task = await openTask(standardTask, { provider, cacheDirectory: cacheDirectory() });
  const agentModel = await resolveAgentModel(agent, { name: 'm-1', policy: FAST, ...options });
  return runTrial({ task, agent, attempt: 1, provider, unsealed: new Set(), ...(agentModel ? { agentModel } : {}), ...others });
}

describe('the token of a trial', () => {
  test('works within it, and is worth nothing in the next one; its lane is gone', async () => {
    await withModel([{ say: 'yes' }], async ({ endpoints, requests }) => {
      const tokens: string[] = [];
      const thief = agentOf(async ({ sandbox, model }) => {
        const [foreign] = tokens;
        tokens.push(model?.token ?? '');
        return { exec: await sandbox.exec(`${ask(model)}; ${foreign === undefined ? 'true' : ask(model, { token: foreign })}; ls /run/lanes`) };
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
    const directory = join(home, 'silent.1');
    const { trial } = await withModel([{ say: 'yes' }], ({ endpoints }) => trialOf(agentOf(async () => ({ exec: null })), { endpoint: endpoints.openai }, { directory }));
    assert.deepEqual([trial.outcome, trial.agentRun.status, trial.usage?.requests], ['fail', 'ended', 0]);
    assert.deepEqual([await readEntries(directory), existsSync(join(directory, 'trial.json'))], [[], true]);
  });

  test('is worth nothing as soon as the agent has ended, and no socket is left', async () => {
    const sockets = async (): Promise<string[]> => (await readdir(tmpdir())).filter((name) => name.startsWith(`assay-lane-${process.pid}-`));
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

test('the key is in no file of a job, and nothing inside can read it', async () => {
  const look = shell('env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"; grep -rl sk-the-real / --include=* -s --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr | head');
  const { job, model } = await attempt(repositoryTask, 'loop', [look, { fault: 'status', status: 400, message: `your key ${KEY} is odd` }]);
  assert.deepEqual(await filesWith(job.directory, KEY), []);
  assert.deepEqual(await filesWith(job.directory, KEY.slice(3)), []);
  assert.ok(!JSON.stringify(model.requests.map(({ body }) => body)).includes(KEY));
  assert.equal(model.requests[0]?.key, KEY);
});

describe('a job', () => {
  test('names its model and budgets, without a secret, and resume compares them', async () => {
    const out = join(home, 'resumed');
    await withModel([WRITE], async ({ endpoints, requests }) => {
      const options: RunJobOptions = { path: standardTask, agent: 'loop', out, model: { name: 'm-1', endpoint: endpoints.openai, maxRequests: 9, maxTokens: 100_000 } };
      await runJob(options);
      const job = Job.parse(JSON.parse(await readFile(join(out, 'job.json'), 'utf8')));
      assert.deepEqual(job.model, { name: 'm-1', endpoint: endpoints.openai, dialects: ['openai-chat'], budgets: { requests: 9, totalTokens: 100_000 } });
      const asked = requests.length;
      const { summary } = await runJob({ ...options, resume: true });
      assert.deepEqual([summary.passed, requests.length, summary.usage?.requests], [1, asked, asked]);
      await refused(runJob({ ...options, resume: true, model: { ...options.model, name: 'm-2' } }), 'JOB_MISMATCH', /model differs/);
      await refused(runJob({ ...options, resume: true, model: { ...options.model, maxRequests: 10 } }), 'JOB_MISMATCH', /model differs/);
    });
  });

  test('of tasks of both kinds adds up what its trials used, two at a time', async () => {
    const dataset = join(home, 'dataset');
    await cp(repositoryTask, join(dataset, 'repository'), { recursive: true });
    await cp(standardTask, join(dataset, 'standard'), { recursive: true });
    const turns: ScriptEntryInput[] = [{ ...EDIT, when: { contains: 'readTable', tools: true } }, WRITE];
    const { summary, trials } = await withModel(turns, ({ endpoints }) => runJob({ path: dataset, agent: 'loop', attempts: 2, parallel: 2, out: join(home, 'both'), model: { name: 'm-1', endpoint: endpoints.openai, policy: FAST } }));
    assert.deepEqual([summary.trials, summary.passed, summary.invalid], [4, 4, 0]);
    assert.equal(summary.usage?.requests, trials.reduce((sum, { usage }) => sum + (usage?.requests ?? 0), 0));
    assert.equal(summary.durationMs, trials.reduce((sum, { durationMs }) => sum + durationMs, 0));
  });

  test('is not begun when its model cannot be asked', async () => {
    const out = join(home, 'never');
    const job = (model: AgentModelOptions, agent = 'loop'): Promise<JobResult> => runJob({ path: standardTask, agent, out, model });
    const local = { name: 'm-1', endpoint: 'http://127.0.0.1:1/v1' };
    await refused(runJob({ path: standardTask, agent: 'loop', out }), 'BAD_OPTION', /^--model: /);
    await refused(job({ ...local, name: 'no such model' }), 'BAD_OPTION', /^--model: /);
    await refused(job(local), 'BAD_OPTION', /^--endpoint: .*cannot be reached/);
    await refused(job({ ...local, endpoint: `http://user:${KEY}@127.0.0.1:1/v1` }), 'BAD_OPTION', /^--endpoint: .*no credentials/);
    await refused(job({ ...local, maxUsd: '1' }), 'BAD_OPTION', /^--max-usd: there is no price for m-1/);
    await refused(job({ ...local, maxUsd: 'much' }), 'BAD_OPTION', /^--max-usd: /);
    await refused(job({ ...local, prices: join(home, 'standard.json') }), 'BAD_OPTION', /^--prices: /);
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
