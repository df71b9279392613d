import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { QuickJSProvider } from '../providers/quickjs/quickjs-provider.ts';
import { calcScore } from './calc-score.ts';
import { reportTests, runTests, type RunTestsOptions } from './run-tests.ts';
import type { TestCase } from './test-case.ts';

const provider = new QuickJSProvider();
const run = (code: string, cases: TestCase[], options: RunTestsOptions = {}): ReturnType<typeof runTests> =>
  runTests(provider, code, 'f', cases, { timeoutMs: 20_000, ...options });

describe('runTests', () => {
  test('the example of the published page: two of three pass, which is 66', async () => {
    const merge = `function deepMerge(a, b) {
      const out = { ...a };
      for (const [key, value] of Object.entries(b)) out[key] = Array.isArray(value) && Array.isArray(out[key]) ? [...out[key], ...value] : value && typeof value === 'object' && out[key] ? deepMerge(out[key], value) : value;
      return out;
    }`;
    const results = await runTests(provider, merge, 'deepMerge', [
      { input: [{ a: 1 }, { b: 2 }], expected: { a: 1, b: 2 }, desc: 'merge two flat objects' },
      { input: [{ a: { x: 1 } }, { a: { y: 2 } }], expected: { a: { x: 1, y: 2 } }, desc: 'deep merge nested objects' },
      { input: [{ a: [1, 2] }, { a: [3] }], expected: { a: [3] }, desc: 'arrays overwrite (not merge)' },
    ]);
    assert.deepEqual(results, [
      { desc: 'merge two flat objects', passed: true, got: { a: 1, b: 2 }, expected: { a: 1, b: 2 } },
      { desc: 'deep merge nested objects', passed: true, got: { a: { x: 1, y: 2 } }, expected: { a: { x: 1, y: 2 } } },
      {
        desc: 'arrays overwrite (not merge)',
        passed: false,
        got: { a: [1, 2, 3] },
        expected: { a: [3] },
        error: '.a: expected 1 elements, got 3',
      },
    ]);
    assert.equal(calcScore(results, 100), 66);
  });

  test('live values go in and come out as what they are', async () => {
    const values = [
      new Map([[1, new Set(['a'])]]),
      12n,
      new Date(0),
      Number.NaN,
      -0,
      undefined,
      /a/g,
      new Uint8Array([1, 2]),
      new Float32Array([0.5]),
    ];
    const [result] = await run(
      'const f = (...all) => [all[0] instanceof Map, all[8] instanceof Float32Array, ...all];',
      [{ input: values, expected: [true, true, ...values] }],
    );
    assert.equal(result?.error, undefined);
    assert.deepEqual(result?.got, [true, true, ...values]);
  });

  test('an error can be what is expected', async () => {
    const code = 'function f(kind) { if (kind) throw new RangeError("too much of " + kind); return 1; }';
    const cases: [TestCase['throws'], boolean][] = [
      [true, true],
      ['much of', true],
      ['little', false],
      [{ name: 'RangeError' }, true],
      [{ name: 'TypeError' }, false],
      [{ name: 'RangeError', message: 'of it' }, true],
      [{ message: 'other' }, false],
    ];
    const results = await run(
      code,
      cases.map(([throws]) => ({ input: ['it'], throws })),
    );
    assert.deepEqual(
      results.map(({ passed }) => passed),
      cases.map(([, passes]) => passes),
    );
    const [returned] = await run(code, [{ input: [''], throws: true }]);
    assert.equal(returned?.error, 'expected an error, but it returned');
    const [stopped] = await run('function f() { for (;;); }', [{ input: [], throws: true, timeoutMs: 200 }]);
    assert.equal(stopped?.error, 'timed out after 200 ms');
  });

  test('rules and limits of a case go before those of the run; weights are kept', async () => {
    const results = await run(
      'const f = (value) => value;',
      [
        { input: [1.05], expected: 1, weight: 3 },
        { input: [1.05], expected: 1, numberTolerance: 0.01 },
        { input: [[2, 1]], expected: [1, 2] },
        { input: [[2, 1]], expected: [1, 2], unordered: true },
      ],
      { numberTolerance: 0.1 },
    );
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false, false, true],
    );
    assert.equal(results[0]?.weight, 3);
    assert.equal(calcScore(results, 100), 66);
  });

  test('what the submission says is one harmless line of bounded length', async () => {
    const [result] = await run(
      String.raw`function f() { throw new Error("a\r\n  b\u001b[2J\u202e" + "x".repeat(5000)); }`,
      [{ input: [] }],
    );
    assert.match(result?.error ?? '', /^it threw Error: a b␛\[2J<U\+202E>x+…$/);
    assert.ok((result?.error ?? '').length < 1100);
  });

  test('a report has values as JSON, and durations', async () => {
    const [report] = await reportTests(provider, 'const f = () => new Set([1n]);', 'f', [
      { input: [], expected: new Set([1n]) },
    ]);
    assert.deepEqual(
      { ...report, durationMs: 0 },
      {
        desc: 'test',
        passed: true,
        got: { $type: 'set', values: [{ $type: 'bigint', value: '1' }] },
        expected: { $type: 'set', values: [{ $type: 'bigint', value: '1' }] },
        durationMs: 0,
      },
    );
  });

  test('no cases, no results', async () => {
    assert.deepEqual(await run('const f = 1;', []), []);
    assert.equal(calcScore([], 100), 0);
  });

  test('cases and options that are wrong are the fault of the caller', async () => {
    const wrong: [unknown, RunTestsOptions?][] = [
      [null],
      ['cases'],
      [{ length: 1 }],
      [[null]],
      [['x']],
      [[{ input: 'x' }]],
      [[{}]],
      [[{ input: [], weight: -1 }]],
      [[{ input: [], weight: Number.NaN }]],
      [[{ input: [], timeoutMs: 0 }]],
      [[{ input: [], timeoutMs: 1e12 }]],
      [[{ input: [], numberTolerance: -1 }]],
      [[{ input: [], numberTolerance: { abs: Number.NaN } }]],
      [[{ input: [{ $type: 'bigint', value: 'x' }] }]],
      [[{ input: [], expected: { $type: 'map' } }]],
      [[{ input: ['x'.repeat(5e6)] }]],
      [Array.from({ length: 10_001 }, () => ({ input: [] }))],
      [[{ input: [] }], { timeoutMs: Number.NaN }],
    ];
    for (const [cases, options] of wrong) {
      await assert.rejects(
        run('const f = () => 1;', cases as TestCase[], options),
        { code: 'BAD_OPTION' },
        JSON.stringify(cases)?.slice(0, 80),
      );
    }
    await assert.rejects(runTests(provider, '', undefined as unknown as string, []), { code: 'BAD_OPTION' });
  });

  test('a submission that is no text, or too long, fails every case', async () => {
    for (const code of [null, 5, {}, 'x'.repeat(11 * 1024 * 1024), '\0']) {
      const results = await run(code as string, [
        { input: [], expected: 1 },
        { input: [], expected: 2 },
      ]);
      assert.deepEqual(
        results.map(({ passed, error }) => [passed, error?.startsWith('the submission is ')]),
        [
          [false, true],
          [false, true],
        ],
      );
    }
  });
});
