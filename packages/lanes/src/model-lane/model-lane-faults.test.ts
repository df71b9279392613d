import assert from 'node:assert/strict';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TEST_CERTIFICATE } from '@assay/testkit';
import type { ModelLanePolicy } from './contract.ts';
import { SMALL_QUESTION } from './dialects/small-question.ts';
import {
  answerChat,
  ASK,
  chatAnswer,
  KEY,
  openLane,
  portOf,
  ScriptedUpstream,
  sse,
  startRawUpstream,
  type OpenLane,
  type Script,
} from './testing/scripted-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function laneTo(
  script: Script,
  policy: Partial<ModelLanePolicy> = {},
): Promise<OpenLane & { upstream: ScriptedUpstream }> {
  const upstream = await ScriptedUpstream.start(script);
  cleanups.push(() => upstream.stop());
  const open = await openLane(upstream.origin, { policy });
  cleanups.push(() => open.lane.close());
  return { ...open, upstream };
}

async function laneToRaw(
  bytes: string | ((write: (text: string) => boolean, end: () => void) => void),
  policy: Partial<ModelLanePolicy> = {},
): Promise<OpenLane> {
  const upstream = await startRawUpstream((socket) => {
    if (typeof bytes === 'string') socket.end(bytes);
    else
      bytes(
        (text) => socket.write(text),
        () => socket.end(),
      );
  });
  cleanups.push(upstream.stop);
  const open = await openLane(upstream.origin, { policy: { attempts: 2, ...policy } });
  cleanups.push(() => open.lane.close());
  return open;
}

/** 400, in words, without anything that makes a client wait or try again; and the lane stays so. */
async function assertInfrastructure(open: OpenLane, detail: RegExp, ask = ASK.chat()): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    const answer = await open.post(...ask);
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('retry-after'), null);
    const text = await answer.text();
    assert.match(text, /lane: the model cannot be asked any more, as its service failed/);
    assert.ok(!text.includes(KEY));
    const entry = await open.settled();
    assert.equal(entry.outcome, 'infrastructure');
    assert.match(entry.detail ?? '', detail);
  }
  const stop = open.lane.stopReason();
  assert.equal(stop?.kind, 'infrastructure');
  assert.match(stop.detail, detail);
}

describe('what fails before the first byte is absorbed', () => {
  const stream = sse({ choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] });
  const ok: Script = (_call, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  const faults: Record<string, Script> = {
    429: (_call, response) => void response.writeHead(429, { 'retry-after': '0' }).end('{}'),
    500: (_call, response) => void response.writeHead(500).end('oops'),
    529: (_call, response) => void response.writeHead(529).end(),
    reset: (_call, response) => void response.destroy(),
    'an empty stream': (_call, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    'a cut before the first event': (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.destroy();
    },
    'an error as first event': (_call, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'),
    'another error as first event': (_call, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"error":{"code":503,"status":"UNAVAILABLE"}}\n\n'),
  };
  for (const [name, fault] of Object.entries(faults)) {
    test(name, async () => {
      const open = await laneTo((call, response, index) => (index < 2 ? fault : ok)(call, response, index));
      const answer = await open.post(...ASK.chat({ stream: true }));
      assert.deepEqual([answer.status, await answer.text()], [200, stream]);
      const entry = await open.settled();
      assert.deepEqual(
        [entry.outcome, entry.retries.length, open.lane.usage().retries, open.upstream.calls.length],
        ['answered', 2, 2, 3],
      );
      assert.equal(open.upstream.calls[0]?.text, open.upstream.calls[2]?.text);
    });
  }

  test('a plain answer that is cut, or no JSON', async () => {
    const open = await laneTo((_call, response, index) => {
      if (index === 0) response.writeHead(200, { 'content-length': 100 }).write('{"a":', () => response.destroy());
      else response.writeHead(200).end(index === 1 ? '<html>' : chatAnswer());
    });
    assert.equal(await (await open.post(...ASK.chat())).text(), chatAnswer());
    assert.equal((await open.settled()).retries.length, 2);
  });

  test('a connection that the service had closed meanwhile is no fault', async () => {
    const open = await laneTo((_call, response, index) => {
      if (index === 1) response.destroy();
      else answerChat(_call, response, index);
    });
    for (let time = 0; time < 2; time += 1) assert.equal((await open.post(...ASK.chat())).status, 200);
    assert.deepEqual((await open.settled()).retries, []);
  });
});

/** How often the service was asked by the client, and by the lane itself. */
const ownAsked = ({ upstream }: { upstream: ScriptedUpstream }): [number, number] => {
  const own = upstream.calls.filter(({ text }) => text.includes(SMALL_QUESTION)).length;
  return [upstream.calls.length - own, own];
};

describe('what cannot be absorbed is told as 400, and is infrastructure', () => {
  for (const status of [429, 500, 503, 529]) {
    test(`${status} for ever`, async () => {
      const open = await laneTo((_call, response) => void response.writeHead(status, { 'retry-after': '0' }).end(KEY), {
        attempts: 3,
      });
      await assertInfrastructure(open, new RegExp(`the service answered ${status}`));
      // Three of the client's request, and the lane's own question.
      assert.deepEqual(ownAsked(open), [3, 5]);
    });
  }
  for (const status of [301, 302, 307, 308]) {
    test(`${status} is not followed`, async () => {
      const elsewhere = await ScriptedUpstream.start(answerChat);
      cleanups.push(() => elsewhere.stop());
      const open = await laneTo(
        (_call, response) =>
          void response.writeHead(status, { location: `${elsewhere.origin}/v1/chat/completions` }).end(),
      );
      await assertInfrastructure(open, /redirects are not followed/);
      assert.deepEqual([elsewhere.connections, ...ownAsked(open)], [0, 1, 1]);
    });
  }
  for (const status of [401, 402, 403, 404]) {
    test(`${status} is about the key or the address, and is not shown`, async () => {
      const open = await laneTo(
        (_call, response) => void response.writeHead(status).end(`{"error":{"message":"bad key ${KEY}"}}`),
      );
      await assertInfrastructure(open, new RegExp(`the service answered ${status}`), ASK.messages());
      assert.deepEqual(ownAsked(open), [1, 1]);
    });
  }
  test('a spent quota is not asked for again', async () => {
    const open = await laneTo(
      (_call, response) => void response.writeHead(429).end('{"error":{"code":"insufficient_quota"}}'),
    );
    await assertInfrastructure(open, /quota/);
    assert.deepEqual(ownAsked(open), [1, 1]);
  });
  test('nobody listens', async () => {
    const upstream = await ScriptedUpstream.start(answerChat);
    const { origin } = upstream;
    await upstream.stop();
    const open = await openLane(origin, { policy: { attempts: 2 } });
    cleanups.push(() => open.lane.close());
    await assertInfrastructure(open, /ECONNREFUSED/);
  });
  test('a certificate that is not trusted: nothing is sent', async () => {
    let asked = 0;
    const server = https.createServer(TEST_CERTIFICATE, (_request, response) => {
      asked += 1;
      response.end(chatAnswer());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const open = await openLane(`https://127.0.0.1:${portOf(server)}`);
    cleanups.push(() => open.lane.close());
    await assertInfrastructure(open, /SELF_SIGNED_CERT|CERT/);
    assert.equal(asked, 0);
  });
  test('waits have an end, however long the service wants', async () => {
    const open = await laneTo((_call, response) => void response.writeHead(429, { 'retry-after': '3600' }).end(), {
      retryAfterMs: 30,
      absorbMs: 200,
      attempts: 1000,
    });
    await assertInfrastructure(open, /429/);
    assert.ok(open.entries.every(({ retries }) => retries.every(({ waitMs }) => waitMs <= 200)));
  });
  test('plain JSON where a stream was asked for: a client may ask for it without end', async () => {
    await assertInfrastructure(await laneTo(answerChat), /something else/, ASK.chat({ stream: true }));
  });
});

describe('a hostile service costs bounded memory and one trial', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';

  test('it answers nothing', async () => {
    await assertInfrastructure(
      await laneToRaw(() => {}, { firstByteMs: 30 }),
      /no answer within/,
      ASK.chat({ stream: true }),
    );
    await assertInfrastructure(
      await laneToRaw((write) => write(`${head}\r\n`), { firstByteMs: 30 }),
      /no answer within/,
      ASK.chat({ stream: true }),
    );
    await assertInfrastructure(
      await laneToRaw((write) => write('HTTP/1.1 200 OK\r\n\r\n{'), { answerMs: 30 }),
      /no answer within/,
    );
  });

  test('huge headers, endless headers, no HTTP', async () => {
    await assertInfrastructure(await laneToRaw(`${head}X: ${'x'.repeat(100_000)}\r\n\r\n`), /HPE_HEADER_OVERFLOW/);
    await assertInfrastructure(await laneToRaw('SSH-2.0-OpenSSH\r\n'), /HPE_/);
    await assertInfrastructure(
      await laneToRaw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      /HPE_/,
    );
    await assertInfrastructure(
      await laneToRaw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      /protocol|101/,
    );
  });

  test('a compressed bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const open = await laneTo(
      (_call, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(bomb),
    );
    await assertInfrastructure(open, /compresses/, ASK.chat({ stream: true }));
  });

  test('a wrong length', async () => {
    await assertInfrastructure(
      await laneToRaw('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}'),
      /ECONNRESET|aborted/,
    );
    const open = await laneToRaw(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}${head}\r\ndata: evil\n\n`);
    assert.equal(await (await open.post(...ASK.chat())).text(), '{}');
  });

  test('an endless answer, plain and as a stream, ends at its limit', async () => {
    const flood: Script = (call, response) => {
      response.writeHead(200, {
        'content-type': call.body['stream'] === true ? 'text/event-stream' : 'application/json',
      });
      const piece = 'x'.repeat(65_536);
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', pour);
      pour();
    };
    const open = await laneTo(flood, { responseBytes: 3_000_000, recordedBytes: 1000 });
    const answer = await open.post(...ASK.chat({ stream: true }));
    await assert.rejects(answer.text());
    const entry = await open.settled();
    assert.equal(entry.outcome, 'infrastructure');
    assert.match(entry.detail ?? '', /longer than 3000000 bytes/);
    assert.deepEqual([entry.response?.text.length, entry.response?.truncated], [1000, true]);
    assert.ok((entry.response?.bytes ?? 0) <= 3_000_000);
    await assertInfrastructure(open, /larger than/);
  });

  test('silence and a slow drip within a stream end it', async () => {
    const drip: Script = async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed) {
        response.write('data: {}\n\n');
        await sleep(5);
      }
    };
    const dripping = await laneTo(drip, { totalMs: 60 });
    await assert.rejects((await dripping.post(...ASK.chat({ stream: true }))).text());
    assert.match((await dripping.settled()).detail ?? '', /longer than 60 ms/);
    const silent = await laneTo(
      (_call, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n'),
      { idleMs: 30 },
    );
    await assert.rejects((await silent.post(...ASK.chat({ stream: true }))).text());
    assert.match((await silent.settled()).detail ?? '', /silent for 30 ms/);
    assert.equal(silent.lane.stopReason(), null);
  });

  test('malformed events pass, are counted, and keep the meter alive', async () => {
    const text = `data: {broken\n\ndata: [1]\n\n: comment\r\n\0\xff\ndata: {"usage":{"prompt_tokens":-5,"completion_tokens":1e300}}\n\ndata: {"usage":{"prompt_tokens":"9"}}\n\ndata: ${'{"a":'.repeat(30_000)}\n\ndata: {"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":2}}`;
    const open = await laneTo(
      (_call, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text, 'latin1'),
    );
    const answer = Buffer.from(await (await open.post(...ASK.chat({ stream: true }))).arrayBuffer());
    assert.ok(answer.equals(Buffer.from(text, 'latin1')));
    const { usage, response, outcome } = await open.settled();
    assert.deepEqual(
      [outcome, response?.malformedEvents, usage?.inputTokens, usage?.outputTokens],
      ['answered', 3, 4, 2],
    );
  });

  test('streams that break again and again stop the lane; one good stream forgives', async () => {
    const broken: Script = (_call, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('data: {}\n\n', () => setTimeout(() => response.destroy(), 5));
    const fine: Script = (_call, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n');
    const open = await laneTo((call, response, index) => (index === 2 ? fine : broken)(call, response, index), {
      brokenStreams: 3,
    });
    for (let time = 0; time < 6; time += 1) {
      assert.equal(open.lane.stopReason(), null);
      await (await open.post(...ASK.chat({ stream: true }))).text().catch(() => '');
      await open.settled();
    }
    assert.equal(open.lane.stopReason()?.kind, 'infrastructure');
    assert.equal((await open.post(...ASK.chat())).status, 400);
    assert.equal(open.lane.usage().broken, 5);
  });

  test('the key does not come back, whole or in pieces', async () => {
    const half = KEY.length / 2;
    const streams: Script = async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"choices":[{"delta":{"content":"safe ${KEY.slice(0, half)}`);
      await sleep(10);
      response.end(`${KEY.slice(half)}"}}]}\n\n`);
    };
    const open = await laneTo(streams);
    let seen = '';
    const answer = await open.post(...ASK.chat({ stream: true }));
    const decoder = new TextDecoder();
    await assert.rejects(async () => {
      for await (const chunk of answer.body ?? []) seen += decoder.decode(chunk);
    });
    assert.ok(seen.endsWith('safe ') || seen === '', seen);
    assert.match((await open.settled()).detail ?? '', /holds the key/);
    assert.ok(!JSON.stringify(open.entries).includes(KEY.slice(0, half)));
    const refusing = await laneTo(
      (_call, response) => void response.writeHead(400).end(`{"error":{"message":"no ${KEY}"}}`),
    );
    assert.ok(!(await (await refusing.post(...ASK.chat())).text()).includes(KEY));
    const whole = await laneTo((_call, response) => void response.writeHead(200).end(`{"a":"${KEY}"}`));
    await assertInfrastructure(whole, /holds the key/);
    assert.ok(![open, refusing, whole].some(({ entries }) => JSON.stringify(entries).includes(KEY)));
  });

  test('what only begins like the key arrives', async () => {
    const text = `data: {"a":"${KEY.slice(0, -1)}"}\n\ndata: ${KEY.slice(0, 20)}`;
    const open = await laneTo(async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const letter of text) response.write(letter);
      response.end();
    });
    assert.equal(await (await open.post(...ASK.chat({ stream: true }))).text(), text);
  });
});

test('a client that leaves before the answer pays for the question', async () => {
  const leave = new AbortController();
  const open = await laneTo(() => leave.abort());
  await assert.rejects(
    fetch(`${open.origin}/v1/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${open.lane.token}` },
      body: JSON.stringify(ASK.chat({ stop: 'x'.repeat(4000) })[1]),
    }),
  );
  while (open.entries.length === 0) await sleep(1);
  assert.equal(open.entries[0]?.outcome, 'client-gone');
  assert.ok(open.lane.usage().inputTokens > 1000);
});

test('a client that leaves ends the request upstream', async () => {
  const ended = Promise.withResolvers<void>();
  const open = await laneTo((_call, response) => {
    response.on('close', ended.resolve);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
  });
  const leave = new AbortController();
  const answer = await fetch(`${open.origin}/v1/chat/completions`, {
    method: 'POST',
    signal: leave.signal,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${open.lane.token}` },
    body: JSON.stringify(ASK.chat({ stream: true })[1]),
  });
  assert.equal(answer.status, 200);
  leave.abort();
  await ended.promise;
  while (open.entries.length === 0) await sleep(1);
  assert.equal(open.entries[0]?.outcome, 'client-gone');
  assert.ok(open.entries[0].usage?.estimated);
});
