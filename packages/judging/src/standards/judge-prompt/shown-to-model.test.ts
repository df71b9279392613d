import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Judgement } from '@assay/protocol';
import type { FakeReply } from '@assay/testkit';
import { scoresOfRecord } from '../jury/record.ts';
import { isCanary, scriptedAnswer } from '../jury/scripted-answer.fixture.ts';
import { ESSAY, sampleOf, withJudge } from './with-judge.fixture.ts';

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
