import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { useFakeModelServer, type FakeModelServer, type FakeReply, type FakeResponder } from '@assay/testkit';
import { openChatModel, type ChatModelOptions, type DialectName } from './chat-model.ts';

const REQUEST = { system: 'be brief', user: 'what is it?', maxTokens: 50 };
const DIALECTS: DialectName[] = ['openai', 'anthropic'];
const fails =
  (code: ErrorCode, text = '') =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code && error.message.includes(text);

async function withModel(
  respond: FakeResponder | FakeReply[],
  options: Partial<ChatModelOptions> & { dialect: DialectName },
  use: (model: ReturnType<typeof openChatModel>, server: FakeModelServer) => Promise<void>,
): Promise<void> {
  const server = await useFakeModelServer(respond);
  const { dialect, ...others } = options;
  await use(
    openChatModel({
      endpoint: server.endpoints[dialect],
      model: 'small',
      apiKey: 'secret-key',
      backOffMs: 1,
      ...others,
    }),
    server,
  );
}

for (const dialect of DIALECTS) {
  describe(`the ${dialect} dialect`, () => {
    test('asks and reads the answer', () =>
      withModel(
        [{ kind: 'answer', text: 'a symptom', servedBy: 'small-2026' }],
        { dialect },
        async (model, { requests }) => {
          const answer = await model.complete({ ...REQUEST, temperature: 0 });
          assert.deepEqual(answer, {
            text: 'a symptom',
            stop: 'end',
            servedBy: 'small-2026',
            usage: { inputTokens: 1, outputTokens: 1 },
          });
          const [request] = requests;
          assert.ok(request);
          const { model: name, system, user, temperature, maxTokens } = request;
          assert.deepEqual(
            { name, system, user, temperature, maxTokens },
            { name: 'small', system: 'be brief', user: 'what is it?', temperature: 0, maxTokens: 50 },
          );
          assert.equal(request.dialect, { openai: 'openai-chat', anthropic: 'anthropic-messages' }[dialect]);
          assert.equal(
            dialect === 'anthropic' ? request.headers['x-api-key'] : request.headers.authorization,
            dialect === 'anthropic' ? 'secret-key' : 'Bearer secret-key',
          );
          assert.equal(request.headers['anthropic-version'], dialect === 'anthropic' ? '2023-06-01' : undefined);
        },
      ));

    test('tells a cut answer and a refusal, and does not ask for them again', () =>
      withModel(
        [
          { kind: 'answer', text: 'half an', stop: 'truncated' },
          { kind: 'answer', text: 'I will not', stop: 'refused' },
          { kind: 'answer', text: '', stop: 'truncated' },
        ],
        { dialect },
        async (model, { requests }) => {
          assert.equal((await model.complete(REQUEST)).stop, 'truncated');
          assert.equal((await model.complete(REQUEST)).stop, 'refused');
          assert.equal((await model.complete(REQUEST)).text, '');
          assert.equal(requests.length, 3);
        },
      ));

    test('leaves the temperature out from then on when the service refuses it', () => {
      const strict: FakeResponder = ({ temperature }) =>
        temperature === null
          ? 'fine'
          : {
              kind: 'status',
              status: 400,
              body: '{"error": {"message": "`temperature` is not supported by this model"}}',
            };
      return withModel(strict, { dialect }, async (model, { requests }) => {
        await model.complete({ ...REQUEST, temperature: 0 });
        await model.complete({ ...REQUEST, temperature: 0 });
        assert.deepEqual(
          requests.map(({ temperature }) => temperature),
          [0, null, null],
        );
      });
    });

    test('tries again after faults', () =>
      withModel(
        [
          { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
          { kind: 'cut' },
          { kind: 'reset' },
          { kind: 'status', status: 529 },
          'at last',
        ],
        { dialect },
        async (model) => {
          assert.equal((await model.complete(REQUEST)).text, 'at last');
        },
      ));

    test('says that the window is too small', async () => {
      for (const reply of [
        { kind: 'status', status: 413 },
        { kind: 'status', status: 400, body: '{"error": {"code": "context_length_exceeded"}}' },
        { kind: 'status', status: 400, body: '{"error": {"message": "prompt is too long: 300000 tokens"}}' },
      ] as const) {
        await withModel([reply], { dialect }, async (model, { requests }) => {
          await assert.rejects(model.complete(REQUEST), fails('MODEL_OVERFLOW'));
          assert.equal(requests.length, 1);
        });
      }
    });

    test('a missing key names its variables, and a silent service is a failure', async () => {
      const saved = { ...process.env };
      for (const name of ['ASSAY_MODEL_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) delete process.env[name];
      try {
        const server = await useFakeModelServer([{ kind: 'status', status: 401 }]);
        const model = openChatModel({ endpoint: server.endpoints[dialect], model: 'small' });
        await assert.rejects(
          model.complete(REQUEST),
          fails('MODEL_KEY_MISSING', `ASSAY_MODEL_KEY or ${dialect.toUpperCase()}_API_KEY`),
        );
      } finally {
        Object.assign(process.env, saved);
      }
      await withModel([{ kind: 'silent' }], { dialect, timeoutMs: 50, attempts: 2 }, async (model) =>
        assert.rejects(model.complete(REQUEST), fails('MODEL_FAILED', 'no answer within 0.05 s')),
      );
    });

    test('does not carry the key elsewhere', async () => {
      const elsewhere = await useFakeModelServer(['never']);
      await withModel(
        [{ kind: 'status', status: 307, headers: { location: `${elsewhere.endpoints[dialect]}/v1/messages` } }],
        { dialect, attempts: 1 },
        async (model) => assert.rejects(model.complete(REQUEST), fails('MODEL_FAILED')),
      );
      assert.equal(elsewhere.requests.length, 0);
    });
  });
}

describe('the dialect of an address', () => {
  const paths: [string, Partial<ChatModelOptions>, string][] = [
    ['/v1', {}, '/v1/chat/completions'],
    ['/v1/', {}, '/v1/chat/completions'],
    ['/v1/messages', {}, '/v1/messages'],
    ['/anthropic', {}, '/anthropic/v1/messages'],
    ['/anthropic/v1/', {}, '/anthropic/v1/messages'],
    ['/v1', { dialect: 'anthropic' }, '/v1/messages'],
    ['', { dialect: 'anthropic' }, '/v1/messages'],
    ['/anthropic', { dialect: 'openai' }, '/anthropic/chat/completions'],
  ];
  for (const [path, options, expected] of paths) {
    test(`${path || '/'} ${JSON.stringify(options)} is asked at ${expected}`, async () => {
      const server = await useFakeModelServer(['yes']);
      await openChatModel({ endpoint: `${server.origin}${path}`, model: 'small', ...options }).complete(REQUEST);
      assert.equal(server.requests[0]?.path, expected);
    });
  }
});

test('a key that is none is refused without showing it', () => {
  for (const apiKey of ['top\nsecret', 'top secret', 'sécret', '']) {
    assert.throws(
      () => openChatModel({ endpoint: 'http://127.0.0.1:1/v1', model: 'm', apiKey }),
      (error) => fails('BAD_OPTION')(error) && !String(error).includes('cret'),
    );
  }
});

test('white space around a key does not count', async () => {
  const server = await useFakeModelServer(['yes']);
  await openChatModel({ endpoint: server.endpoints.anthropic, model: 'm', apiKey: ' k-1\n' }).complete(REQUEST);
  assert.equal(server.requests[0]?.headers['x-api-key'], 'k-1');
});
