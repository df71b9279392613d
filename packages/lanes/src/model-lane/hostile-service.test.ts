import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { assertInfrastructure, laneTo, laneToRaw } from './lane-to.fixture.ts';
import { ASK, KEY, type Script } from './testing/scripted-upstream.ts';

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
