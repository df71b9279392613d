import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { useFakeModelServer } from '../../packages/testkit/src/index.ts';
import { assay, assertRefused, inheritedEnvironment, MAIN, type Ended } from './assay-process.ts';

const KEY = 'sk-gateway-key-0123456789';
/** No key of the machine that runs the tests. */
const NO_KEYS = {
  ASSAY_MODEL_KEY: '',
  OPENAI_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  GEMINI_API_KEY: '',
  GOOGLE_API_KEY: '',
};
let directory = '';
const file = (name: string): string => join(directory, name);

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-gateway-'));
  await writeFile(file('prices.json'), JSON.stringify({ m: { inputPerMillion: 1, outputPerMillion: 10 } }));
});
after(() => rm(directory, { recursive: true, force: true }));

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function start(
  words: string[],
): Promise<{ child: Child; base: string; token: string; output: () => { stdout: string; stderr: string } }> {
  const child: Child = spawn(process.execPath, [MAIN, 'gateway', ...words], {
    env: inheritedEnvironment({ ...NO_KEYS, ASSAY_MODEL_KEY: KEY }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
    const found = /openai-chat: (http:\/\/127\.0\.0\.1:\d+\/v1)\n[^]*token: (\S+)\n/.exec(stderr);
    if (found !== null) resolve(found);
  });
  child.once('exit', () => reject(new Error(stderr)));
  const [, base = '', token = ''] = await promise;
  return { child, base, token, output: () => ({ stdout, stderr }) };
}

test('serves with the token, keeps the key, stops at the budget, records, and says at Ctrl-C what was used', async () => {
  const model = await useFakeModelServer(['an answer']);
  const { child, base, token, output } = await start([
    '--endpoint',
    `${model.origin}/v1`,
    '--model',
    'm',
    '--max-usd',
    '0.000001',
    '--prices',
    file('prices.json'),
    '--record',
    file('record.jsonl'),
    '--json',
  ]);
  const ask = (bearer: string): Promise<Response> =>
    fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
    });
  assert.equal((await ask(KEY)).status, 400);
  const answer = await ask(token);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /an answer/);
  assert.equal(model.requests[0]?.headers.authorization, `Bearer ${KEY}`);
  assert.equal((await ask(token)).status, 402);
  const ended = once(child, 'close');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  const { stdout, stderr } = output();
  const document = JSON.parse(stdout) as { usage: { answered: number; usd: number }; stop: { kind: string } };
  assert.deepEqual([document.usage.answered, document.stop.kind, document.usage.usd > 0], [1, 'budget', true]);
  assert.match(stderr, /stopped \(budget\): the budget of 0\.000001 US dollars is spent/);
  const record = await readFile(file('record.jsonl'), 'utf8');
  assert.deepEqual(
    record
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
    ['refused', 'answered', 'budget'],
  );
  assert.ok(![stdout, stderr, record].some((text) => text.includes(KEY)));
  await assert.rejects(fetch(base));
});

test('says the usage in words', async () => {
  const model = await useFakeModelServer(['an answer']);
  const { child, output } = await start(['--endpoint', `${model.origin}/v1`, '--model', 'm']);
  const ended = once(child, 'close');
  child.kill('SIGINT');
  await ended;
  assert.match(
    output().stdout,
    /^0 requests, 0 answered, 0 refused, 0 tried again\n0 tokens in \(0 cached\), 0 out\n$/,
  );
});

describe('refuses in one line, and leaves nothing', () => {
  const gateway = (words: string[], env: Record<string, string> = {}): Promise<Ended> =>
    assay(['gateway', ...words], { cwd: directory, env: { ...NO_KEYS, ...env } });
  const some = ['--endpoint', 'http://127.0.0.1:1/v1', '--model', 'm'];
  const table: [string, string[], RegExp, Record<string, string>?][] = [
    ['no model', ['--endpoint', 'http://127.0.0.1:1/v1'], /--model/],
    [
      'an endpoint with credentials',
      ['--endpoint', `http://user:${KEY}@127.0.0.1:1/`, '--model', 'm'],
      /an address holds no credentials/,
    ],
    ['an endpoint that is none', ['--endpoint', 'ftp://x', '--model', 'm'], /Give an http or https URL/],
    ['nobody there', some, /--endpoint: http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/],
    [
      'no key',
      ['--endpoint', 'http://192.0.2.1/v1', '--model', 'm'],
      /ASSAY_MODEL_KEY: there is no key for http:\/\/192\.0\.2\.1: .*OPENAI_API_KEY/,
    ],
    ['a key that is none', some, /ASSAY_MODEL_KEY: it holds characters/, { ASSAY_MODEL_KEY: `${KEY}\nx` }],
    ['an unknown dialect', [...some, '--dialect', 'latin'], /no dialect is called latin\. There are: openai-chat/],
    ['an amount that is none', [...some, '--max-usd', 'much'], /--max-usd: give an amount/],
    ['prices that are none', [...some, '--prices', 'missing.json'], /--prices: missing\.json: it cannot be read/],
  ];
  for (const [name, words, pattern, env] of table) {
    test(name, async () => {
      const ended = await gateway([...words, '--record', 'left.jsonl'], env);
      assertRefused(ended, pattern);
      assert.ok(!ended.stderr.includes(KEY));
      await assert.rejects(access(file('left.jsonl')));
    });
  }
  test('money without a price, a record that exists, a port that is taken', async () => {
    const model = await useFakeModelServer(['never']);
    const there = ['--endpoint', `${model.origin}/v1`, '--model', 'other'];
    assertRefused(
      await gateway([...there, '--max-usd', '1', '--prices', file('prices.json'), '--record', 'left.jsonl']),
      /there is no price for other/,
    );
    assertRefused(await gateway([...there, '--record', 'prices.json']), /--record: prices\.json exists already/);
    assertRefused(
      await gateway([...there, '--port', new URL(model.origin).port, '--record', 'left.jsonl']),
      /--port: .* cannot be listened on/,
    );
    await assert.rejects(access(file('left.jsonl')));
    assert.equal(model.requests.length, 0);
  });
});
