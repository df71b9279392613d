import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { ModelDialect } from '@assay/lanes/model-lane/contract';
import { portOf } from '../../../../lanes/src/model-lane/testing/scripted-upstream.ts';
import { checkModel } from './check-model.ts';

const KEY = 'sk-the-real-key-0123456789abcdef';
interface Answer {
  status: number;
  body: string;
}

/** Runs the check against a service with this answer, and returns its outcome and its request. */
async function check(
  answer: Answer,
  dialect: ModelDialect = 'openai-chat',
  path = '/v1',
): Promise<{ refused: string | null; asked: string; key: string }> {
  let [asked, key] = ['', ''];
  const server = createServer((request, response) => {
    asked = `${request.method} ${request.url}`;
    key = String(request.headers.authorization ?? request.headers['x-api-key'] ?? request.headers['x-goog-api-key']);
    response
      .writeHead(answer.status, {
        'content-type': 'application/json',
        ...(answer.status === 302 ? { location: '/elsewhere' } : {}),
      })
      .end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await checkModel({
      base: new URL(`http://127.0.0.1:${portOf(server)}${path}`),
      dialect,
      name: 'org/m-1',
      apiKey: KEY,
    });
    return { refused: null, asked, key };
  } catch (error) {
    assert.ok(AssayError.is(error) && error.code === 'BAD_OPTION' && !error.message.includes(KEY));
    return { refused: error.message, asked, key };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const error = (fields: object): string => JSON.stringify({ error: fields });

describe('a service is asked for its model', () => {
  const addresses: [ModelDialect, string, string, string][] = [
    ['openai-chat', '/v1', 'GET /v1/models/org/m-1', `Bearer ${KEY}`],
    ['openai-responses', '/v1', 'GET /v1/models/org/m-1', `Bearer ${KEY}`],
    ['anthropic-messages', '', 'GET /v1/models/org/m-1', KEY],
    ['gemini', '/v1beta', 'GET /v1beta/models/org/m-1', KEY],
  ];
  for (const [dialect, path, asked, key] of addresses) {
    test(dialect, async () =>
      assert.deepEqual(await check({ status: 200, body: '{}' }, dialect, path), { refused: null, asked, key }),
    );
  }

  const refusals: Record<string, [Answer, RegExp]> = {
    'no such model at OpenAI': [
      {
        status: 404,
        body: error({
          message: "The model 'org/m-1' does not exist",
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        }),
      },
      /^--model: .* has no model that is called org\/m-1$/,
    ],
    'no such model at Anthropic': [
      {
        status: 404,
        body: JSON.stringify({ type: 'error', error: { type: 'not_found_error', message: 'model: org/m-1' } }),
      },
      /^--model: /,
    ],
    'no such model at Gemini': [
      { status: 404, body: error({ code: 404, message: 'models/org/m-1 is not found', status: 'NOT_FOUND' }) },
      /^--model: /,
    ],
    'a wrong key': [
      { status: 401, body: error({ message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' }) },
      /^--endpoint: .* refuses the key$/,
    ],
  };
  for (const [name, [answer, pattern]] of Object.entries(refusals)) {
    test(`${name} is told`, async () => assert.match((await check(answer)).refused ?? '', pattern));
  }

  const silence: Record<string, Answer> = {
    'a path that it does not know': { status: 404, body: '{"detail":"Not Found"}' },
    'a page': { status: 404, body: '<html>org/m-1</html>' },
    'an error about something else': {
      status: 404,
      body: error({ message: 'no such route', type: 'not_found_error' }),
    },
    'a key that may not look': { status: 401, body: error({ message: 'Missing scopes: api.model.read' }) },
    'a fault': { status: 500, body: '' },
    'a redirect': { status: 302, body: '' },
    'too much': { status: 404, body: ' '.repeat(100_000) },
  };
  for (const [name, answer] of Object.entries(silence)) {
    test(`${name} tells nothing`, async () => assert.equal((await check(answer)).refused, null));
  }
});
