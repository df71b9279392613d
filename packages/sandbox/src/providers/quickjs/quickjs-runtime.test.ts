import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runTests, type TestResult } from '@assay/sandbox';
import { QuickJSProvider } from './quickjs-provider.ts';

const provider = new QuickJSProvider();
const MIB = 1024 * 1024;

async function assertHonest(): Promise<void> {
  const [result] = await runTests(provider, 'const add = (a, b) => a + b;', 'add', [{ input: [2, 3], expected: 5 }], {
    timeoutMs: 20_000,
  });
  assert.equal(result?.error, undefined);
}

describe('the thread can be killed', () => {
  test('a native call on a long text does not hear the interrupt: the thread goes, the cases after it are judged', async () => {
    // One call of many seconds: every place of the text is compared with nearly all of the other.
    const code = `function find(size) { const half = "a".repeat(size); return (half + half).indexOf(half + "b"); }`;
    const results = await runTests(
      provider,
      code,
      'find',
      [
        { input: [10], expected: -1 },
        { input: [1.2e7], expected: -1, timeoutMs: 300 },
        { input: [20], expected: -1 },
        { input: [1.2e7], expected: -1, timeoutMs: 300 },
        { input: [30], expected: -1 },
      ],
      { timeoutMs: 20_000, memoryBytes: 512 * MIB },
    );
    assert.deepEqual(
      results.map(({ passed, error = '' }) => (passed ? 'passed' : error)),
      ['passed', 'timed out after 300 ms', 'passed', 'timed out after 300 ms', 'passed'],
    );
    await assertHonest();
  });

  test('an engine that recursion broke is replaced, and the cases after it are judged', async () => {
    const code = 'function parse(depth) { return eval("[".repeat(depth) + "]".repeat(depth)).length; }';
    const results = await runTests(
      provider,
      code,
      'parse',
      [
        { input: [1], expected: 0 },
        { input: [1e6], expected: 1 },
        { input: [2], expected: 1 },
        { input: [1e6], expected: 1 },
        { input: [2], expected: 1 },
      ],
      { timeoutMs: 20_000 },
    );
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false, true, false, true],
    );
    assert.match(results[1]?.error ?? '', /recursion/);
    await assertHonest();
  });

  test('an abort ends it, and the next is judged', async () => {
    const cancel = new AbortController();
    const running = runTests(provider, 'function f() { for (;;); }', 'f', [{ input: [] }], {
      timeoutMs: 600_000,
      signal: cancel.signal,
    });
    setTimeout(() => cancel.abort(), 50);
    await assert.rejects(running, { code: 'INTERRUPTED' });
    await assertHonest();
    await assert.rejects(runTests(provider, 'function f() {}', 'f', [{ input: [] }], { signal: AbortSignal.abort() }), {
      code: 'INTERRUPTED',
    });
  });
});

describe('every case has a fresh runtime', () => {
  const CODE = `
    const seen = (globalThis.count = (globalThis.count ?? 0) + 1);
    function state() {
      const before = [seen, typeof globalThis.left, typeof Array.prototype.extra, typeof [].map, Object.keys({ ...Object.prototype }).length, JSON.stringify({}), Math.random(), Date.now()];
      globalThis.left = 1; Array.prototype.extra = 1; Array.prototype.map = null; Object.prototype.polluted = 1; JSON.stringify = () => 'patched'; Date.now = () => 0; Math.random = () => 0;
      globalThis.kept = 'x'.repeat(1e6);
      return before;
    }`;
  const states = (results: TestResult[]): unknown[] => results.map(({ got }) => got);

  test('nothing of a case is there in the next, nor in the next submission', async () => {
    const cases = Array.from({ length: 5 }, () => ({ input: [] }));
    const [first, ...rest] = states(await runTests(provider, CODE, 'state', cases, { timeoutMs: 20_000 }));
    assert.deepEqual((first as unknown[]).slice(0, 6), [1, 'undefined', 'undefined', 'function', 0, '{}']);
    for (const other of [...rest, ...states(await runTests(provider, CODE, 'state', cases, { timeoutMs: 20_000 }))])
      assert.deepEqual(other, first);
  });

  test('memory that a case took is there again for the next', async () => {
    const code =
      'function take(count) { const all = []; for (let i = 0; i < count; i += 1) all.push(new Uint8Array(1e6).fill(1)); return all.length; }';
    const results = await runTests(
      provider,
      code,
      'take',
      Array.from({ length: 8 }, () => ({ input: [40], expected: 40 })),
      { timeoutMs: 20_000, memoryBytes: 64 * MIB },
    );
    assert.deepEqual(
      results.map(({ error }) => error),
      Array.from({ length: 8 }, () => undefined),
    );
    const [over] = await runTests(provider, code, 'take', [{ input: [40], expected: 40 }], {
      timeoutMs: 20_000,
      memoryBytes: 32 * MIB,
    });
    assert.match(over?.error ?? '', /out of memory/);
  });
});

test('1,000 submissions leave the memory of the judge as it was', async () => {
  const judge = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const bad = index % 20 === 0;
      const code = bad
        ? 'function add() { const all = []; for (;;) all.push(new Array(100).fill(1)); }'
        : `// ${index}\nexport const add = (a: number, b: number): number => a + b;`;
      const [result] = await runTests(provider, code, 'add', [{ input: [index, 1], expected: index + 1 }], {
        timeoutMs: bad ? 300 : 20_000,
        memoryBytes: 16 * MIB,
      });
      assert.equal(result?.passed, !bad, result?.error);
    }
  };
  await judge(0, 200);
  const before = process.memoryUsage.rss();
  await judge(200, 1000);
  const grown = (process.memoryUsage.rss() - before) / MIB;
  assert.ok(grown < 100, `it grew by ${Math.round(grown)} MiB`);
});

test('submissions run side by side, each with its own answer', async () => {
  const judged = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const [result] = await runTests(provider, `const f = () => ${index};`, 'f', [{ input: [], expected: index }], {
        timeoutMs: 20_000,
      });
      return result?.passed;
    }),
  );
  assert.deepEqual(
    judged,
    Array.from({ length: 30 }, () => true),
  );
});

test('other languages are refused', async () => {
  await assert.rejects(runTests(provider, 'x = 1', 'x', [{ input: [] }], { language: 'python' }), {
    code: 'PROVIDER_UNAVAILABLE',
  });
});
