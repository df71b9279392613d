import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { chooseProvider, type Sandbox } from '@assay/sandbox';
import type { ModelLane, ModelLaneEntry } from './contract.ts';
import { openModelLane } from './model-lane.ts';
import { answerChat, ASK, KEY, portOf, ScriptedUpstream, sse } from './testing/scripted-upstream.ts';

const PORT = 7001;

/** Sends bytes to the lane from inside, and prints what comes back until the connection ends or falls silent. */
const SEND = `
import socket, sys
s = socket.create_connection(('127.0.0.1', ${PORT}))
s.settimeout(3)
try:
    s.sendall(sys.stdin.buffer.read())
    while True:
        piece = s.recv(65536)
        if not piece: break
        sys.stdout.write(piece.decode('latin1'))
        if b'--end--' in piece: break
except (socket.timeout, ConnectionError, BrokenPipeError) as error:
    sys.stdout.write('[' + type(error).__name__ + ']')
`;

describe('from inside a sandbox that has loopback and the lane', () => {
  let upstream: ScriptedUpstream;
  let lane: ModelLane;
  let sandbox: Sandbox;
  /** Listens on the host; nothing may reach it. */
  let sentinel: net.Server;
  let reached = 0;
  const entries: ModelLaneEntry[] = [];

  before(async () => {
    upstream = await ScriptedUpstream.start(answerChat);
    sentinel = net.createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => sentinel.listen(0, '127.0.0.1', resolve));
    lane = await openModelLane({
      upstream: { endpoint: upstream.origin, dialect: ['openai-chat', 'anthropic-messages'], apiKey: KEY },
      models: ['m-1'],
      record: (entry) => entries.push(entry),
      policy: { requestBytes: 1_000_000 },
    });
    const provider = await chooseProvider('bubblewrap');
    sandbox = await provider.create({
      network: { kind: 'lanes', lanes: [{ port: PORT, socket: lane.socket ?? '' }] },
      env: { LANE_TOKEN: lane.token },
    });
    await sandbox.writeFile('/workspace/send.py', SEND);
  });
  after(async () => {
    await sandbox.destroy();
    await lane.close();
    await upstream.stop();
    await new Promise((resolve) => sentinel.close(resolve));
  });

  const send = async (bytes: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await sandbox.exec('', {
      argv: ['python3', '/workspace/send.py'],
      stdin: Buffer.from(bytes, 'latin1'),
    });
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const statuses = (answer: string): string[] =>
    [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => match[1] ?? '');
  const body = JSON.stringify(ASK.chat()[1]);
  const authorised = (): string => `Authorization: Bearer ${lane.token}\r\nContent-Type: application/json\r\n`;
  const good = (host = 'lane', more = 'Connection: close\r\n'): string =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\n${authorised()}${more}Content-Length: ${body.length}\r\n\r\n${body}`;

  test('control: the token that the agent has asks the model, and a stream arrives', async () => {
    assert.deepEqual(statuses(await send(good())), ['200']);
    upstream.script = (_call, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sse({ a: '--end--' }));
    const streaming = JSON.stringify(ASK.chat({ stream: true })[1]);
    const answer = await send(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${authorised()}Content-Length: ${streaming.length}\r\n\r\n${streaming}`,
    );
    assert.match(answer, /"--end--"/);
    upstream.script = answerChat;
    assert.equal(upstream.calls.length, 2);
  });

  test('control: the sentinel counts who reaches it', async () => {
    await new Promise((resolve) => net.connect(portOf(sentinel), '127.0.0.1').on('close', resolve).resume());
    assert.equal(reached, 1);
    reached = 0;
  });

  test('the host is not read: whatever it says, the one service is asked', async () => {
    const target = `127.0.0.1:${portOf(sentinel)}`;
    for (const host of [target, 'evil.invalid', '[::ffff:a9fe:a9fe]', '2130706433', 'a@b'])
      assert.deepEqual(statuses(await send(good(host))), ['200'], host);
    assert.equal(upstream.calls.at(-1)?.headers.host, new URL(upstream.origin).host);
  });

  test('the key is nowhere inside', async () => {
    const { stdout } = await sandbox.exec(
      'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; ls -R /run /opt/assay /tmp',
    );
    assert.ok(stdout.includes(lane.token) && !stdout.includes(KEY));
  });

  const hop = (): string => `127.0.0.1:${portOf(sentinel)}`;
  const bank: Record<string, { bytes: () => string; expected: RegExp }> = {
    'CONNECT to the service': {
      bytes: () => `CONNECT ${new URL(upstream.origin).host} HTTP/1.1\r\nHost: x\r\n${authorised()}\r\n${good()}`,
      expected: /^404$/,
    },
    'CONNECT to port 22': {
      bytes: () => 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n',
      expected: /^404$/,
    },
    'CONNECT to the gateway': {
      bytes: () => `CONNECT ${hop()} HTTP/1.1\r\nHost: ${hop()}\r\n\r\n\x16\x03\x01`,
      expected: /^404$/,
    },
    'a TLS ClientHello': { bytes: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', expected: /^400$/ },
    'absolute form': {
      bytes: () => `GET http://${hop()}/ HTTP/1.1\r\nHost: ${hop()}\r\nConnection: close\r\n\r\n`,
      expected: /^404$/,
    },
    'absolute form of a good path': {
      bytes: () => good().replace('POST /v1', `POST http://${hop()}/v1`),
      expected: /^404$/,
    },
    'userinfo in the target': {
      bytes: () => good().replace('POST /v1', `POST http://lane@${hop()}/v1`),
      expected: /^404$/,
    },
    'an encoded NUL in the target': {
      bytes: () => good().replace('/completions', '/completions%00.evil'),
      expected: /^404$/,
    },
    'NUL in the target': { bytes: () => good().replace('/completions', '/completions\0'), expected: /^400$/ },
    'NUL in a header': { bytes: () => good('la\0ne'), expected: /^400$/ },
    'a decimal address': {
      bytes: () => 'GET http://2130706433/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      expected: /^404$/,
    },
    'Upgrade: websocket': {
      bytes: () =>
        `GET /v1/responses HTTP/1.1\r\nHost: x\r\n${authorised()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
      expected: /^404$/,
    },
    'Upgrade of a good request': {
      bytes: () => good('x', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'),
      expected: /^404$/,
    },
    'HTTP/2 in clear': { bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expected: /^400$/ },
    SOCKS5: { bytes: () => '\x05\x01\x00', expected: /^400$/ },
    'Content-Length and Transfer-Encoding': {
      bytes: () => good('x', 'Transfer-Encoding: chunked\r\n'),
      expected: /^400$/,
    },
    'two lengths': { bytes: () => good('x', 'Content-Length: 4\r\n'), expected: /^400$/ },
    'an obscured Transfer-Encoding': { bytes: () => good('x', 'Transfer-Encoding: xchunked\r\n'), expected: /^400$/ },
    'a folded header': { bytes: () => good('x', 'X-A: b\r\n Transfer-Encoding: chunked\r\n\0'), expected: /^400$/ },
    'a bare line feed in the chunks': {
      bytes: () =>
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${authorised()}Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n${good(hop())}`,
      expected: /^400$/,
    },
    'a white space before the colon': {
      bytes: () => good().replace('Content-Length:', 'Content-Length :'),
      expected: /^400$/,
    },
    'huge headers': { bytes: () => good('x', `X-A: ${'a'.repeat(40_000)}\r\n`), expected: /^(400|431)$/ },
    'many headers': { bytes: () => good('x', 'X: y\r\n'.repeat(500)), expected: /^400$/ },
    'an oversized body': {
      bytes: () =>
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${authorised()}Content-Length: 2000000\r\n\r\n${' '.repeat(1_100_000)}`,
      expected: /^400$/,
    },
    'a compressed body': {
      bytes: () => good('x', 'Content-Encoding: gzip\r\nConnection: close\r\n'),
      expected: /^400$/,
    },
    'a body that is no JSON by its type': {
      bytes: () => good().replace('application/json', 'text/plain'),
      expected: /^400$/,
    },
    'no token': { bytes: () => good().replace(lane.token, ''), expected: /^400$/ },
    'another path behind a refused one': {
      bytes: () => `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${good()}`,
      expected: /^404$/,
    },
  };
  for (const [name, { bytes, expected }] of Object.entries(bank)) {
    test(`${name} is refused, and the service hears nothing`, async () => {
      const { connections, calls } = upstream;
      const before = [connections, calls.length, reached];
      const answer = await send(bytes());
      const [status = '', ...others] = statuses(answer);
      assert.match(status, expected, answer);
      assert.deepEqual(others, [], answer);
      assert.deepEqual([upstream.connections, upstream.calls.length, reached], before);
      assert.ok(!answer.includes(KEY));
    });
  }

  test('a pipelined second request is not answered, to whatever host', async () => {
    const before = upstream.calls.length;
    upstream.script = (_call, response, index) => void setTimeout(() => void answerChat(_call, response, index), 50);
    const answer = await send(`${good('x', '')}${good(hop())}`);
    upstream.script = answerChat;
    assert.ok(statuses(answer).length <= 1, answer);
    assert.ok(upstream.calls.length - before <= 1);
    assert.equal(reached, 0);
  });

  test('every refusal is on record', () => {
    const refused = entries.filter(({ outcome }) => outcome === 'refused');
    assert.ok(refused.length >= Object.keys(bank).length);
    assert.ok(refused.some(({ method, detail }) => method === 'CONNECT' && detail === 'a tunnel'));
    assert.ok(refused.some(({ detail }) => detail?.startsWith('no request (HPE_')));
    assert.ok(!JSON.stringify(entries).includes(KEY));
  });

  test('a stolen token is worth nothing in another sandbox, with a lane or without', async () => {
    const provider = await chooseProvider('bubblewrap');
    const other = await openModelLane({
      upstream: { endpoint: upstream.origin, dialect: 'openai-chat', apiKey: KEY },
      models: ['m-1'],
      record: () => {},
    });
    const calls = upstream.calls.length;
    const sandboxes = await Promise.all([
      provider.create({ network: { kind: 'lanes', lanes: [{ port: PORT, socket: other.socket ?? '' }] } }),
      provider.create({ network: { kind: 'none' } }),
    ]);
    try {
      const answers: string[] = [];
      for (const elsewhere of sandboxes) {
        await elsewhere.writeFile('/workspace/send.py', SEND);
        const { stdout, stderr } = await elsewhere.exec('', { argv: ['python3', '/workspace/send.py'], stdin: good() });
        answers.push(stdout + stderr);
      }
      assert.deepEqual(statuses(answers[0] ?? ''), ['400']);
      assert.match(answers[1] ?? '', /ConnectionRefusedError/);
      assert.equal(upstream.calls.length, calls);
    } finally {
      await Promise.all(sandboxes.map((elsewhere) => elsewhere.destroy()));
      await other.close();
    }
  });

  test('there is no other way out, and after the trial the token is worth nothing', async () => {
    const { stdout } = await sandbox.exec(`python3 - <<'END'
import socket
for family, address in ((socket.AF_INET, ('127.0.0.1', ${portOf(sentinel)})), (socket.AF_INET, ('192.0.2.1', 80)), (socket.AF_INET6, ('::1', ${portOf(sentinel)}))):
    try:
        s = socket.socket(family); s.settimeout(2); s.connect(address); print('reached', address)
    except OSError as error: print('no')
END`);
    assert.deepEqual([stdout, reached], ['no\nno\nno\n', 0]);
    lane.revoke();
    const calls = upstream.calls.length;
    assert.deepEqual(statuses(await send(good())), ['400']);
    assert.equal(upstream.calls.length, calls);
  });
});
