import assert from 'node:assert/strict';
import https from 'node:https';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_CERTIFICATE } from '@assay/testkit';
import { SMALL_QUESTION } from './dialects/small-question.ts';
import { assertInfrastructure, laneTo, cleanups } from './lane-to.fixture.ts';
import {
  answerChat,
  ASK,
  chatAnswer,
  KEY,
  openLane,
  portOf,
  ScriptedUpstream,
  sse,
  type Script,
} from './testing/scripted-upstream.ts';

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
