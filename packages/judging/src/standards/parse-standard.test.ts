import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STANDARD_TYPES } from '@assay/protocol';
import { exampleStandard } from './example-standards.ts';
import { checkStandard, parseStandard } from './parse-standard.ts';

const check = (value: unknown): readonly string[] =>
  checkStandard(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).problems ?? [];
const CASES = { type: 'test_cases', functionName: 'f', cases: [{ input: [1], expected: 1 }] };

describe('checkStandard', () => {
  for (const type of STANDARD_TYPES) {
    test(`the example of ${type} is valid`, () => {
      const example = exampleStandard(type);
      assert.deepEqual(checkStandard(Buffer.from(JSON.stringify(example))).standard, example);
    });
  }

  test('the documents of the published page are valid', () => {
    assert.deepEqual(
      check({
        type: 'judge_prompt',
        prompt: 'Evaluate this code.',
        criteria: ['correctness', 'efficiency', 'readability'],
        weights: [50, 30, 20],
      }),
      [],
    );
    assert.deepEqual(check({ type: 'checklist', items: ['Includes JSDoc comments'] }), []);
    assert.deepEqual(
      check({
        ...CASES,
        cases: [{ input: [{ a: 1 }, { b: 2 }], expected: { a: 1, b: 2 }, desc: 'merge two flat objects' }],
      }),
      [],
    );
  });

  const WRONG: [name: string, document: unknown, problem: RegExp][] = [
    ['no JSON', '{', /^it is no JSON: /],
    [
      'another type',
      { type: 'vibes' },
      /^type: expected type to be one of test_cases, judge_prompt, checklist, composite$/,
    ],
    ['no object', 3, /^document: /],
    ['a key twice', '{"type":"checklist","items":["a"],"items":["b"]}', /a key twice/],
    ['a field that does not exist', { ...CASES, timeout: 3 }, /^document: Unrecognized key: "timeout"$/],
    ['cases that are no array', { ...CASES, cases: {} }, /^cases: expected an array of cases$/],
    ['no cases', { ...CASES, cases: [] }, /^cases: expected at least one case$/],
    [
      'input that is no array',
      { ...CASES, cases: [{ input: 1, expected: 1 }] },
      /^cases\[0\]\.input: expected an array/,
    ],
    ['a case without expectation', { ...CASES, cases: [{ input: [] }] }, /^cases\[0\]\.expected: expected a value/],
    [
      'expected and throws',
      { ...CASES, cases: [{ input: [], expected: 1, throws: true }] },
      /^cases\[0\]\.expected: a case has/,
    ],
    ['a function name that is code', { ...CASES, functionName: '(()=>1)' }, /^functionName: expected an identifier/],
    [
      'a function name that leads to the engine',
      { ...CASES, functionName: 'a.constructor' },
      /^functionName: constructor is no name/,
    ],
    ['a negative weight', { ...CASES, cases: [{ input: [], expected: 1, weight: -1 }] }, /^cases\[0\]\.weight: /],
    [
      'weights that are all 0',
      { ...CASES, cases: [{ input: [], expected: 1, weight: 0 }] },
      /^cases: the weights must not all be 0$/,
    ],
    ['a pass score below the least', { ...CASES, passScore: 59 }, /^passScore: at least 60/],
    [
      'an unknown tag',
      { ...CASES, cases: [{ input: [{ $type: 'bigint', value: 'x' }], expected: 1 }] },
      /^cases\[0\]\.input: the members of \$type bigint are wrong$/,
    ],
    [
      'Go without a signature',
      { ...CASES, language: 'go' },
      /^signature: expected a signature: go is statically typed$/,
    ],
    [
      'a signature with an unknown type',
      { ...CASES, language: 'rust', signature: { params: ['u7'], returns: 'i64' } },
      /^signature\.params\[0\]: expected bool, i64/,
    ],
    [
      'more arguments than the signature has',
      { ...CASES, language: 'go', signature: { params: [], returns: 'i64' } },
      /^cases\[0\]\.input: expected 0 arguments/,
    ],
    [
      'weights that are not as many as criteria',
      { type: 'judge_prompt', prompt: 'p', criteria: ['a', 'b'], weights: [1] },
      /^weights: expected 2 weights, one for each criterion, not 1$/,
    ],
    [
      'an even number of samples',
      { type: 'judge_prompt', prompt: 'p', samples: 2 },
      /^samples: expected an odd number/,
    ],
    ['an empty checklist', { type: 'checklist', items: [] }, /^items: expected at least one item$/],
    [
      'a child that is wrong',
      { type: 'composite', children: [{ weight: 1, standard: { type: 'checklist', items: [] } }] },
      /^children\[0\]\.standard\.items: expected at least one item$/,
    ],
    ['composites within composites without end', nested(5), /nest deeper than 3/],
  ];
  for (const [name, document, problem] of WRONG) {
    test(`${name}: told with its place`, () => {
      const problems = check(document);
      assert.ok(
        problems.some((text) => problem.test(text)),
        problems.join('\n'),
      );
    });
  }

  test('nesting that would end a stack is told, and so is all below', () => {
    const composites = (levels: number): Buffer =>
      Buffer.from(
        `${'{"type":"composite","children":[{"weight":1,"standard":'.repeat(levels)}{"type":"checklist","items":["a"]}${'}]}'.repeat(levels)}`,
      );
    for (const levels of [167, 3000, 100_000])
      assert.deepEqual(checkStandard(composites(levels)).problems, ['it nests deeper than 500 levels']);
    assert.match(checkStandard(composites(166)).problems?.join('\n') ?? '', /nest deeper than 3/);
    const lists = `{"type":"test_cases","functionName":"f","cases":[{"input":[${'['.repeat(3000)}${']'.repeat(3000)}],"expected":1}]}`;
    assert.deepEqual(checkStandard(Buffer.from(lists)).problems, ['it nests deeper than 500 levels']);
    assert.ok(checkStandard(Buffer.from(`{"type":"checklist","items":["${'[{'.repeat(600)}\\"["]}`)).standard);
  });

  test('bytes that are no text', () => {
    assert.deepEqual(checkStandard(Buffer.from([0xff, 0xfe, 0x00])).problems, ['it is no UTF-8 text']);
  });

  test('parseStandard throws one line', () => {
    assert.throws(() => parseStandard(Buffer.from('{"type":"checklist"}'), 'a.json'), {
      code: 'STANDARD_INVALID',
      message: /^a\.json is no valid standard: items: /,
    });
  });
});

function nested(levels: number): object {
  return levels === 0
    ? { type: 'checklist', items: ['a'] }
    : { type: 'composite', children: [{ weight: 1, standard: nested(levels - 1) }] };
}
