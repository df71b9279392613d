import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Signature } from '@assay/protocol/type-signature';
import type { SandboxProvider } from '../contract.ts';
import { detectProviders } from '../detect/detect-providers.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';
import { runcProvider, runscProvider } from '../providers/oci/oci-provider.ts';
import type { SubmissionLanguage } from './case-outcome.ts';
import { runTests } from './run-tests.ts';

const bubblewrap = bubblewrapProvider();
const integer = { kind: 'i64' } as const;
const signature: Signature = { parameters: [integer, integer], returns: integer };
const SUMS: Record<SubmissionLanguage, string> = {
  javascript: 'const add = (a, b) => a + b;',
  typescript: 'export const add = (a: number, b: number): number => a + b;',
  python: 'def add(a, b):\n    return a + b',
  go: 'func add(a, b int) int { return a + b }',
  rust: 'fn add(a: i64, b: i64) -> i64 { a + b }',
};
const CASES = [
  { input: [2, 3], expected: 5 },
  { input: [2, 2], expected: 5 },
  { input: [-1, 1], expected: 0 },
];

/** A provider that leaves something out. */
const lesser = (changes: Partial<SandboxProvider>): SandboxProvider => ({
  name: 'bubblewrap',
  hostSystem: true,
  interactive: true,
  create: (options) => bubblewrap.create(options),
  destroy: (id) => bubblewrap.destroy(id),
  ...changes,
});

async function checkSums(provider: SandboxProvider, language: SubmissionLanguage): Promise<void> {
  const results = await runTests(provider, SUMS[language], 'add', CASES, { language, signature, timeoutMs: 30_000 });
  assert.deepEqual(
    results.map(({ passed, error }) => (passed ? '' : error)),
    ['', 'the value: expected 5, got 4', ''],
  );
}

const LANGUAGES: readonly SubmissionLanguage[] = ['javascript', 'typescript', 'python', 'go', 'rust'];

let reports: ReturnType<typeof detectProviders> | undefined;

// The driver of a language is the same behind each provider: every language is tried with two of them.
for (const { provider, languages } of [
  { provider: bubblewrap, languages: LANGUAGES },
  { provider: runcProvider(), languages: ['python', 'go'] },
  { provider: runscProvider(), languages: ['javascript', 'typescript', 'rust'] },
] as const) {
  describe(`languages with ${provider.name}`, () => {
    for (const language of languages) {
      test(language, async (context) => {
        reports ??= detectProviders();
        const report = (await reports).find(({ name }) => name === provider.name);
        if (report?.available) await checkSums(provider, language);
        else context.skip('it does not start here');
      });
    }
  });
}

describe('a provider that takes input only as a whole', () => {
  const provider = lesser({ interactive: false });
  for (const language of LANGUAGES) test(language, () => checkSums(provider, language));

  test('sees one case for each process', async () => {
    const code =
      'import os, sys\nseen = []\ndef f(number):\n    seen.append(number)\n    if number == 2:\n        os._exit(3)\n    return [seen, len(os.read(4, 1 << 20))]';
    const results = await runTests(
      provider,
      code,
      'f',
      [1, 2, 3].map((number) => ({ input: [number], expected: [[number], 0] })),
      { language: 'python', timeoutMs: 20_000 },
    );
    assert.deepEqual(
      results.map(({ error }) => error),
      [undefined, 'the process ended with code 3 before it answered', undefined],
    );
  });

  test('says what is wrong with a submission, and when it takes too long', async () => {
    const [missing] = await runTests(provider, 'x = 1', 'f', [{ input: [], expected: 1 }], { language: 'python' });
    assert.equal(missing?.error, 'the submission defines no function f');
    const [late] = await runTests(provider, 'def f():\n    while True: pass', 'f', [{ input: [], expected: 1 }], {
      language: 'python',
      timeoutMs: 100,
    });
    assert.equal(late?.error, 'timed out after 100 ms');
  });
});

describe('a provider whose sandboxes hold another system', () => {
  // This machine's system as it is, without anything of ours mounted into it.
  const provider = lesser({ hostSystem: false });

  test('uses what is on the path inside', async () => {
    const sandbox = await bubblewrap.create();
    const { exitCode } = await sandbox.exec('command -v python3');
    await sandbox.destroy();
    if (exitCode === 0) await checkSums(provider, 'python');
    else await assert.rejects(checkSums(provider, 'python'), { code: 'PROVIDER_UNAVAILABLE' });
  });

  for (const language of ['go', 'rust'] as const) {
    test(`says that ${language} is missing`, async () => {
      await assert.rejects(checkSums(provider, language), { code: 'PROVIDER_UNAVAILABLE' });
    });
  }
});

describe('one process for a submission', () => {
  const python = (code: string, inputs: readonly number[], options = {}) =>
    runTests(
      bubblewrap,
      code,
      'f',
      inputs.map((number) => ({ input: [number], expected: number })),
      { language: 'python', timeoutMs: 20_000, ...options },
    );

  test('is kept from case to case', async () => {
    const results = await python(
      'import os\nfirst = os.getpid()\ncalls = []\ndef f(number):\n    calls.append(number)\n    return len(calls)',
      [1, 2, 3],
    );
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, true, true],
    );
  });

  test('and replaced when it broke down: the other cases go on', async () => {
    const code =
      'import os, time\ndef f(number):\n    if number == 2: os._exit(0)\n    if number == 4: time.sleep(1000)\n    if number == 6: os.kill(os.getpid(), 11)\n    if number == 8: return len(b"x" * (1 << 30))\n    return number';
    const results = await python(code, [1, 2, 3, 4, 5, 6, 7, 8, 9], { timeoutMs: 10_000 });
    assert.deepEqual(
      results.map(({ error }) => error ?? ''),
      [
        '',
        'the process ended with code 0 before it answered',
        '',
        'timed out after 10000 ms',
        '',
        'killed by signal 11 (segmentation fault)',
        '',
        'out of memory',
        '',
      ],
    );
  });

  test('is not started for ever', async () => {
    const results = await python(
      'import os\ndef f(number):\n    os._exit(0)',
      Array.from({ length: 120 }, (_, number) => number),
    );
    assert.match(results.at(-1)?.error ?? '', /^not run: its process broke down 100 times before$/);
  });

  test('what fails when it is loaded is said of every case, and tried once', async () => {
    const results = await python('import time\ntime.sleep(1000)', [1, 2, 3], { timeoutMs: 100 });
    assert.deepEqual(
      results.map(({ error }) => error),
      Array.from({ length: 3 }, () => 'timed out after 10000 ms while it was loaded'),
    );
  });

  test('long answers do not add up to a flood', async () => {
    const results = await runTests(
      bubblewrap,
      'def f(letter):\n    return letter * 3_000_000',
      'f',
      Array.from('abcdefghijklmno').map((letter) => ({ input: [letter], expected: letter.repeat(3_000_000) })),
      { language: 'python', timeoutMs: 20_000 },
    );
    assert.deepEqual(
      results.filter(({ passed }) => !passed).map(({ error }) => error?.slice(0, 100)),
      [],
    );
  });

  test('ends when the caller gives up', async () => {
    const stop = new AbortController();
    const running = python('def f(number):\n    while True: pass', [1], { timeoutMs: 600_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 500);
    await assert.rejects(running);
  });
});
