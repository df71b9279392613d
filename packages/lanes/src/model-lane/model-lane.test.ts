import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import {
  answerChat,
  ASK,
  chatAnswer,
  KEY,
  openLane,
  ScriptedUpstream,
  sse,
  type OpenLane,
  type Script,
} from './testing/scripted-upstream.ts';

const STREAMS: Record<keyof typeof ASK, { ask: object; events: string; usage: object }> = {
  chat: {
    ask: { stream: true },
    events: `${sse({ object: 'chat.completion.chunk', choices: [{ delta: { content: 'hé' } }] }, { choices: [{ delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } } })}data: [DONE]\n\n`,
    usage: { inputTokens: 7, cachedInputTokens: 2, cacheWriteTokens: 0, outputTokens: 3 },
  },
  responses: {
    ask: { stream: true },
    events: sse(
      { type: 'response.output_text.delta', delta: 'hi' },
      {
        type: 'response.completed',
        response: { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 6 } },
      },
    ),
    usage: { inputTokens: 9, cachedInputTokens: 4, cacheWriteTokens: 0, outputTokens: 6 },
  },
  messages: {
    ask: { stream: true },
    events: `event: message_start\r\n${sse({ type: 'message_start', message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, cache_creation_input_tokens: 3, output_tokens: 1 } } })}event: message_delta\n${sse({ type: 'message_delta', usage: { output_tokens: 12 } })}event: message_stop\n${sse({ type: 'message_stop' })}`,
    usage: { inputTokens: 28, cachedInputTokens: 20, cacheWriteTokens: 3, outputTokens: 12 },
  },
  gemini: {
    ask: {},
    events: sse({
      candidates: [{ content: { parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 2, thoughtsTokenCount: 3 },
    }),
    usage: { inputTokens: 11, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 5 },
  },
};
const names = ['chat', 'responses', 'messages', 'gemini'] as const;

describe('a model lane', () => {
  let upstream: ScriptedUpstream;
  let open: OpenLane;
  const serve = (script: Script): void => {
    upstream.script = script;
  };
  before(async () => {
    upstream = await ScriptedUpstream.start(answerChat);
    open = await openLane(upstream.origin);
  });
  after(async () => {
    await open.lane.close();
    await upstream.stop();
  });

  for (const name of names) {
    test(`${name}: a stream passes to the byte, cut anywhere, and is metered and recorded`, async () => {
      const { ask, events, usage } = STREAMS[name];
      const bytes = Buffer.from(events);
      serve(async (_call, response) => {
        response.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'x-ratelimit-limit': '5',
          'set-cookie': 'a=b',
          'openai-organization': 'org',
        });
        for (let at = 0; at < bytes.length; at += 7) {
          response.write(bytes.subarray(at, at + 7));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });
      const [path, body] = ASK[name](ask);
      const answer = await open.post(path, body);
      assert.equal(answer.status, 200);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      for (const header of ['x-ratelimit-limit', 'set-cookie', 'openai-organization', 'content-encoding'])
        assert.equal(answer.headers.get(header), null, header);
      const entry = await open.settled();
      assert.equal(entry.outcome, 'answered');
      assert.equal(entry.detail, null);
      assert.equal(entry.model, 'm-1');
      assert.equal(entry.response?.text, events);
      assert.deepEqual(entry.usage, { ...usage, estimated: false, usd: null });
      assert.deepEqual(entry.request.body, upstream.calls.at(-1)?.body);
    });
  }

  test('the key replaces the token towards the service, in the header of each dialect, and nothing else goes up', async () => {
    const expected = {
      chat: ['authorization', `Bearer ${KEY}`],
      responses: ['authorization', `Bearer ${KEY}`],
      messages: ['x-api-key', KEY],
      gemini: ['x-goog-api-key', KEY],
    } as const;
    const paths = {
      chat: '/v1/chat/completions',
      responses: '/v1/responses',
      messages: '/v1/messages?beta=true',
      gemini: '/v1beta/models/m-1:streamGenerateContent?alt=sse',
    };
    for (const name of names) {
      serve(
        (_call, response) =>
          void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAMS[name].events),
      );
      const [path, body] = ASK[name](STREAMS[name].ask);
      const secrets = {
        cookie: 'c=d',
        'x-stainless-os': 'Linux',
        'x-claude-code-session-id': 's',
        'user-agent': 'cli/1',
        'accept-encoding': 'gzip, br',
        referer: 'http://x/',
        'x-forwarded-for': '1.2.3.4',
        'openai-organization': 'o',
        accept: 'text/event-stream, image/png',
      };
      await (await open.post(path, body, secrets)).text();
      const { headers, path: asked } = upstream.calls.at(-1) ?? assert.fail();
      assert.equal(asked, paths[name]);
      assert.equal(headers[expected[name][0]], expected[name][1]);
      const allowed = [
        'host',
        'connection',
        'accept',
        'content-type',
        'content-length',
        'accept-encoding',
        'user-agent',
        expected[name][0],
        ...(name === 'messages' ? ['anthropic-version'] : []),
      ];
      assert.deepEqual(
        Object.keys(headers).filter((header) => !allowed.includes(header)),
        [],
      );
      assert.equal(headers.accept, 'text/event-stream');
      assert.equal(headers['accept-encoding'], 'identity');
      assert.ok(!JSON.stringify(headers).includes(open.lane.token));
    }
  });

  test('one header of the client says how its tools are sent', async () => {
    const name = 'x-openai-internal-codex-responses-lite';
    serve((_call, response) => void response.end('{"object":"response","usage":{"input_tokens":1,"output_tokens":1}}'));
    for (const [value, passed] of [
      ['true', 'true'],
      ['evil', undefined],
    ] as const) {
      await open.post(...ASK.responses(), { [name]: value });
      assert.equal(upstream.calls.at(-1)?.headers[name], passed);
    }
  });

  test('beta features pass by their names', async () => {
    serve(
      (_call, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"type":"message","usage":{"input_tokens":1,"output_tokens":1}}'),
    );
    const [path, body] = ASK.messages();
    await open.post(path, body, {
      'anthropic-beta': 'effort-2025-11-24, files-api-2025-04-14,claude-code-20250219',
      'anthropic-version': '2023-06-01',
    });
    assert.equal(upstream.calls.at(-1)?.headers['anthropic-beta'], 'effort-2025-11-24,claude-code-20250219');
    assert.ok((await open.settled()).stripped.includes('anthropic-beta: files-api-2025-04-14'));
  });

  test('a wrong, missing or misplaced token is refused with 400, in the shape of the dialect', async () => {
    const before = upstream.connections;
    const calls = upstream.calls.length;
    const none = { 'x-api-key': '', authorization: '', 'x-goog-api-key': '' };
    const token = open.lane.token;
    const wrong = [
      none,
      { ...none, 'x-api-key': 'x', authorization: 'Bearer x', 'x-goog-api-key': 'x' },
      { 'x-api-key': `${token}x`, authorization: token, 'x-goog-api-key': token.slice(1) },
      { 'x-api-key': KEY, authorization: `Bearer ${KEY}`, 'x-goog-api-key': KEY },
    ];
    for (const headers of wrong) {
      for (const name of names) {
        const answer = await open.post(...ASK[name](), headers);
        assert.equal(answer.status, 400, name);
        const error = (await answer.json()) as {
          type?: string;
          error: { message: string; type?: string; status?: string };
        };
        assert.match(error.error.message, /token is wrong/);
        assert.equal(
          name === 'gemini' ? error.error.status : error.error.type,
          name === 'gemini' ? 'INVALID_ARGUMENT' : 'invalid_request_error',
        );
        assert.equal(error.type, name === 'messages' ? 'error' : undefined);
      }
    }
    assert.deepEqual([upstream.connections, upstream.calls.length], [before, calls]);
  });

  test('a client may ask first whether to send its body', async () => {
    serve(answerChat);
    const body = JSON.stringify(ASK.chat()[1]);
    for (const [token, status, asked] of [
      [open.lane.token, 200, true],
      ['wrong', 400, false],
    ] as const) {
      let continued = false;
      const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const headers = {
          'content-type': 'application/json',
          'content-length': body.length,
          authorization: `Bearer ${token}`,
          expect: '100-continue',
        };
        const request = http
          .request({ port: open.port, path: '/v1/chat/completions', method: 'POST', headers }, resolve)
          .on('error', reject);
        request.on('continue', () => {
          continued = true;
          request.end(body);
        });
        request.flushHeaders();
      });
      answer.resume();
      assert.deepEqual([answer.statusCode, continued], [status, asked]);
    }
  });

  test('a plain answer passes to the byte', async () => {
    const odd = `  ${chatAnswer()}\n`;
    serve((_call, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(odd));
    assert.equal(await (await open.post(...ASK.chat())).text(), odd);
  });

  test('without usage, tokens are estimated and marked', async () => {
    serve(
      (_call, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(
            sse(
              { choices: [{ delta: { content: 'x'.repeat(400) } }] },
              { choices: [{ delta: {}, finish_reason: 'stop' }] },
            ),
          ),
    );
    await (await open.post(...ASK.chat({ stream: true }))).text();
    const { usage } = await open.settled();
    assert.equal(usage?.estimated, true);
    assert.ok(usage.outputTokens === 100 && usage.inputTokens > 10);
  });

  test('HEAD / is answered without a token, other methods and paths are not known', async () => {
    const calls = upstream.calls.length;
    assert.equal((await fetch(open.origin, { method: 'HEAD' })).status, 200);
    const paths = [
      '/',
      '/v1/models',
      '/v1/files',
      '/v1/messages/count_tokens',
      '/v1/messages?beta=true&x=1',
      '/v1/messages/batches',
      '/v1/responses/resp_1',
      '/v1/images/generations',
      '/v1beta/models/m-1:countTokens',
      '/v1beta/models/m-1:streamGenerateContent',
      '/v1beta/models/m-1:generateContent?key=x',
      '/v1beta/cachedContents',
      '/V1/messages',
      '/v1/messages/',
      '//v1/messages',
      '/v1/%6dessages',
      '/v1/chat/completions?x',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await open.send(path, {
          method,
          headers: { authorization: `Bearer ${open.lane.token}`, 'x-api-key': open.lane.token },
        });
        assert.equal(answer.status, 404, `${method} ${path}`);
      }
    }
    assert.equal(upstream.calls.length, calls);
  });

  test('a request that the service finds wrong comes back in its words, as 400', async () => {
    for (const status of [400, 413, 422]) {
      serve(
        (_call, response) =>
          void response
            .writeHead(status, { 'retry-after': '9', 'content-type': 'application/json' })
            .end('{"error": {"message": "prompt is too long"}}'),
      );
      const answer = await open.post(...ASK.chat());
      assert.deepEqual(
        [answer.status, answer.headers.get('retry-after'), await answer.text()],
        [400, null, '{"error": {"message": "prompt is too long"}}'],
      );
    }
    assert.equal((await open.settled()).outcome, 'upstream-refused');
    assert.equal(open.lane.stopReason(), null);
  });

  test('the key is in no entry', () => {
    assert.ok(open.entries.length > 20);
    assert.ok(!JSON.stringify(open.entries).includes(KEY));
    assert.ok(!JSON.stringify(open.lane.usage()).includes(KEY));
  });

  test('a revoked lane says 400, and the token of one lane is nothing to another', async () => {
    const other = await openLane(upstream.origin);
    try {
      const before = upstream.calls.length;
      assert.equal((await other.post(...ASK.chat(), { authorization: `Bearer ${open.lane.token}` })).status, 400);
      other.lane.revoke();
      const answer = await other.post(...ASK.messages());
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /no longer valid/);
      assert.equal(upstream.calls.length, before);
    } finally {
      await other.lane.close();
    }
    await assert.rejects(other.post(...ASK.chat()));
  });
});
