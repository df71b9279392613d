import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { openHttpClient, type HttpClientOptions, type HttpRequest } from './http-client.ts';
import { HttpFailure, type HttpFailureKind, type HttpPhase } from './http-failure.ts';

type Serve = (socket: Socket) => void;

const OK = 'HTTP/1.1 200 OK\r\n';

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-http-'));
});
after(() => rm(directory, { recursive: true }));

/** Runs `use` beside a server that does that with each connection. */
async function serving<Result>(
  serve: Serve,
  use: (options: HttpClientOptions) => Promise<Result>,
  over: 'unix' | 'tcp' = 'unix',
): Promise<Result> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  const socketPath = join(directory, 'app.sock');
  await new Promise<void>((resolve) =>
    over === 'unix' ? server.listen(socketPath, resolve) : server.listen(0, '127.0.0.1', resolve),
  );
  try {
    return await use({
      endpoint: over === 'unix' ? { socketPath } : { port: (server.address() as AddressInfo).port },
      totalMs: 30_000,
    });
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Answers with this once the head of a request came, and reads no further. */
function answering(text: string | Buffer, then: Serve = () => {}): Serve {
  return (socket) => socket.once('data', () => socket.pause().write(text, () => then(socket)));
}

/** Writes one piece over and over for as long as the connection takes it. */
function endless(start: string, piece: string): Serve {
  return (socket) => {
    const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
    const more = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', more);
    socket.once('data', () => {
      socket.write(start);
      more();
    });
  };
}

async function assertFails(
  serve: Serve,
  [kind, phase]: [HttpFailureKind, HttpPhase],
  {
    options = {},
    request = {},
    over = 'unix',
  }: { options?: Partial<HttpClientOptions>; request?: HttpRequest; over?: 'unix' | 'tcp' } = {},
): Promise<void> {
  await serving(
    serve,
    async (server) => {
      const http = openHttpClient({ ...server, ...options });
      await assert.rejects(http.post('/', request), (error) => {
        assert.ok(error instanceof HttpFailure);
        assert.deepEqual([error.kind, error.phase], [kind, phase]);
        return true;
      });
    },
    over,
  );
}

describe('a server that does not answer well', () => {
  const small = { maxBodyBytes: 20_000 };
  const soon = { silenceMs: 100 };

  it('is not there', async () => {
    const http = openHttpClient({ endpoint: { socketPath: join(directory, 'none.sock') } });
    await assert.rejects(http.get('/'), { name: 'HttpFailure', kind: 'refused', unreached: true });
  });

  it('closes at once', () => assertFails((socket) => socket.end(), ['closed', 'head']));
  it('resets at once', () =>
    assertFails((socket) => socket.once('data', () => socket.resetAndDestroy()), ['closed', 'head'], { over: 'tcp' }));
  it('resets within the body', () =>
    assertFails(
      answering(`${OK}Content-Length: 10\r\n\r\nhello`, (socket) => setTimeout(() => socket.resetAndDestroy(), 50)),
      ['incomplete', 'body'],
      { over: 'tcp' },
    ));

  it('says nothing', () => assertFails(answering(''), ['timeout', 'head'], { options: soon }));
  it('says nothing within the time of this one request', () =>
    assertFails(answering(''), ['timeout', 'head'], { request: { totalMs: 300 } }));
  it('stops in the body', () =>
    assertFails(answering(`${OK}Content-Length: 10\r\n\r\nhello`), ['timeout', 'body'], { options: soon }));
  it('does not read', () =>
    assertFails((socket) => socket.pause(), ['timeout', 'send'], {
      options: soon,
      request: { body: Buffer.alloc(8_000_000) },
    }));
  it('drips for ever', () =>
    assertFails(
      answering(`${OK}\r\n`, (socket) => {
        const timer = setInterval(() => socket.write('a'), 5);
        socket.once('close', () => clearInterval(timer));
      }),
      ['timeout', 'body'],
      { options: { totalMs: 300, silenceMs: 10_000 } },
    ));

  it('sends a status line without an end', () => assertFails(endless('HTTP/1.1 200 ', 'a'), ['garbage', 'head']));
  it('sends a header without an end', () => assertFails(endless(`${OK}X-A: `, 'a'), ['garbage', 'head']));
  it('sends headers without an end', () => assertFails(endless(OK, 'X-A: 1\r\n'), ['garbage', 'head']));
  it('sends a status line of blanks', () =>
    assertFails(
      answering(`HTTP/1.1 200 ${' '.repeat(65_000)}a\r\nContent-Length: 9`, (socket) => socket.end()),
      ['incomplete', 'body'],
    ));
  it('sends 100 without an end', () =>
    assertFails(endless('', 'HTTP/1.1 100 Continue\r\n\r\n'), ['timeout', 'head'], { options: { totalMs: 300 } }));
  it('sends a body without an end', () =>
    assertFails(endless(`${OK}\r\n`, 'a'), ['too-large', 'body'], { options: small }));
  it('says that its body is long', () =>
    assertFails(answering(`${OK}Content-Length: 20001\r\n\r\n`), ['too-large', 'body'], { options: small }));
  it('sends chunks without an end', () =>
    assertFails(endless(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'), ['too-large', 'body'], {
      options: small,
    }));
  it('answers in single bytes while it is sent an upload', () =>
    assertFails(
      (socket) =>
        socket.once('data', () =>
          socket
            .pause()
            .write(`${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(8_000_000)}`, () => socket.resume()),
        ),
      ['timeout', 'body'],
      { options: { totalMs: 1500 }, request: { body: Buffer.alloc(8_000_000) } },
    ));
  it('says that its chunk is long', () =>
    assertFails(answering(`${OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`), ['too-large', 'body'], {
      options: small,
    }));
  it('sends the line of a chunk without an end', () =>
    assertFails(endless(`${OK}Transfer-Encoding: chunked\r\n\r\n1;`, 'a'), ['too-large', 'body'], { options: small }));
  it('sends trailers without an end', () =>
    assertFails(endless(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-A: 1\r\n'), ['too-large', 'body'], {
      options: small,
    }));
  it('answers without an end while it is sent an upload', () =>
    assertFails(endless(OK, 'a'), ['too-large', 'send'], {
      options: small,
      request: { body: Buffer.alloc(400_000_000) },
    }));

  for (const [name, packed] of [
    ['a bomb', gzipSync(Buffer.alloc(1_000_000))],
    ['a bomb in a bomb', gzipSync(gzipSync(Buffer.alloc(50_000_000)))],
  ] as const) {
    it(`sends ${name}`, () =>
      assertFails(
        answering(
          Buffer.concat([
            Buffer.from(
              `${OK}Content-Encoding: gzip, gzip\r\nContent-Length: ${packed.length}\r\n\r\n`.replace(
                name === 'a bomb' ? ', gzip' : '',
                '',
              ),
            ),
            packed,
          ]),
        ),
        ['too-large', 'body'],
        { options: small },
      ));
  }
  it('names a coding very often', () =>
    assertFails(answering(`${OK}Content-Encoding: ${'gzip, '.repeat(5000)}gzip\r\nContent-Length: 2\r\n\r\nhi`), [
      'too-large',
      'body',
    ]));

  it('takes a body of the longest length', () =>
    serving(answering(`${OK}Content-Length: 20000\r\n\r\n${'a'.repeat(20_000)}`), async (server) => {
      const answer = await openHttpClient({ ...server, ...small }).get('/');
      assert.equal(answer.body.length, 20_000);
    }));
});

describe('a request that is given up', () => {
  it('by its own signal or that of the client', () =>
    serving(answering(''), async (server) => {
      const client = new AbortController();
      const http = openHttpClient({ ...server, signal: client.signal });
      await assert.rejects(http.get('/', { signal: AbortSignal.timeout(50) }), { kind: 'aborted', phase: 'head' });
      setTimeout(() => client.abort(), 50);
      await assert.rejects(http.get('/'), { kind: 'aborted', phase: 'head' });
      await assert.rejects(http.get('/'), { kind: 'aborted', phase: 'connect' });
    }));
});

describe('an upload', () => {
  it('ends with the answer that came before it was read, every time', async () => {
    const socketPath = join(directory, 'early.sock');
    const program = join(import.meta.dirname, 'testing/early-answer-server.ts');
    const server = spawn(process.execPath, [program, socketPath], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(server.stdout, 'data');
    const http = openHttpClient({ endpoint: { socketPath }, totalMs: 30_000 });
    const file = { field: 'f', name: 'n', content: { repeat: Buffer.alloc(1000), times: 20_000 } };
    try {
      for (let round = 0; round < 60; round += 1) {
        const answer = await http.post('/', { files: [file] });
        assert.deepEqual([answer.status, answer.text()], [413, 'big']);
      }
    } finally {
      server.stdin.end();
      await once(server, 'exit');
    }
  });

  it('ends so over a port of the loopback interface too', () =>
    serving(
      (socket) => {
        socket.write('HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nbig');
        socket.once('data', () => socket.end());
      },
      async (server) => {
        const answer = await openHttpClient(server).post('/', { body: 'x'.repeat(1000) });
        assert.equal(answer.status, 413);
      },
      'tcp',
    ));

  it('of any size needs no memory of that size', () => {
    const piece = Buffer.alloc(800_000, 'x');
    const times = 500;
    let came = 0;
    const reading: Serve = (socket) =>
      socket.on('data', (bytes) => {
        came += bytes.length;
        if (came > piece.length * times) socket.end(`${OK}Content-Length: 0\r\n\r\n`);
      });
    return serving(reading, async (server) => {
      const before = process.memoryUsage().rss;
      const files = [{ field: 'video', name: 'v.mp4', content: { repeat: piece, times }, type: 'video/mp4' }];
      const answer = await openHttpClient({ ...server, totalMs: 120_000 }).post('/extract', { files });
      assert.equal(answer.status, 200);
      const grown = process.memoryUsage().rss - before;
      assert.ok(grown < 200_000_000, `${grown} bytes more for ${piece.length * times}`);
    });
  });

  it('takes a stream whose length is known, again for a redirect that keeps it', () => {
    const bodies: string[] = [];
    const reading: Serve = (socket) => {
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString();
        if (!text.endsWith('--\r\n')) return;
        bodies.push(text.slice(text.indexOf('name="f"'), text.lastIndexOf('\r\n--')));
        socket.end(
          bodies.length === 1 ? 'HTTP/1.1 307 R\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n' : `${OK}\r\n`,
        );
      });
    };
    return serving(reading, async (server) => {
      const content = { bytes: 6, open: () => [Buffer.from('abc'), Buffer.from('def')] };
      const answer = await openHttpClient(server).post('/', { files: [{ field: 'f', name: 'n', content }] });
      assert.equal(answer.redirects, 1);
      assert.deepEqual(
        bodies,
        Array.from({ length: 2 }, () => 'name="f"; filename="n"\r\n\r\nabcdef'),
      );
    });
  });
});

describe('an answer', () => {
  it('is read however small its pieces are', () => {
    const bytes = Buffer.from(
      `${OK}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${'3\r\nabc\r\n'.repeat(300)}0\r\n\r\n`,
    );
    const dripping: Serve = (socket) => {
      let at = 0;
      const next = (): void => {
        if (at < bytes.length) socket.write(bytes.subarray(at, (at += 1)), () => setImmediate(next));
      };
      socket.setNoDelay(true).once('data', next);
    };
    return serving(dripping, async (server) => {
      const answer = await openHttpClient(server).get('/');
      assert.equal(answer.text(), 'abc'.repeat(300));
    });
  });

  it('gives its JSON whatever its type, or throws', async () => {
    const answerOf = (body: string) =>
      serving(answering(`${OK}Content-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`), (server) =>
        openHttpClient(server).get('/'),
      );
    assert.deepEqual((await answerOf('{"a": [1]}')).json(), { a: [1] });
    assert.deepEqual((await answerOf('{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN \\" Infinity"}')).json(), {
      a: Number.NaN,
      b: [Infinity, -Infinity],
      c: 'NaN " Infinity',
    });
    const broken = await answerOf('{"a": ');
    assert.throws(() => broken.json(), SyntaxError);
  });
});
