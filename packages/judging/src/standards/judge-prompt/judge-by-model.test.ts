import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, Judgement, JudgePromptStandard } from '@assay/protocol';
import { ModelRecord, scoresOfRecord } from '../jury/record.ts';
import { scriptedAnswer } from '../jury/scripted-answer.fixture.ts';
import { ESSAY, sampleOf, STANDARD, withJudge } from './with-judge.fixture.ts';

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
