import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeModelService } from '../../packages/lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../../packages/lanes/src/fake-model/start-fake-model.ts';
import type { JobResult } from '@assay/protocol';
import { assay, assertRefused, inheritedEnvironment, MAIN, type Ended } from './assay-process.ts';

const KEY = 'sk-run-model-key-0123456789abcdef';
/** No key of the machine that runs the tests. */
const NO_KEYS = {
  ASSAY_MODEL_KEY: '',
  OPENAI_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  GEMINI_API_KEY: '',
  GOOGLE_API_KEY: '',
};
const RIGHT = 'function twice(a) { return a + a; }\n';
const STANDARD = {
  type: 'test_cases',
  title: 'Say it twice',
  functionName: 'twice',
  description: 'Returns the text two times.',
  cases: [{ input: ['a'], expected: 'aa' }],
};

let directory = '';
let model: FakeModelService;
const file = (name: string): string => join(directory, name);
const environment = (): Record<string, string> => ({
  ...NO_KEYS,
  ASSAY_CACHE: file('cache'),
  ASSAY_KEY: file('receipt-key.pem'),
  ASSAY_MODEL_KEY: KEY,
});
const call = (words: string[], env: Record<string, string> = {}): Promise<Ended> =>
  assay(words, { cwd: directory, env: { ...environment(), ...env } });
const run = (...words: string[]): string[] => [
  'run',
  file('task'),
  '--agent',
  'loop',
  '--model',
  'm',
  '--endpoint',
  model.endpoints.openai,
  ...words,
];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-run-model-'));
  model = await startFakeModel({
    script: {
      turns: [
        { when: { system: 'You answer once' }, say: `\`\`\`js\n${RIGHT}\`\`\`` },
        { when: { model: 'sleeper' }, tools: [{ name: 'run_shell', arguments: { command: 'sleep 600' } }] },
        { tools: [{ name: 'write_file', arguments: { path: 'solution.js', content: RIGHT } }] },
        { say: 'Done.' },
      ],
    },
  });
  await writeFile(file('standard.json'), JSON.stringify(STANDARD));
  await writeFile(file('reference.js'), RIGHT);
  await writeFile(file('prices.json'), JSON.stringify({ m: { inputPerMillion: 1, outputPerMillion: 10 } }));
  const made = await call([
    'standard',
    'task',
    file('standard.json'),
    '--reference',
    file('reference.js'),
    '--out',
    file('task'),
  ]);
  assert.equal(made.exitCode, 0, made.stderr);
});
after(async () => {
  await model.close();
  await rm(directory, { recursive: true, force: true });
});

test('loop works through its lane; the document tells tokens and money, and the key is nowhere', async () => {
  const { exitCode, stdout, stderr } = await call(
    run('--max-usd', '1', '--prices', file('prices.json'), '--out', file('loop'), '--json'),
  );
  assert.equal(exitCode, 0, stderr);
  const {
    trials: [trial],
    summary,
  }: JobResult = JSON.parse(stdout);
  assert.deepEqual([trial?.outcome, trial?.agentRun?.status, trial?.usage?.requests], ['pass', 'ended', 2]);
  assert.ok((summary.usage?.usd ?? 0) > 0);
  assert.ok(model.requests.every(({ key }) => key === KEY));
  assert.ok(!`${stdout}${stderr}`.includes(KEY));
  for (const entry of await readdir(directory, { recursive: true })) {
    if ((await stat(file(entry))).isFile()) assert.ok(!(await readFile(file(entry))).includes(KEY), entry);
  }
});

test('single-turn writes the answer, and a person reads what it cost', async () => {
  const { exitCode, stdout } = await call([...run('--out', file('single')), '--agent', 'single-turn']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /single-turn: 1 of 1 passed.*\nModel: 1 requests, \d+ tokens in, \d+ out\.\n/);
});

test('a spent budget is told', async () => {
  const { exitCode, stdout } = await call(run('--max-requests', '1', '--out', file('budget')));
  assert.equal(exitCode, 0);
  assert.match(stdout, /Agents that did not end by themselves: 1 budget\./);
});

test('Ctrl-C while the agent works leaves no lane', async () => {
  const child = spawn(process.execPath, [MAIN, ...run('--out', file('interrupted'), '--model', 'sleeper')], {
    cwd: directory,
    env: inheritedEnvironment(environment()),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const lanes = async (): Promise<string[]> =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`assay-lane-${child.pid}-`));
  while (child.exitCode === null && !model.requests.some((request) => request.model === 'sleeper')) await sleep(50);
  assert.equal((await lanes()).length, 1);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(await lanes(), []);
});

describe('bad input is one line, and nothing is left behind', () => {
  const cases: Record<string, { words: () => string[]; pattern: RegExp; env?: Record<string, string> }> = {
    'no model': { words: () => ['run', file('task'), '--agent', 'loop'], pattern: /--model/ },
    'a model for an agent that asks none': {
      words: () => ['run', file('task'), '--agent', 'nop', '--model', 'm'],
      pattern: /--model: this agent asks no model/,
    },
    'a name that is none': { words: () => run('--model', 'a b'), pattern: /--model/ },
    'no key': {
      words: () => ['run', file('task'), '--agent', 'loop', '--model', 'm', '--endpoint', 'https://model.invalid/v1'],
      pattern: /ASSAY_MODEL_KEY.*OPENAI_API_KEY/,
      env: NO_KEYS,
    },
    'a key that is none': { words: () => run(), pattern: /ASSAY_MODEL_KEY/, env: { ASSAY_MODEL_KEY: 'top secret' } },
    'an endpoint with credentials': {
      words: () => run('--endpoint', `http://u:${KEY}@127.0.0.1:1/v1`),
      pattern: /--endpoint/,
    },
    'an endpoint that cannot be reached': {
      words: () => run('--endpoint', 'http://127.0.0.1:1/v1'),
      pattern: /--endpoint.*cannot be reached/,
    },
    'an endpoint that is none': { words: () => run('--endpoint', 'ftp://127.0.0.1/'), pattern: /--endpoint/ },
    'money without a price': { words: () => run('--max-usd', '1'), pattern: /--max-usd.*no price for m/ },
    'money that is none': {
      words: () => run('--max-usd', '-1', '--prices', file('prices.json')),
      pattern: /--max-usd/,
    },
    'prices that are none': {
      words: () => run('--max-usd', '1', '--prices', file('standard.json')),
      pattern: /--prices/,
    },
    'no number of requests': { words: () => run('--max-requests', 'many'), pattern: /--max-requests/ },
  };
  for (const [name, { words, pattern, env }] of Object.entries(cases)) {
    test(name, async () => {
      const ended = await call([...words(), '--out', file('never')], env);
      assertRefused(ended, pattern);
      assert.ok(!ended.stderr.includes(KEY) && !ended.stderr.includes('top secret'));
      assert.equal(existsSync(file('never')), false);
    });
  }
});
