import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { ModelLaneOptions } from './contract.ts';
import { assertReachable, findModelKey, parseEndpoint } from './endpoint.ts';
import { openModelLane } from './model-lane.ts';
import { readPrices } from './prices.ts';
import { openRecordFile } from './record-file.ts';
import {
  answerChat,
  ASK,
  chatAnswer,
  KEY,
  openLane,
  ScriptedUpstream,
  type OpenLane,
} from './testing/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let directory = '';
const cleanups: (() => Promise<unknown>)[] = [];
before(async () => {
  upstream = await ScriptedUpstream.start(answerChat);
  directory = await mkdtemp(join(tmpdir(), 'assay-model-lane-test-'));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  upstream.script = answerChat;
});
after(async () => {
  await upstream.stop();
  await rm(directory, { recursive: true, force: true });
});

async function laneWith(options: Partial<ModelLaneOptions>): Promise<OpenLane> {
  const open = await openLane(upstream.origin, options);
  cleanups.push(() => open.lane.close());
  return open;
}
const prices = {
  'm-1': { inputPerMillion: 1000, outputPerMillion: 10_000, cachedInputPerMillion: 100 },
  'm-2': { inputPerMillion: 0, outputPerMillion: 0 },
};
const userError =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    AssayError.is(error) &&
    error.kind === 'user' &&
    pattern.test(error.message) &&
    !error.message.includes('\n') &&
    !error.message.includes(KEY);

describe('a spent budget', () => {
  const budgets: Record<string, Partial<ModelLaneOptions>> = {
    'input tokens': { budgets: { inputTokens: 20 } },
    'output tokens': { budgets: { outputTokens: 10 } },
    tokens: { budgets: { totalTokens: 30 } },
    // 10 in and 5 out cost 0.06.
    'US dollars': { budgets: { usd: 0.12 }, prices },
  };
  for (const [what, options] of Object.entries(budgets)) {
    test(`of ${what} is told with the status that each client takes as its end, and stays spent`, async () => {
      const open = await laneWith(options);
      for (let time = 0; time < 2; time += 1) assert.equal((await open.post(...ASK.chat())).status, 200);
      await open.settled();
      const calls = upstream.calls.length;
      const expected = { chat: 402, responses: 400, messages: 402, gemini: 402 } as const;
      for (const name of ['chat', 'responses', 'messages', 'gemini', 'chat'] as const) {
        const answer = await open.post(...ASK[name]());
        assert.deepEqual([name, answer.status, answer.headers.get('retry-after')], [name, expected[name], null]);
        assert.match(
          ((await answer.json()) as { error: { message: string } }).error.message,
          new RegExp(`^lane: the budget of [\\d.]+ ${what} is spent`),
        );
        assert.equal((await open.settled()).outcome, 'budget');
      }
      assert.equal(open.lane.stopReason()?.kind, 'budget');
      assert.equal(upstream.calls.length, calls);
      const { inputTokens, outputTokens, answered, usd } = open.lane.usage();
      assert.deepEqual([inputTokens, outputTokens, answered], [20, 10, 2]);
      assert.equal(usd?.toFixed(3), options.prices === undefined ? undefined : '0.120');
    });
  }

  test('of requests: the own cap against loops, refused ones included, 400 for all', async () => {
    const open = await laneWith({ budgets: { requests: 3 } });
    for (const ask of [ASK.chat(), ASK.chat({ nonsense: 1 }), ASK.chat()]) await open.post(...ask);
    for (const name of ['chat', 'messages', 'gemini', 'responses'] as const)
      assert.equal((await open.post(...ASK[name]())).status, 400);
    assert.deepEqual(open.lane.stopReason(), { kind: 'requests', detail: 'the limit of 3 requests is reached' });
    const plain = await laneWith({});
    assert.equal(plain.lane.stopReason(), null);
  });

  test('a large request still hears why it is refused', async () => {
    const open = await laneWith({ budgets: { requests: 1 }, policy: { requestBytes: 3_000_000 } });
    const large = ASK.chat({ stop: 'x'.repeat(2_500_000) });
    assert.equal((await open.post(...large)).status, 200);
    for (let time = 0; time < 5; time += 1)
      assert.match(await (await open.post(...large)).text(), /limit of 1 requests/);
    const other = await laneWith({ policy: { requestBytes: 1_600_000 } });
    for (let time = 0; time < 5; time += 1)
      assert.match(await (await other.post(...large)).text(), /larger than 1600000 bytes/);
    for (let time = 0; time < 5; time += 1)
      assert.match(await (await other.post(...large, { authorization: 'Bearer x' })).text(), /token is wrong/);
  });

  test('of time ends what is under way', async () => {
    upstream.script = () => {};
    const waiting = await laneWith({ budgets: { wallMs: 100 } });
    const answer = await waiting.post(...ASK.messages());
    assert.equal(answer.status, 402);
    assert.match(await answer.text(), /the budget of 0.1 s is spent/);
    upstream.script = (_call, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
    const streaming = await laneWith({ budgets: { wallMs: 1500 } });
    await assert.rejects((await streaming.post(...ASK.chat({ stream: true }))).text());
    assert.equal((await streaming.settled()).outcome, 'budget');
    assert.equal((await streaming.post(...ASK.chat())).status, 402);
    assert.equal(streaming.lane.usage().broken, 0);
  });

  test('what is left bounds the next answer', async () => {
    const open = await laneWith({ budgets: { outputTokens: 100, usd: 1 }, prices, policy: { maxOutputTokens: 60 } });
    const limits: unknown[] = [];
    for (let time = 0; time < 3; time += 1) {
      upstream.script = (_call, response) => void response.end(chatAnswer({ prompt_tokens: 0, completion_tokens: 30 }));
      await open.post(...ASK.chat());
      await open.settled();
      limits.push(upstream.calls.at(-1)?.body['max_tokens']);
    }
    assert.deepEqual(limits, [60, 60, 40]);
  });

  test('many requests at once cannot spend what is there once: they wait, and then are told', async () => {
    upstream.script = (call, response) =>
      void setTimeout(
        () => response.end(chatAnswer({ prompt_tokens: 0, completion_tokens: Number(call.body['max_tokens']) })),
        5,
      );
    for (const budgets of [{ outputTokens: 20_000 }, { totalTokens: 20_000 }, { usd: 200 }]) {
      const open = await laneWith({ budgets, prices });
      const answers = await Promise.all(Array.from({ length: 40 }, () => open.post(...ASK.chat({ max_tokens: 8000 }))));
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)].sort(), [200, 402]);
      await open.settled();
      const { outputTokens } = open.lane.usage();
      assert.ok(outputTokens >= 19_000 && outputTokens <= 20_000, `${JSON.stringify(budgets)}: ${outputTokens}`);
    }
  });

  test('a request that waits for the others goes on when they cost less than they might have', async () => {
    upstream.script = (_call, response) =>
      void setTimeout(() => response.end(chatAnswer({ prompt_tokens: 0, completion_tokens: 10 })), 5);
    const open = await laneWith({ budgets: { outputTokens: 10_000 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => open.post(...ASK.chat())));
    assert.ok(answers.every(({ status }) => status === 200));
    await open.settled();
    assert.equal(open.lane.usage().outputTokens, 200);
  });

  test('cached input has its own price', async () => {
    upstream.script = (_call, response) =>
      void response.end(
        chatAnswer({ prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 900 } }),
      );
    const open = await laneWith({ prices });
    await open.post(...ASK.chat());
    assert.equal((await open.settled()).usage?.usd?.toFixed(4), '0.1900');
  });
});

describe('bad input is told before anything starts', () => {
  const open = (options: Partial<ModelLaneOptions>): Promise<unknown> =>
    openModelLane({ upstream: { endpoint: upstream.origin }, models: ['m-1'], record: () => {}, ...options });

  test('endpoints', async () => {
    for (const endpoint of [
      '',
      'x',
      'ftp://x/',
      'file:///etc/passwd',
      '/v1',
      'http://user:secret@host/',
      `https://${KEY}@host/v1`,
      'http://host/v1?key=x',
      'http://host/#x',
      'http://',
    ]) {
      await assert.rejects(open({ upstream: { endpoint } }), userError(/^--endpoint: /), endpoint);
    }
    await assert.rejects(
      assertReachable(new URL('http://127.0.0.1:1/v1')),
      userError(/^--endpoint: http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)$/),
    );
    await assertReachable(new URL(upstream.origin));
  });

  test('keys', () => {
    assert.throws(
      () => findModelKey(['openai-chat'], { ASSAY_MODEL_KEY: 'a\nb-secret' }),
      userError(/^ASSAY_MODEL_KEY: it holds characters/),
    );
    assert.equal(findModelKey(['gemini'], { OPENAI_API_KEY: 'o', GEMINI_API_KEY: ' g ' }), 'g');
    assert.equal(findModelKey(['anthropic-messages'], { ASSAY_MODEL_KEY: 'a', ANTHROPIC_API_KEY: 'b' }), 'a');
    assert.equal(findModelKey(['openai-responses'], { ASSAY_MODEL_KEY: ' ' }), undefined);
  });

  test('models, money without a price, a taken port', async () => {
    await assert.rejects(open({ models: [] }), userError(/^--model: /));
    await assert.rejects(
      open({ budgets: { usd: 1 } }),
      userError(/^--max-usd: there is no price for m-1: give --prices/),
    );
    await assert.rejects(
      open({ models: ['m-1', 'toString'], budgets: { usd: 1 }, prices }),
      userError(/no price for toString/),
    );
    const taken = Number(new URL(upstream.origin).port);
    await assert.rejects(
      open({ listen: { port: taken } }),
      userError(new RegExp(`^--port: 127\\.0\\.0\\.1:${taken} cannot be listened on`)),
    );
  });

  test('price files', async () => {
    const file = join(directory, 'prices.json');
    const bad: [string, RegExp][] = [
      ['{', /no JSON/],
      ['[]', /prices\.json: /],
      ['{"m": {"inputPerMillion": 1}}', /m\.outputPerMillion/],
      ['{"m": {"inputPerMillion": -1, "outputPerMillion": 1}}', /m\.inputPerMillion/],
      ['{"m": {"inputPerMillion": 1, "outputPerMillion": 1, "x": 1}}', /x/],
    ];
    for (const [text, pattern] of bad) {
      await writeFile(file, text);
      await assert.rejects(readPrices(file), userError(pattern));
    }
    await writeFile(file, JSON.stringify(prices));
    assert.deepEqual(await readPrices(file), prices);
    await assert.rejects(readPrices(join(directory, 'missing')), userError(/cannot be read/));
  });
});

describe('the record', () => {
  test('is a new file of lines that its owner alone reads, and holds no key', async () => {
    const file = join(directory, 'record.jsonl');
    const record = openRecordFile(file);
    const open = await laneWith({ record: record.record });
    await open.post(...ASK.chat());
    await open.post(...ASK.chat({ x: KEY }));
    await open.post(
      '/v1/chat/completions',
      JSON.stringify(ASK.chat({ stop: KEY })[1]).replace('sk-the', '\\u0073k-the'),
    );
    await open.post(`/v1/${KEY}`, {});
    await open.lane.close();
    record.close();
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const text = await readFile(file, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string; detail: string | null; path: string });
    assert.deepEqual(
      lines.map(({ outcome }) => outcome),
      ['answered', 'refused', 'refused', 'refused'],
    );
    assert.deepEqual(
      lines.slice(1, 3).map(({ detail }) => detail),
      ['lane: the request holds a secret', 'lane: the request holds a secret'],
    );
    assert.equal(lines[3]?.path, '/v1/[key]');
    assert.ok(!text.includes(KEY) && !text.includes('0123456789abcdef'));
    assert.throws(() => openRecordFile(file), userError(/exists already/));
    assert.throws(() => openRecordFile(join(directory, 'no/such/file')), userError(/ENOENT/));
  });

  test('that cannot be written stops the lane', async () => {
    const open = await laneWith({
      record: () => {
        throw new Error('disk full');
      },
    });
    await open.post(...ASK.chat());
    while (open.lane.stopReason() === null) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(open.lane.stopReason()?.kind, 'record');
    assert.equal((await open.post(...ASK.chat())).status, 400);
  });

  test('has a limit, which is a budget, and a flood without the token cannot fill it', async () => {
    const open = await laneWith({ policy: { recordBytes: 10_000 } });
    for (let time = 0; time < 12; time += 1) await open.post(...ASK.chat());
    assert.deepEqual(open.lane.stopReason(), {
      kind: 'budget',
      detail: 'the budget of 10000 bytes of record is spent',
    });
    const before = open.entries.length;
    assert.ok(before < 15);
    for (let round = 0; round < 22; round += 1)
      await Promise.all(Array.from({ length: 50 }, () => open.send('/x', { method: 'GET' })));
    assert.ok(open.entries.length <= before + 1000);
  });
});

test('a closed lane leaves nothing, and an aborted signal closes it', async () => {
  const controller = new AbortController();
  const lane = await openModelLane({
    upstream: { endpoint: upstream.origin },
    models: ['m-1'],
    record: () => {},
    signal: controller.signal,
  });
  assert.ok(lane.socket !== null && (await stat(lane.socket)).isSocket());
  assert.deepEqual(lane.endpoints('http://127.0.0.1:7001'), {
    'openai-chat': 'http://127.0.0.1:7001/v1',
    'openai-responses': 'http://127.0.0.1:7001/v1',
  });
  controller.abort();
  await lane.close();
  await assert.rejects(stat(lane.socket), { code: 'ENOENT' });
  await assert.rejects(
    openModelLane({
      upstream: { endpoint: upstream.origin },
      models: ['m-1'],
      record: () => {},
      signal: controller.signal,
    }),
    { code: 'INTERRUPTED' },
  );
});

test('addresses of services, by the base that is given', async () => {
  const { LANE_DIALECTS, guessDialects } = await import('./dialects/lane-dialects.ts');
  const table: [keyof typeof LANE_DIALECTS, string, string][] = [
    ['openai-chat', 'http://h', '/v1/chat/completions'],
    ['openai-chat', 'http://h/v1/', '/v1/chat/completions'],
    ['openai-chat', 'http://h/api/v1', '/api/v1/chat/completions'],
    ['openai-chat', 'http://h/v1/chat/completions', '/v1/chat/completions'],
    ['openai-responses', 'http://h/v1', '/v1/responses'],
    ['openai-responses', 'http://h/v1/responses', '/v1/responses'],
    ['anthropic-messages', 'http://h', '/v1/messages'],
    ['anthropic-messages', 'http://h/v1', '/v1/messages'],
    ['anthropic-messages', 'http://h/anthropic', '/anthropic/v1/messages'],
    ['anthropic-messages', 'http://h/a/v1/messages', '/a/v1/messages'],
    ['gemini', 'http://h', '/v1beta/models/m:generateContent'],
    ['gemini', 'http://h/v1beta/', '/v1beta/models/m:generateContent'],
    ['gemini', 'http://h/g/v1', '/g/v1beta/models/m:generateContent'],
  ];
  const targets = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: '/v1beta/models/m:generateContent',
  };
  for (const [name, base, expected] of table)
    assert.equal(LANE_DIALECTS[name].address(parseEndpoint(base), targets[name]).href, `http://h${expected}`, base);
  assert.deepEqual(
    ['http://h/v1', 'http://h/anthropic', 'http://h/v1beta', 'http://h/v1/messages'].map(
      (base) => guessDialects(new URL(base))[0],
    ),
    ['openai-chat', 'anthropic-messages', 'gemini', 'anthropic-messages'],
  );
});
