import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTests } from '../../run-tests/run-tests.ts';
import { LocalSandbank } from './local-sandbank.fixture.ts';
import { SandbankAdapter } from './sandbank-adapter.ts';

const SUBMISSIONS = {
  python: 'def double(n):\n    return 2 * n\n',
  javascript: 'const double = (n) => 2 * n;',
} as const;

for (const [language, code] of Object.entries(SUBMISSIONS)) {
  test(`test cases in ${language} run through a provider of Sandbank`, async () => {
    const cases = [
      { input: [21], expected: 42 },
      { input: [1], expected: 3 },
    ];
    const results = await runTests(new SandbankAdapter(new LocalSandbank()), code, 'double', cases, {
      language: language === 'python' ? 'python' : 'javascript',
    });
    assert.deepEqual(
      results.map(({ passed, got }) => [passed, got]),
      [
        [true, 42],
        [false, 2],
      ],
    );
  });
}
