import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { useFakeModelServer, type FakeModelRequest, type FakeReply, type FakeResponder } from '@assay/testkit';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { isCanary, scriptedAnswer } from '../jury/scripted-answer.fixture.ts';
import { judgeByModel } from './judge-by-model.ts';
import { ESSAY, sampleOf, STANDARD, withJudge } from './with-judge.fixture.ts';

const full = { c1: 100, c2: 100, c3: 100 };
const UNUSABLE: [string, (request: FakeModelRequest) => FakeReply, RegExp][] = [
  ['a refusal', () => ({ kind: 'answer', text: 'I cannot help with that.', stop: 'refused' }), /refused/],
  [
    'a cut answer',
    (request) => ({ kind: 'answer', text: scriptedAnswer(request, full), stop: 'truncated' }),
    /cut off/,
  ],
  ['prose', () => 'This deserves 100 of 100.', /not one JSON object/],
  ['prose around JSON', (request) => `Here you are: ${scriptedAnswer(request, full)}`, /not one JSON object/],
  [
    'two objects',
    (request) => `${scriptedAnswer(request, full)}\n${scriptedAnswer(request, full)}`,
    /not one JSON object/,
  ],
  ['a foreign token', (request) => scriptedAnswer(request, full, { token: '0'.repeat(24) }), /token/],
  ['a missing criterion', (request) => scriptedAnswer(request, { c1: 100, c2: 100 }), /c3/],
  ['a criterion too many', (request) => scriptedAnswer(request, { ...full, c4: 100 }), /c4/],
  ['another key', (request) => scriptedAnswer(request, full, { extra: { total: 100 } }), /total/],
  ['a key twice', (request) => scriptedAnswer(request, full).replace('"score":100', '"score":1,"score":100'), /twice/],
  ['101', (request) => scriptedAnswer(request, { ...full, c1: 101 }), /c1/],
  ['-1', (request) => scriptedAnswer(request, { ...full, c1: -1 }), /c1/],
  ['99.5', (request) => scriptedAnswer(request, { ...full, c1: 99.5 }), /c1/],
  ['a score as text', (request) => scriptedAnswer(request, full).replace(':100', ':"100"'), /c1/],
  ['null', () => 'null', /shape/],
  ['HTTP 500', () => ({ kind: 'status', status: 500 }), /status 500/],
  ['HTTP 429 for ever', () => ({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }), /status 429/],
  ['a cut body', () => ({ kind: 'cut' }), /did not answer/],
  ['a reset', () => ({ kind: 'reset' }), /did not answer/],
  ['silence', () => ({ kind: 'silent' }), /no answer within/],
  ['an unknown model', () => ({ kind: 'status', status: 404, body: '{"error":"no such model"}' }), /no such model/],
];

describe('an answer that cannot be used makes the verdict invalid', () => {
  for (const [name, reply, reason] of UNUSABLE) {
    test(name, () =>
      withJudge(
        (request) => (!isCanary(request) && sampleOf(request) === 1 ? reply(request) : scriptedAnswer(request, full)),
        async (judge) => {
          const { judgement, record } = await judge(ESSAY, { chat: { timeoutMs: name === 'silence' ? 300 : 20_000 } });
          assert.deepEqual([judgement.outcome, judgement.score, judgement.passed], ['invalid', null, false]);
          assert.match(judgement.note ?? '', reason);
          assert.ok(
            judgement.results.every(
              (result) => result.kind === 'criterion' && result.score === null && result.samples.length === 0,
            ),
          );
          assert.ok(record.exchanges.filter(({ sample, purpose }) => sample === 1 && purpose === 'sample').length <= 3);
        },
      ),
    );
  }

  test('a missing key', async () => {
    const saved = { ...process.env };
    for (const name of ['ASSAY_MODEL_KEY', 'OPENAI_API_KEY']) delete process.env[name];
    try {
      const server = await useFakeModelServer([{ kind: 'status', status: 401 }]);
      const endpoint = server.endpoints.openai;
      const { judgement } = await judgeByModel(STANDARD, Buffer.from(ESSAY), {
        model: openChatModel({ endpoint, model: 'm' }),
        modelName: 'm',
        endpoint,
      });
      assert.deepEqual([judgement.outcome, judgement.score], ['invalid', null]);
      assert.match(judgement.note ?? '', /Set ASSAY_MODEL_KEY or OPENAI_API_KEY/);
    } finally {
      Object.assign(process.env, saved);
    }
  });

  test('but is asked for again, with a new prompt', async () => {
    const seen = new Map<string, number>();
    const flaky: FakeResponder = (request) => {
      const key = `${isCanary(request)}${sampleOf(request)}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      return seen.get(key) === 3
        ? `\`\`\`json\n${scriptedAnswer(request, { c1: 70, c2: 70, c3: 70 })}\n\`\`\``
        : { kind: 'answer', text: 'half', stop: 'truncated' };
    };
    await withJudge(flaky, async (judge, { requests }) => {
      const { judgement, record } = await judge();
      assert.deepEqual([judgement.outcome, judgement.score], ['pass', 70]);
      assert.equal(new Set(requests.map(({ user }) => user)).size, 12);
      assert.deepEqual(
        record.exchanges.slice(0, 3).map(({ purpose, attempt, problem }) => [purpose, attempt, problem === null]),
        [
          ['canary', 0, false],
          ['canary', 1, false],
          ['canary', 2, true],
        ],
      );
      assert.equal(
        (requests[0]?.maxTokens ?? 0) * 4,
        Math.max(...requests.filter(isCanary).map(({ maxTokens }) => maxTokens ?? 0)),
      );
    });
  });

  test('Ctrl-C is no verdict', () =>
    withJudge(
      () => ({ kind: 'silent' }),
      async (judge) => {
        await assert.rejects(
          judge(ESSAY, { signal: AbortSignal.timeout(50) }),
          (error) => AssayError.is(error) && error.code === 'INTERRUPTED',
        );
      },
    ));
});
