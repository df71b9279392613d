import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { openChatModel, type ChatModelOptions } from './chat-model.ts';
import type { Retry } from './contract.ts';

type Handler = (request: IncomingMessage, body: string, response: ServerResponse, count: number) => void;

/** A real server for the time of `use`. */
async function withServer<T>(handler: Handler, use: (endpoint: string, requests: string[]) => Promise<T>): Promise<T> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
      handler(request, body, response, bodies.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  try {
    return await use(`http://127.0.0.1:${address.port}/v1`, bodies);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const answer = (content: unknown): string =>
  JSON.stringify({
    id: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  });
const fails =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;
const REQUEST = { system: 'be brief', user: 'what is it?', maxTokens: 50 };
const model = (endpoint: string, options: Partial<ChatModelOptions> = {}): ReturnType<typeof openChatModel> =>
  openChatModel({ endpoint, model: 'small', apiKey: 'secret-key', backOffMs: 1, ...options });

describe('openChatModel', () => {
  test('asks as the protocol says and reads the answer', async () => {
    let path = '';
    let authorization = '';
    const handler: Handler = (request, _, response) => {
      path = request.url ?? '';
      authorization = request.headers.authorization ?? '';
      response.end(answer('a symptom'));
    };
    await withServer(handler, async (endpoint, bodies) => {
      assert.deepEqual(await model(endpoint).complete(REQUEST), {
        text: 'a symptom',
        stop: 'end',
        servedBy: undefined,
        usage: { inputTokens: 7, outputTokens: 3 },
      });
      assert.equal(path, '/v1/chat/completions');
      assert.equal(authorization, 'Bearer secret-key');
      assert.deepEqual(JSON.parse(bodies[0] ?? ''), {
        model: 'small',
        max_tokens: 50,
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'what is it?' },
        ],
      });
    });
  });

  test('takes the whole address as well, and content in parts', async () => {
    await withServer(
      (_, __, response) =>
        response.end(
          answer([
            { type: 'text', text: 'two ' },
            { type: 'text', text: 'parts' },
          ]),
        ),
      async (endpoint) => {
        assert.equal((await model(`${endpoint}/chat/completions/`).complete(REQUEST)).text, 'two parts');
      },
    );
  });

  test('tries again after 429, 500, a reset and an empty answer, however long it is asked to wait', async () => {
    const handler: Handler = (request, _, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 2) response.writeHead(500).end('oops');
      else if (count === 3) request.socket.destroy();
      else if (count === 4) response.end(answer(''));
      else response.end(answer('at last'));
    };
    await withServer(handler, async (endpoint, bodies) => {
      assert.equal((await model(endpoint).complete(REQUEST)).text, 'at last');
      assert.equal(bodies.length, 5);
    });
  });

  test('gives up after so many attempts', async () => {
    await withServer(
      (_, __, response) => response.writeHead(503).end(),
      async (endpoint, bodies) => {
        await assert.rejects(model(endpoint, { attempts: 3 }).complete(REQUEST), fails('MODEL_FAILED'));
        assert.equal(bodies.length, 3);
      },
    );
  });

  test('does not repeat what was refused, and says why without the key', async () => {
    await withServer(
      (_, __, response) => response.writeHead(404).end('{"error": "no model small"}'),
      async (endpoint, bodies) => {
        await assert.rejects(
          model(endpoint).complete(REQUEST),
          (error) =>
            fails('MODEL_FAILED')(error) &&
            error instanceof Error &&
            error.message.includes('no model small') &&
            !error.message.includes('secret-key'),
        );
        assert.equal(bodies.length, 1);
      },
    );
  });

  test('asks for a key when there is none', async () => {
    const saved = { ...process.env };
    delete process.env['ASSAY_MODEL_KEY'];
    delete process.env['OPENAI_API_KEY'];
    try {
      await withServer(
        (_, __, response) => response.writeHead(401).end(),
        async (endpoint) => {
          await assert.rejects(
            openChatModel({ endpoint, model: 'small' }).complete(REQUEST),
            fails('MODEL_KEY_MISSING'),
          );
          await assert.rejects(model(endpoint).complete(REQUEST), fails('MODEL_FAILED'));
        },
      );
      process.env['OPENAI_API_KEY'] = 'second';
      await withServer(
        (request, _, response) => response.end(answer(request.headers.authorization)),
        async (endpoint) => {
          assert.equal((await openChatModel({ endpoint, model: 'small' }).complete(REQUEST)).text, 'Bearer second');
          process.env['ASSAY_MODEL_KEY'] = 'first';
          assert.equal((await openChatModel({ endpoint, model: 'small' }).complete(REQUEST)).text, 'Bearer first');
        },
      );
    } finally {
      for (const name of ['ASSAY_MODEL_KEY', 'OPENAI_API_KEY']) {
        const value = saved[name];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  test('names the number of tokens as newer services want it', async () => {
    const handler: Handler = (_, body, response) => {
      if (body.includes('"max_tokens"'))
        response
          .writeHead(400)
          .end('{"error":{"message":"Unsupported parameter: use max_completion_tokens instead."}}');
      else response.end(answer('fine'));
    };
    await withServer(handler, async (endpoint, bodies) => {
      assert.equal((await model(endpoint).complete(REQUEST)).text, 'fine');
      assert.match(bodies[1] ?? '', /"max_completion_tokens":50/);
    });
  });

  test('does not carry the key to another address', async () => {
    let second = 0;
    await withServer(
      (_, __, response) => response.end(answer(String((second += 1)))),
      async (elsewhere) => {
        await withServer(
          (_, __, response) => response.writeHead(307, { location: `${elsewhere}/chat/completions` }).end(),
          async (endpoint) => {
            await assert.rejects(model(endpoint, { attempts: 1 }).complete(REQUEST), fails('MODEL_FAILED'));
          },
        );
      },
    );
    assert.equal(second, 0);
  });

  test('an endless answer, none in time, and no JSON are failures', async () => {
    const flood: Handler = (_, __, response) => {
      const more = (): void =>
        void (
          response.writableEnded ||
          response.destroyed ||
          response.write(Buffer.alloc(1024 * 1024, 'a'), () => setImmediate(more))
        );
      more();
    };
    await withServer(flood, async (endpoint) =>
      assert.rejects(model(endpoint).complete(REQUEST), fails('MODEL_FAILED')),
    );
    await withServer(
      () => {},
      async (endpoint) =>
        assert.rejects(model(endpoint, { timeoutMs: 50, attempts: 2 }).complete(REQUEST), fails('MODEL_FAILED')),
    );
    await withServer(
      (_, __, response) => response.end('<html>'),
      async (endpoint) => assert.rejects(model(endpoint, { attempts: 1 }).complete(REQUEST), fails('MODEL_FAILED')),
    );
  });

  test('half an answer and then silence is told from silence, and each retry is told', async () => {
    const half: Handler = (_, __, response) =>
      void response.writeHead(200, { 'content-length': 1000 }).write(answer('half of').slice(0, 30));
    const retries: Retry[] = [];
    await withServer(half, async (endpoint, bodies) => {
      await assert.rejects(
        model(endpoint, { timeoutMs: 50, attempts: 3 }).complete({
          ...REQUEST,
          onRetry: (retry) => retries.push(retry),
        }),
        /no whole answer within 0\.05 s/,
      );
      assert.equal(bodies.length, 3);
    });
    assert.deepEqual(
      retries,
      [2, 3].map((attempt) => ({ attempt, why: 'no whole answer within 0.05 s' })),
    );
  });

  test('an answer that is packed, though nobody asked for it, is unpacked, and one that unpacks without end is not', async () => {
    await withServer(
      (_, __, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(answer('small'))),
      async (endpoint) => assert.equal((await model(endpoint).complete(REQUEST)).text, 'small'),
    );
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    await withServer(
      (_, __, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      async (endpoint) => assert.rejects(model(endpoint).complete(REQUEST), /more than 8388608 bytes/),
    );
  });

  test('a signal ends it, also while it waits', async () => {
    await withServer(
      () => {},
      async (endpoint) => {
        await assert.rejects(
          model(endpoint).complete({ ...REQUEST, signal: AbortSignal.timeout(50) }),
          fails('INTERRUPTED'),
        );
      },
    );
    await withServer(
      (_, __, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
      async (endpoint) => {
        await assert.rejects(
          model(endpoint).complete({ ...REQUEST, signal: AbortSignal.timeout(50) }),
          fails('INTERRUPTED'),
        );
      },
    );
  });

  test('refuses an endpoint that is no address', () => {
    for (const endpoint of ['', 'localhost', 'file:///etc/passwd'])
      assert.throws(() => openChatModel({ endpoint, model: 'x' }), fails('BAD_OPTION'));
  });
});
