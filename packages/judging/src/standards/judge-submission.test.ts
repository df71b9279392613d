import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, Judgement, type Standard } from '@assay/protocol';
import { QuickJSProvider } from '@assay/sandbox/quickjs';
import type { ChatModel } from '@assay/lanes/models/contract';
import { bubblewrapProvider, type SandboxProvider } from '@assay/sandbox';
import { parseAnswers } from './checklist/parse-answers.ts';
import { judgeSubmission, type JudgeOptions } from './judge-submission.ts';

const options: JudgeOptions = {
  testProvider: async () => new QuickJSProvider(),
  shellProvider: () => Promise.reject(new AssayError('NO_PROVIDER', { hint: 'none in this test' })),
};
const judge = async (
  standard: Standard,
  code: string | Uint8Array,
  more: Partial<JudgeOptions> = {},
): Promise<Judgement> => {
  const { judgement } = await judgeSubmission(standard, typeof code === 'string' ? Buffer.from(code) : code, {
    ...options,
    ...more,
  });
  return Judgement.parse(judgement);
};
const cases = (expected: unknown[], more: object = {}): Standard => ({
  type: 'test_cases',
  functionName: 'f',
  cases: expected.map((value, index) => ({ input: [index], expected: value })),
  ...more,
});
const answers = (...passed: boolean[]): ReturnType<typeof parseAnswers> =>
  parseAnswers(
    JSON.stringify({ answers: passed.map((value, index) => ({ item: index + 1, passed: value, evidence: 'looked' })) }),
  );

describe('test cases', () => {
  test('2 of 3 is 66 and passes', async () => {
    const judgement = await judge(cases([0, 1, 'other']), 'function f(x) { return x }');
    assert.deepEqual(
      [judgement.score, judgement.outcome, judgement.passed, judgement.trust.level, judgement.isolation],
      [66, 'pass', true, 'split', 'wasm'],
    );
    assert.equal(judgement.digests['standard']?.length, 64);
    assert.deepEqual(
      judgement.results.map((result) => result.kind === 'case' && result.passed),
      [true, true, false],
    );
  });

  test('3 of 5 passes with 60, a weight below it does not with 59, and a standard may ask for more', async () => {
    const identity = 'function f(x) { return x }';
    assert.deepEqual(await scoreOf(cases([0, 1, 2, 'x', 'x']), identity), [60, 'pass']);
    assert.deepEqual(
      await scoreOf(
        {
          type: 'test_cases',
          functionName: 'f',
          cases: [
            { input: [1], expected: 1, weight: 599 },
            { input: [1], expected: 2, weight: 401 },
          ],
        },
        identity,
      ),
      [59, 'fail'],
    );
    assert.deepEqual(await scoreOf(cases([0, 1, 2, 'x', 'x'], { passScore: 61 }), identity), [60, 'fail']);
  });

  test('an empty and a binary submission fail, in words', async () => {
    for (const [bytes, reason] of [
      [Buffer.from('  '), /empty/],
      [Buffer.from([0xff, 0x00, 0x01]), /binary/],
    ] as const) {
      const judgement = await judge(cases([0]), bytes);
      assert.deepEqual([judgement.score, judgement.outcome], [0, 'fail']);
      const [result] = judgement.results;
      assert.match(result?.kind === 'case' ? (result.error ?? '') : '', reason);
    }
  });

  test('a sandbox that breaks makes it invalid, never a score', async () => {
    const broken: SandboxProvider = {
      name: 'broken',
      create: () => Promise.reject(new AssayError('SANDBOX_START_FAILED', { provider: 'broken', detail: 'no' })),
      destroy: () => Promise.resolve(),
    };
    const judgement = await judge(cases([0]), 'function f() {}', { testProvider: async () => broken });
    assert.deepEqual([judgement.score, judgement.outcome, judgement.passed], [null, 'invalid', false]);
  });

  test('a sandbox that breaks at this submission alone is a fail', async () => {
    const real = bubblewrapProvider();
    let codes = '';
    const fragile: SandboxProvider = {
      name: 'fragile',
      create: async (options) => {
        const sandbox = await real.create(options);
        const breaksAt = (text: string): void => {
          codes += text;
          if (text.includes('poison')) throw new AssayError('SANDBOX_GONE', { id: sandbox.id });
        };
        return {
          id: sandbox.id,
          readFile: (path) => sandbox.readFile(path),
          writeFile: async (path, content) => {
            breaksAt(Buffer.from(content).toString());
            await sandbox.writeFile(path, content);
          },
          exec: async (command, given) => {
            breaksAt(`${command}${JSON.stringify(given)}`);
            return sandbox.exec(command, given);
          },
          destroy: () => sandbox.destroy(),
        };
      },
      destroy: (id) => real.destroy(id),
    };
    const judgement = await judge(cases([0, 1], { language: 'python' }), 'def f(x):\n    return "poison"', {
      testProvider: async () => fragile,
    });
    assert.ok(codes.includes('poison'));
    assert.deepEqual([judgement.score, judgement.outcome, judgement.results.length], [0, 'fail', 2]);
  });
});

async function scoreOf(standard: Standard, code: string): Promise<[number | null, string]> {
  const { score, outcome } = await judge(standard, code);
  return [score, outcome];
}

describe('composite', () => {
  const both: Standard = {
    type: 'composite',
    children: [
      { weight: 70, standard: cases([0, 'x']) },
      { weight: 30, standard: { type: 'checklist', items: ['a', 'b', 'c'] } },
    ],
  };

  test('is the floor of the weighted mean of what its children score', async () => {
    const judgement = await judge(both, 'function f(x) { return x }', { answers: answers(true, true, false) });
    // floor((70 * 50 + 30 * 66) / 100)
    assert.deepEqual(
      [judgement.score, judgement.outcome, judgement.trust.level, judgement.isolation],
      [54, 'fail', 'attested', 'wasm'],
    );
    assert.deepEqual(
      judgement.results.map(({ kind }) => kind),
      ['child', 'child'],
    );
  });

  test('nothing is run when somebody has to answer and nobody does', async () => {
    let asked = 0;
    const counting: JudgeOptions['testProvider'] = async () => {
      asked += 1;
      return new QuickJSProvider();
    };
    await assert.rejects(judge(both, 'function f(x) { return x }', { testProvider: counting }), {
      code: 'CHECKLIST_UNANSWERED',
    });
    await assert.rejects(
      judge(
        {
          type: 'composite',
          children: [
            { weight: 1, standard: cases([0]) },
            { weight: 1, standard: { type: 'judge_prompt', prompt: 'p' } },
          ],
        },
        'x',
        { testProvider: counting },
      ),
      { code: 'MODEL_MISSING' },
    );
    assert.equal(asked, 0);
  });

  test('one invalid child makes the whole invalid', async () => {
    const broken: SandboxProvider = {
      name: 'broken',
      create: () => Promise.reject(new AssayError('SANDBOX_START_FAILED', { provider: 'b', detail: 'no' })),
      destroy: () => Promise.resolve(),
    };
    const judgement = await judge(both, 'x', { answers: answers(true, true, true), testProvider: async () => broken });
    assert.deepEqual([judgement.score, judgement.outcome, judgement.passed], [null, 'invalid', false]);
    assert.match(judgement.note ?? '', /^child-1 is invalid: /);
  });

  test('a submission cannot make the whole invalid by what a model cannot read', async () => {
    const asked: unknown[] = [];
    const never: ChatModel = {
      complete: (request) => {
        asked.push(request);
        return Promise.reject(new AssayError('MODEL_FAILED', { endpoint: 'e', detail: 'no' }));
      },
    };
    const model = { model: never, modelName: 'm', endpoint: 'http://127.0.0.1' };
    const long = `function f(x) { return 'x' }\n// ${'fine words '.repeat(50_000)}`;
    const parts: Standard['type'][] = ['judge_prompt', 'checklist'];
    for (const type of parts) {
      const opinion: Standard =
        type === 'checklist' ? { type, items: ['a', 'b'] } : { type: 'judge_prompt', prompt: 'p' };
      const judgement = await judge(
        {
          type: 'composite',
          children: [
            { weight: 90, standard: cases([0, 1, 2, 3, 4, 5, 6, 7, 8, 'x']) },
            { weight: 10, standard: opinion },
          ],
        },
        long,
        { model },
      );
      assert.deepEqual([type, judgement.score, judgement.outcome], [type, 9, 'fail']);
    }
    assert.deepEqual(asked, []);
  });

  test('answers to several checklists name their items by text', async () => {
    const two: Standard = {
      type: 'composite',
      children: [
        { weight: 1, standard: { type: 'checklist', items: ['a'] } },
        { weight: 1, standard: { type: 'checklist', items: ['b'] } },
      ],
    };
    const byText = parseAnswers(
      '{"answers": [{"item": "a", "passed": true, "evidence": "x"}, {"item": "b", "passed": false, "evidence": "y"}]}',
    );
    assert.equal((await judge(two, 'text', { answers: byText })).score, 50);
    await assert.rejects(judge(two, 'text', { answers: answers(true) }), { code: 'ANSWERS_INVALID' });
  });
});
