import type { Standard } from '@assay/protocol';

const TEST_CASES = {
  type: 'test_cases',
  title: 'Deep merge',
  description:
    'Merge two objects deeply into a new one. Nested objects are merged, everything else of the second wins, ' +
    'and neither argument is changed.',
  functionName: 'deepMerge',
  passScore: 60,
  timeoutMs: 1000,
  cases: [
    { input: [{ a: 1 }, { b: 2 }], expected: { a: 1, b: 2 }, desc: 'two flat objects' },
    { input: [{ a: { x: 1 } }, { a: { y: 2 } }], expected: { a: { x: 1, y: 2 } }, desc: 'nested objects' },
    { input: [{ a: [1, 2] }, { a: [3] }], expected: { a: [3] }, desc: 'arrays are replaced, not merged', weight: 2 },
    { input: [{}, {}], expected: {}, desc: 'nothing at all' },
    { input: [{ a: 1 }, { a: null }], expected: { a: null }, desc: 'null is a value' },
    { input: [null, {}], throws: true, desc: 'what is no object is refused' },
  ],
} as const;

const JUDGE_PROMPT = {
  type: 'judge_prompt',
  title: 'Readable deep merge',
  prompt:
    'Evaluate this code for correctness (are edge cases handled?), efficiency (one pass over each object is enough) ' +
    'and readability (clear names, no needless cleverness).',
  criteria: ['correctness', 'efficiency', 'readability'],
  weights: [50, 30, 20],
  samples: 3,
} as const;

const CHECKLIST = {
  type: 'checklist',
  title: 'Deep merge, by hand',
  items: [
    'Null and undefined are handled without an exception',
    'A new object is returned, and the arguments are not changed',
    { check: 'Nested objects are merged three levels deep and more', weight: 2 },
    {
      check: 'The file is not longer than 100 lines',
      probe: { command: 'test "$(wc -l < "$ASSAY_SUBMISSION")" -le 100' },
    },
  ],
} as const;

/** Returns an example of each type, as `assay standard new` writes it. */
export function exampleStandard(type: Standard['type']): Standard {
  // A copy, because callers may change what they get.
  return structuredClone<unknown>(EXAMPLES[type]) as Standard;
}

const EXAMPLES: Record<Standard['type'], object> = {
  test_cases: TEST_CASES,
  judge_prompt: JUDGE_PROMPT,
  checklist: CHECKLIST,
  composite: {
    type: 'composite',
    title: 'Deep merge, as a whole',
    children: [
      { weight: 70, standard: TEST_CASES },
      { weight: 30, standard: CHECKLIST },
    ],
  },
};
