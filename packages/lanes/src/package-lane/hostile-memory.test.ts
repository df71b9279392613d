import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { portOf } from '../model-lane/testing/scripted-upstream.ts';

const MIB = 1024 * 1024;
/** Bytes that a service offers: more than a lane may grow by. */
const FLOOD = 1024 * MIB;
/** Most that a lane may grow by. It holds one answer of 64 MiB at most, in a few forms at a time. */
const MAX_GROWTH = 256 * MIB;

const STREAM = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';
const PLAIN = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n';
const FILLER = 'x'.repeat(65_536);
/** First bytes of each answer, and what follows them over and over. */
const FLOODS: Record<string, { head: string | Buffer; more: string; stream: boolean }> = {
  'an endless stream': {
    head: STREAM,
    more: `data: {"choices":[{"delta":{"content":"${FILLER}"}}]}\n\n`,
    stream: true,
  },
  'an endless line': { head: `${STREAM}data: `, more: FILLER, stream: true },
  'an endless answer': { head: PLAIN, more: FILLER, stream: false },
  'an endless header': { head: 'HTTP/1.1 200 OK\r\nX-A: ', more: FILLER, stream: true },
  'endless header lines': {
    head: 'HTTP/1.1 200 OK\r\n',
    more: `X-A: ${'y'.repeat(4096)}\r\n`.repeat(16),
    stream: true,
  },
  'endless empty events': { head: STREAM, more: 'data: \n\n:\n\n'.repeat(4096), stream: true },
  'endless malformed events': { head: STREAM, more: 'data: {"a":[[[[\n\n'.repeat(4096), stream: true },
  'a compressed bomb': {
    head: Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n'),
      gzipSync(Buffer.alloc(FLOOD / 4)),
    ]),
    more: FILLER,
    stream: false,
  },
  'an endless refusal': { head: 'HTTP/1.1 400 Bad Request\r\n\r\n', more: FILLER, stream: false },
  'an endless redirect': { head: 'HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', more: FILLER, stream: false },
};

/**
 * A process that opens a lane for each service, asks it, reads what comes and forgets it, and prints by how many bytes
 * it grew at most. One after the other, so that each is measured alone.
 */
const CHILD = `
import http from 'node:http';
import { openModelLane } from '../model-lane/model-lane.ts';
import { openPackageLane } from './package-lane.ts';
const [cases, cacheDirectory] = [JSON.parse(process.argv[1]), process.argv[2]];
for (const { kind, endpoint, stream } of cases) {
  const lane = kind === 'control' ? null : kind === 'model'
    ? await openModelLane({ upstream: { endpoint, dialect: 'openai-chat', apiKey: 'sk-0123456789abcdef' }, models: ['m'], record: () => {}, policy: { attempts: 1 } })
    : await openPackageLane({ kind: 'pypi', cutoff: new Date(), exclude: [], origin: 'http://127.0.0.1:1', cacheDirectory, upstream: { url: new URL(endpoint), certificates: [] }, limits: { attempts: 1, indexBytes: 64 * 1024 * 1024 } });
  const body = JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'x' }] });
  const options = kind === 'model'
    ? { method: 'POST', path: '/v1/chat/completions', headers: { authorization: 'Bearer ' + lane.token, 'content-type': 'application/json', 'content-length': body.length } }
    : { path: '/simple/demo/' };
  globalThis.gc();
  const before = process.memoryUsage().rss;
  let most = before;
  const look = () => { most = Math.max(most, process.memoryUsage().rss); };
  const timer = setInterval(look, 5);
  const status = await new Promise((resolve) => {
    if (kind === 'control') {
      const kept = [];
      let size = 0;
      http.get(endpoint, (response) => response.on('data', (chunk) => { kept.push(chunk); size += chunk.length; look(); if (size > 400 * 1024 * 1024) response.destroy(); }).on('error', () => {}).on('close', () => resolve(kept.length)));
      return;
    }
    const request = http.request({ socketPath: lane.socket, agent: false, ...options }, (response) => response.on('data', look).on('error', () => {}).on('close', () => resolve(response.statusCode)));
    request.on('error', ({ code }) => resolve(code)).end(kind === 'model' ? body : undefined);
  });
  clearInterval(timer);
  look();
  await lane?.close();
  console.log(JSON.stringify({ growth: most - before, status }));
}
process.exit(0);
`;

/** A client that keeps what it reads, to show that the measure sees it. */
const CONTROL = { kind: 'control', stream: false };

interface Grown {
  growth: number;
  status: number | string;
}
type Flood = (typeof FLOODS)[string] & { name: string; kind: 'model' | 'packages'; sent: number; server: net.Server };

/** Sends without end, once it was asked something. */
function serve(flood: Flood, socket: net.Socket): void {
  socket
    .on('error', () => {})
    .once('data', () => {
      const pour = (): void => {
        while (!socket.destroyed && flood.sent < FLOOD) {
          flood.sent += flood.more.length;
          if (!socket.write(flood.more)) return;
        }
        socket.end();
      };
      socket.on('drain', pour).write(flood.head);
      pour();
    });
}

describe('a hostile service costs bounded memory', () => {
  const floods: Flood[] = Object.entries(FLOODS).flatMap(([name, entry]) =>
    (['model', 'packages'] as const).map((kind): Flood => {
      const flood: Flood = {
        ...entry,
        name,
        kind,
        sent: 0,
        server: net.createServer((socket) => serve(flood, socket)),
      };
      return flood;
    }),
  );
  const grown: Grown[] = [];
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-hostile-'));
    await Promise.all(
      floods.map(({ server }) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
    );
    const cases = floods.map(({ kind, stream, server }) => ({
      kind,
      stream,
      endpoint: `http://127.0.0.1:${portOf(server)}/`,
    }));
    const [, , , , endless = assert.fail()] = floods;
    const control = { ...CONTROL, endpoint: `http://127.0.0.1:${portOf(endless.server)}/` };
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', CHILD, JSON.stringify([...cases, control]), directory],
      { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    await once(child, 'close');
    grown.push(
      ...text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Grown => JSON.parse(line)),
    );
    await rm(directory, { recursive: true, force: true });
  });
  after(() => {
    for (const { server } of floods) server.close();
  });

  test('control: a client that keeps what it reads grows', () => {
    assert.ok((grown.at(-1)?.growth ?? 0) > MAX_GROWTH && grown.length === floods.length + 1, JSON.stringify(grown));
  });

  for (const [index, flood] of floods.entries()) {
    test(`${flood.name}: the ${flood.kind === 'model' ? 'model' : 'package'} lane`, (t) => {
      const { growth, status } = grown[index] ?? assert.fail('the process of the lanes ended before it');
      t.diagnostic(
        `grew by ${Math.round(growth / MIB)} MiB, answered ${status}, took less than ${Math.round(flood.sent / MIB)} MiB`,
      );
      assert.ok(growth < MAX_GROWTH, `${growth} bytes`);
      assert.ok(flood.sent < FLOOD, 'it did not hang up');
      if (flood.kind === 'packages') assert.notEqual(status, 200);
    });
  }
});
