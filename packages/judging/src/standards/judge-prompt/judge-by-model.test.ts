import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, Judgement, JudgePromptStandard } from '@assay/protocol';
import {
  useFakeModelServer,
  type FakeModelRequest,
  type FakeModelServer,
  type FakeReply,
  type FakeResponder,
} from '@assay/testkit';
import { openChatModel, type ChatModelOptions } from '@assay/lanes/models/chat-model';
import { ModelRecord, scoresOfRecord } from '../jury/record.ts';
import { isCanary, scriptedAnswer } from '../jury/scripted-answer.fixture.ts';
import { judgeByModel, type ModelJudgement, type ModelJudgeOptions } from './judge-by-model.ts';

const STANDARD = JudgePromptStandard.parse({
  type: 'judge_prompt',
  prompt: 'An essay on tea.',
  criteria: ['facts', 'style', 'length'],
  weights: [50, 30, 20],
});
const ESSAY = 'Tea is a drink made of leaves.\n';

interface Setting extends Partial<ModelJudgeOptions> {
  chat?: Partial<ChatModelOptions>;
  standard?: JudgePromptStandard;
}

async function withJudge(
  respond: FakeResponder,
  use: (
    judge: (submission?: string | Uint8Array, setting?: Setting) => Promise<ModelJudgement>,
    server: FakeModelServer,
  ) => Promise<void>,
): Promise<void> {
  const server = await useFakeModelServer(respond);
  const endpoint = `${server.endpoints.openai}?tenant=secret`;
  await use((submission = ESSAY, { chat, standard = STANDARD, ...options } = {}) => {
    const model = openChatModel({
      endpoint: server.endpoints.openai,
      model: 'm-1',
      apiKey: 'the-key',
      backOffMs: 1,
      attempts: 2,
      ...chat,
    });
    return judgeByModel(standard, Buffer.from(submission), { model, modelName: 'm-1', endpoint, ...options });
  }, server);
}

/** The number of the sample that a request is for, told by its framing. */
function sampleOf({ system }: FakeModelRequest): number {
  return ['You assess', 'You review', 'You examine'].findIndex((start) => system.startsWith(start));
}

describe('judgeByModel', () => {
  test('computes the total from the weights, rounded down', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 80, c2: 60, c3: 40 }),
      async (judge, { requests }) => {
        const { judgement } = await judge();
        assert.deepEqual(
          [judgement.score, judgement.outcome, judgement.passed, judgement.passScore],
          [66, 'pass', true, 60],
        );
        assert.deepEqual(Judgement.parse(judgement), judgement);
        assert.equal(requests.length, 4);
        assert.ok(requests.every(({ temperature }) => temperature === 0));
        assert.deepEqual(judgement.trust.level, 'judged');
        assert.match(judgement.trust.reasons.join('\n'), /m-1 at http:\/\/127\.0\.0\.1:\d+\/v1:/);
        assert.doesNotMatch(JSON.stringify(judgement), /secret|the-key/);
        assert.deepEqual(Object.keys(judgement.digests).sort(), ['prompt', 'submission', 'transcript']);
      },
    ));

  test('takes the median of the samples and shows how far they lie apart', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: [90, 10, 70][sampleOf(request)] ?? 0, c2: 60, c3: 60 }),
      async (judge) => {
        const [first] = (await judge()).judgement.results;
        assert.ok(first?.kind === 'criterion');
        assert.deepEqual(
          { ...first, reasons: first.reasons.length },
          {
            kind: 'criterion',
            id: 'c1',
            criterion: 'facts',
            weight: 50,
            score: 70,
            samples: [90, 10, 70],
            spread: 80,
            reasons: 3,
          },
        );
      },
    ));

  test('the option goes before the number of samples of the standard', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 60, c2: 60, c3: 60 }),
      async (judge, { requests }) => {
        await judge(ESSAY, { standard: { ...STANDARD, samples: 5 } });
        assert.equal(requests.length, 6);
        await judge(ESSAY, { standard: { ...STANDARD, samples: 5 }, samples: 1 });
        assert.equal(requests.length, 8);
        await assert.rejects(
          judge(ESSAY, { samples: 2 }),
          (error) => AssayError.is(error) && error.code === 'BAD_OPTION',
        );
      },
    ));

  test('59 fails, 60 passes; a standard may ask for more and a caller too, none for less', async () => {
    for (const [value, passScore, outcome] of [
      [59, 0, 'fail'],
      [60, 0, 'pass'],
      [60, 70, 'fail'],
      [70, 70, 'pass'],
      [59, 10, 'fail'],
    ] as const) {
      await withJudge(
        (request) => scriptedAnswer(request, { c1: value, c2: value, c3: value }),
        async (judge) => {
          assert.equal((await judge(ESSAY, { passScore })).judgement.outcome, outcome);
          if (passScore > 60)
            assert.equal((await judge(ESSAY, { standard: { ...STANDARD, passScore } })).judgement.outcome, outcome);
        },
      );
    }
  });

  test('without criteria there is one, overall', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 77 }),
      async (judge) => {
        const { judgement } = await judge(ESSAY, {
          standard: JudgePromptStandard.parse({ type: 'judge_prompt', prompt: 'An essay.' }),
        });
        assert.equal(judgement.score, 77);
        assert.ok(judgement.results[0]?.kind === 'criterion' && judgement.results[0].criterion === 'overall');
      },
    ));
});

describe('what is put to the model', () => {
  test('every request has its own delimiters and token; the submission is in marked lines and nowhere else', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 1, c2: 1, c3: 1 }),
      async (judge, { requests }) => {
        await judge('first line\nEND of it\n');
        const samples = requests.filter((request) => !isCanary(request));
        const delimiters = samples.map(({ system, user }) => {
          const [, delimiter = ''] = /^BEGIN ([0-9a-f]{32})$/m.exec(user) ?? [];
          const mark = `${delimiter.slice(0, 6)}|`;
          assert.ok(
            user.startsWith(`BEGIN ${delimiter}\n${mark}first line\n${mark}END of it\n${mark}\nEND ${delimiter}\n`),
            user,
          );
          assert.ok(system.includes(delimiter) && !system.includes('first line'));
          return delimiter;
        });
        assert.equal(new Set(delimiters).size, 3);
        assert.equal(new Set(requests.map(({ system }) => /"token": "(\w+)"/.exec(system)?.[1])).size, 4);
      },
    ));

  test('hidden and disguised characters are spelled out, and the verdict says so', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 1, c2: 1, c3: 1 }),
      async (judge, { requests }) => {
        const { judgement } = await judge(
          'a\u202eb\u200bc \u{1d422}\u{1d420}\u{1d427}\u{1d428}\u{1d42b}\u{1d41e} \uff11\u0007 中文，好 x² \u{1f468}\u200d\u{1f469}\n\tkept',
        );
        assert.match(
          requests.find((request) => !isCanary(request))?.user ?? '',
          /\|a<U\+202E>b<U\+200B>c ignore 1<U\+0007> 中文，好 x² \u{1f468}\u200d\u{1f469}\n.{6}\|\tkept\n/u,
        );
        assert.match(
          judgement.trust.reasons.join('\n'),
          /U\+202E, U\+200B, U\+0007[^]*7 letters or digits in another shape/,
        );
      },
    ));

  test('what nobody sees in the text is spelled out: selectors, runs of joiners, noncharacters', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 1, c2: 1, c3: 1 }),
      async (judge, { requests }) => {
        const shown = 'می\u200cخواهم क्\u200dष ന്\u200d ❤\ufe0f 1\ufe0f\u20e3 \u{1f468}\u{1f3fd}\u200d\u{1f469}';
        const hidden = 'a\ufe00b\ufe0fc\u200dd\u034fe\u200c\u200dक\u200d\u200d\ufdd0\u{1ffff}1\ufe0e\u{e0101}';
        const { judgement } = await judge(`Some tea: ${shown}\nwords ${hidden} words`);
        const user = requests.find((request) => !isCanary(request))?.user ?? '';
        assert.ok(user.includes(`|Some tea: ${shown}\n`), user);
        assert.match(
          user,
          /words a<U\+FE00>b<U\+FE0F>c<U\+200D>d<U\+034F>e<U\+200C><U\+200D>क\u200d<U\+200D><U\+FDD0>/,
        );
        assert.match(user, /<U\+1FFFF>1<U\+FE0E><U\+E0101> words\n/);
        assert.match(judgement.trust.reasons.join('\n'), /spelled out: [^]*U\+FE00/);
      },
    ));

  test('a submission that is too long is not cut, and fails: its author chose the length', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: 100, c2: 100, c3: 100 }),
      async (judge, { requests }) => {
        const { judgement } = await judge(`${'fine words '.repeat(500_000)}the bad part`);
        assert.deepEqual(
          [judgement.outcome, judgement.score, judgement.passed, requests.length],
          ['fail', 0, false, 0],
        );
        assert.match(judgement.note ?? '', /5500012 characters/);
        assert.equal((await judge('x y '.repeat(10), { maxCharacters: 39 })).judgement.outcome, 'fail');
        // Spelled-out characters count at their shown length.
        assert.equal((await judge(`x y ${'\u200b'.repeat(36)}`, { maxCharacters: 40 })).judgement.outcome, 'fail');
        assert.equal((await judge('x y '.repeat(10), { maxCharacters: 40 })).judgement.outcome, 'pass');
      },
    ));

  test('a window that the service calls too small makes it invalid', () =>
    withJudge(
      () => ({ kind: 'status', status: 400, body: '{"error":{"code":"context_length_exceeded"}}' }),
      async (judge) => {
        const { judgement } = await judge();
        assert.deepEqual([judgement.outcome, judgement.score], ['invalid', null]);
        assert.match(judgement.note ?? '', /too long for the model/);
      },
    ));

  const unusable: Record<string, FakeReply> = {
    'has no window for': { kind: 'status', status: 400, body: '{"error":{"code":"context_length_exceeded"}}' },
    'answers with something else to': 'no JSON',
  };
  for (const [name, reply] of Object.entries(unusable)) {
    test(`a submission that a model ${name}, while it answers about other texts, fails`, () =>
      withJudge(
        (request) => (request.user.includes('leaves') ? reply : scriptedAnswer(request, { c1: 100, c2: 100, c3: 100 })),
        async (judge) => {
          const { judgement, record } = await judge();
          assert.deepEqual([judgement.outcome, judgement.score], ['fail', 0]);
          assert.match(judgement.note ?? '', /^the model answers about another text/);
          assert.deepEqual([record.samples, Judgement.parse(judgement)], [[], judgement]);
        },
      ));
  }

  test('a hiccup of the model is no fault of the submission', () => {
    let hiccups = 4;
    return withJudge(
      (request) => {
        if (isCanary(request) || sampleOf(request) !== 0 || (hiccups -= 1) < 0)
          return scriptedAnswer(request, { c1: 100, c2: 100, c3: 100 });
        return { kind: 'status', status: 500 };
      },
      async (judge) => {
        const { judgement, record } = await judge(ESSAY, { chat: { attempts: 4 } });
        assert.deepEqual([judgement.outcome, judgement.score], ['pass', 100]);
        assert.deepEqual(scoresOfRecord(record), { c1: 100, c2: 100, c3: 100 });
      },
    );
  });

  test('a binary submission fails with a line that says so', () =>
    withJudge(
      () => 'never',
      async (judge, { requests }) => {
        const { judgement } = await judge(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0]));
        assert.deepEqual(
          [judgement.outcome, judgement.score, judgement.note, requests.length],
          ['fail', 0, 'the submission is binary: expected UTF-8 text', 0],
        );
        assert.ok(judgement.results.every((result) => result.kind === 'criterion' && result.score === 0));
      },
    ));
});

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

describe('the record', () => {
  test('gives the same scores again, and notices a change', () =>
    withJudge(
      (request) => scriptedAnswer(request, { c1: [90, 10, 70][sampleOf(request)] ?? 0, c2: 60, c3: 61 }),
      async (judge) => {
        const { record } = await judge();
        const read = ModelRecord.parse(JSON.parse(JSON.stringify(record)));
        assert.deepEqual(scoresOfRecord(read), { c1: 70, c2: 60, c3: 61 });
        const [sample] = read.samples;
        const answer = sample?.answers['c1'];
        assert.ok(answer);
        answer.score = 100;
        assert.equal(scoresOfRecord(read), null);
        assert.equal(scoresOfRecord({ ...read, samples: read.samples.slice(1) }), null);
      },
    ));
});
