import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startFakeModel, useFakeModel } from '@assay/testkit';
import { ask, DIALECT_CLIENTS, post, readEvents, type Turn } from './dialect-clients.fixture.ts';
import { FAKE_DIALECTS } from './dialects/index.ts';
import { field } from './json-access.ts';
import type { ScriptEntryInput } from './script.ts';
import type { FakeModelService } from './serve-fake-model.ts';

const DIALECTS = FAKE_DIALECTS.map(({ name }) => name);
const USER: Turn = { user: 'do it' };
const SAY = { say: 'a text of several events', chunk: 4 };
/** A fault for everybody but who asks for this model. */
const withFault = (entry: ScriptEntryInput): Promise<FakeModelService> =>
  useFakeModel({ script: { turns: [entry, { say: 'fine' }, { when: { contains: 'are you there' }, say: 'yes' }] } });
/** That something is still pending after the server has answered somebody else. */
async function assertPending(pending: Promise<unknown>, { endpoints }: FakeModelService): Promise<void> {
  const other = ask(endpoints, 'openai-chat', [{ user: 'are you there' }], { streams: false }).then(({ text }) => text);
  assert.equal(await Promise.race([pending.then(() => 'answered'), other]), 'yes');
}
async function bytesOf(response: Response): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { text: Buffer.concat(chunks).toString('utf8'), isWhole: true };
  } catch {
    return { text: Buffer.concat(chunks).toString('utf8'), isWhole: false };
  }
}

test('status: headers and body as given, then the turn', async () => {
  const { endpoints } = await withFault({
    fault: 'status',
    status: 429,
    headers: { 'retry-after': '3600' },
    body: 'slow down',
  });
  const response = await post(endpoints, 'openai-chat', [USER], { streams: true });
  assert.deepEqual(
    [response.status, response.headers.get('retry-after'), await response.text()],
    [429, '3600', 'slow down'],
  );
  assert.equal((await ask(endpoints, 'openai-chat', [USER], { streams: true })).text, 'fine');
});

describe('reset', () => {
  test('before a byte', async () => {
    const { endpoints } = await withFault({ fault: 'reset' });
    await assert.rejects(post(endpoints, 'openai-chat', [USER], { streams: true }));
    assert.equal((await ask(endpoints, 'openai-chat', [USER], { streams: true })).text, 'fine');
  });

  for (const dialect of DIALECTS) {
    test(`after some events of ${dialect}`, async () => {
      const { endpoints } = await withFault({ ...SAY, fault: 'reset', afterEvents: 3, paceMs: 1 });
      const response = await post(endpoints, dialect, [USER], { streams: true });
      assert.equal(response.status, 200);
      assert.equal((await bytesOf(response)).isWhole, false);
    });
  }
});

describe('cut', () => {
  for (const streams of [true, false]) {
    test(`${streams ? 'a stream' : 'a whole answer'} ends too early`, async () => {
      const { endpoints } = await withFault({ ...SAY, fault: 'cut' });
      const { isWhole } = await bytesOf(await post(endpoints, 'anthropic-messages', [USER], { streams }));
      assert.equal(isWhole, false);
    });
  }

  test('clean: as if it were whole', async () => {
    const { endpoints } = await withFault({ ...SAY, fault: 'cut', afterEvents: 4, clean: true });
    const { text, isWhole } = await bytesOf(await post(endpoints, 'anthropic-messages', [USER], { streams: true }));
    assert.ok(isWhole);
    assert.deepEqual(
      readEvents(text).map(({ event }) => event),
      ['message_start', 'ping', 'content_block_start', 'content_block_delta'],
    );
    const whole = await withFault({ ...SAY, fault: 'cut', clean: true });
    await assert.rejects(
      (await post(whole.endpoints, 'anthropic-messages', [USER], { streams: false })).json(),
      SyntaxError,
    );
  });
});

describe('silent', () => {
  test('from the start, until the server is closed', async () => {
    const model = await startFakeModel({
      script: { turns: [{ fault: 'silent' }, { when: { contains: 'are you there' }, say: 'yes' }] },
    });
    const pending = post(model.endpoints, 'openai-chat', [USER], { streams: true }).catch(() => 'closed');
    await assertPending(pending, model);
    await model.close();
    assert.equal(await pending, 'closed');
    await model.close();
  });

  test('after some events, each of which came on its own', async () => {
    const model = await withFault({ ...SAY, fault: 'silent', after: 3 });
    const response = await post(model.endpoints, 'openai-chat', [USER], { streams: true });
    const reader = response.body?.getReader();
    assert.ok(reader);
    let text = '';
    while (text.split('\n\n').length < 4) text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
    assert.equal(readEvents(text).length, 3);
    await assertPending(reader.read(), model);
    await reader.cancel();
  });

  test('after the head', async () => {
    const model = await withFault({ fault: 'silent', after: 0 });
    const response = await post(model.endpoints, 'gemini', [USER], { streams: true });
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    await assertPending(bytesOf(response), model);
  });
});

describe('malformed', () => {
  for (const dialect of DIALECTS) {
    test(`${dialect}: no JSON in an event, no UTF-8, a page of a captive portal`, async () => {
      for (const how of ['json', 'bytes', 'html'] as const) {
        const { endpoints } = await withFault({ ...SAY, fault: 'malformed', how });
        const response = await post(endpoints, dialect, [USER], { streams: true });
        assert.equal(response.status, 200);
        if (how === 'html') assert.equal(response.headers.get('content-type'), 'text/html');
        const bytes = Buffer.from(await response.arrayBuffer());
        if (how === 'bytes') assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        assert.throws(() => readEvents(bytes.toString('utf8')));
      }
    });
  }
});

describe('endless', () => {
  for (const lines of [true, false]) {
    test(lines ? 'events' : 'one line', async () => {
      const { endpoints } = await withFault({ ...SAY, fault: 'endless', lines });
      const response = await post(endpoints, 'openai-responses', [USER], { streams: true });
      let size = 0;
      let breaks = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        breaks += chunk.filter((byte: number) => byte === 10).length;
        if (size > 4 << 20) break;
      }
      assert.equal(breaks > 1000, lines);
      assert.equal((await ask(endpoints, 'openai-responses', [USER], { streams: true })).text, 'fine');
    });
  }
});

test('huge-header: more than a client takes', async () => {
  const { endpoints } = await withFault({ fault: 'huge-header', bytes: 200_000 });
  await assert.rejects(post(endpoints, 'openai-chat', [USER], { streams: true }));
  const again = await withFault({ fault: 'huge-header', bytes: 200_000 });
  const response = await raw(again, 1 << 20);
  assert.equal(response.headers['x-filler']?.length, 200_000);
  response.destroy();
});

test('gzip-bomb: little to send, much to hold', async () => {
  const response = await raw(await withFault({ fault: 'gzip-bomb', megabytes: 8 }));
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const packed = Buffer.concat(chunks);
  assert.equal(response.headers['content-encoding'], 'gzip');
  assert.ok(packed.length < 100_000);
  assert.equal(gunzipSync(packed).length, 8 << 20);
});

describe('wrong-length', () => {
  for (const by of [1000, -10]) {
    test(`${by} bytes`, async () => {
      const { endpoints } = await withFault({ ...SAY, fault: 'wrong-length', by });
      const response = await post(endpoints, 'openai-chat', [USER], { streams: false });
      const { text, isWhole } = await bytesOf(response);
      assert.equal(Number(response.headers.get('content-length')) > Buffer.byteLength(text), by > 0);
      assert.equal(isWhole && isJson(text), false);
    });
  }
});

test('redirect', async () => {
  const { endpoints } = await withFault({ fault: 'redirect', location: 'http://127.0.0.1:1/elsewhere', status: 308 });
  const response = await post(endpoints, 'openai-chat', [USER], { streams: true });
  assert.deepEqual([response.status, response.headers.get('location')], [308, 'http://127.0.0.1:1/elsewhere']);
});

describe('error-event', () => {
  for (const dialect of DIALECTS) {
    test(dialect, async () => {
      const { endpoints } = await withFault({ ...SAY, fault: 'error-event', message: 'overloaded' });
      const last = readEvents(await (await post(endpoints, dialect, [USER], { streams: true })).text()).at(-1);
      assert.equal(field(last?.data, 'error', 'message') ?? field(last?.data, 'message'), 'overloaded');
      assert.equal(
        last?.event,
        dialect.startsWith('openai-r') || dialect.startsWith('anthropic') ? 'error' : undefined,
      );
    });
  }
});

describe('answers delivered oddly', () => {
  test('gzip is what was asked for, compressed', async () => {
    for (const streams of [true, false]) {
      const { endpoints } = await useFakeModel({ script: { turns: [{ ...SAY, style: 'gzip' }] } });
      assert.equal((await ask(endpoints, 'anthropic-messages', [USER], { streams })).text, SAY.say);
      assert.equal(
        (await post(endpoints, 'anthropic-messages', [USER], { streams })).headers.get('content-encoding'),
        'gzip',
      );
    }
  });

  test('json is no stream, whatever was asked for', async () => {
    const { endpoints } = await useFakeModel({ script: { turns: [{ ...SAY, style: 'json' }] } });
    const response = await post(endpoints, 'openai-chat', [USER], { streams: true });
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(DIALECT_CLIENTS['openai-chat'].read(await response.json()).text, SAY.say);
  });

  test('late is late', async () => {
    const model = await withFault({ ...SAY, waitMs: 3_600_000 });
    await assertPending(
      post(model.endpoints, 'openai-chat', [USER], { streams: true }).catch(() => null),
      model,
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Without what `fetch` does to a response. */
function raw({ endpoints }: FakeModelService, maxHeaderSize = 16_384): Promise<IncomingMessage> {
  const client = DIALECT_CLIENTS['openai-chat'];
  return new Promise((resolve, reject) => {
    httpRequest(client.url(endpoints, true), { method: 'POST', maxHeaderSize }, resolve)
      .once('error', reject)
      .end(JSON.stringify(client.body([USER], true)));
  });
}
