import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompositeStandard, Standard } from './standard.ts';

const CASES = { type: 'test_cases', functionName: 'f', cases: [{ input: [1], expected: null }] };
const PROMPT = { type: 'judge_prompt', prompt: 'Is it right?' };
const CHECKLIST = { type: 'checklist', items: ['reads well', { check: 'is short', probe: { command: 'true' } }] };
const within = (standard: Record<string, unknown>, depth: number): Record<string, unknown> =>
  Array.from({ length: depth }).reduce<Record<string, unknown>>(
    (inner) => ({ type: 'composite', children: [{ weight: 1, standard: inner }] }),
    standard,
  );

describe('standards', () => {
  for (const document of [CASES, PROMPT, CHECKLIST, within(CASES, 1)])
    test(`${String(document['type'])} is accepted as it is`, () =>
      assert.deepEqual(Standard.parse(document), document));

  const REFUSED: Record<string, object> = {
    'an unknown type': { type: 'vibes' },
    'an unknown field': { ...PROMPT, hint: 'x' },
    'a pass score below 60': { ...PROMPT, passScore: 59 },
    'a case without expectation': { ...CASES, cases: [{ input: [] }] },
    'a case with both expectations': { ...CASES, cases: [{ input: [], expected: 1, throws: true }] },
    'no case': { ...CASES, cases: [] },
    'weights that are all 0': { ...CASES, cases: [{ input: [], expected: 1, weight: 0 }] },
    'a compiled language without signature': { ...CASES, language: 'rust' },
    'a case that the signature does not fit': { ...CASES, signature: { params: [], returns: 'i64' } },
    'a function name that is code': { ...CASES, functionName: 'f()' },
    'an even number of samples': { ...PROMPT, samples: 2 },
    'two equal criteria': { ...PROMPT, criteria: ['a', 'a'] },
    'weights that are not one for each criterion': { ...PROMPT, weights: [1, 2] },
    'a time limit of 0': { ...CASES, timeoutMs: 0 },
    'an empty composite': { type: 'composite', children: [] },
    'a composite nested too deep': within(CASES, 10),
  };
  for (const [name, document] of Object.entries(REFUSED))
    test(`${name} is refused`, () => assert.equal(Standard.safeParse(document).success, false));

  test('composites nest three deep, no deeper, and no depth ends the stack', () => {
    assert.deepEqual(Standard.parse(within(CASES, 3)), within(CASES, 3));
    for (const depth of [4, 3000, 100_000])
      for (const schema of [Standard, CompositeStandard])
        assert.deepEqual(
          schema.safeParse(within(CASES, depth)).error?.issues.map(({ path, message }) => [path, message]),
          [[['children'], 'composites nest deeper than 3']],
        );
  });
});
