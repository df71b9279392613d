import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubmissionLanguage } from './case-outcome.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';
import { runTests } from './run-tests.ts';

// The contract as it is published, and no more.
interface PlainSandbox {
  id: string;
  writeFile(path: string, content: string): Promise<void>;
  readFile(path: string): Promise<string>;
  exec(command: string, opts?: { timeout?: number }): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  destroy(): Promise<void>;
}
interface PlainProvider {
  create(opts?: { image?: string; timeout?: number }): Promise<PlainSandbox>;
  destroy(id: string): Promise<void>;
}

/** Refuses whatever the published contract does not have. */
function plainProvider(): PlainProvider {
  const inner = bubblewrapProvider();
  const only = (options: object, ...known: string[]): void =>
    assert.deepEqual(
      Object.keys(options).filter((key) => !known.includes(key)),
      [],
    );
  return {
    async create(options = {}) {
      only(options, 'image', 'timeout');
      const sandbox = await inner.create(options);
      return {
        id: sandbox.id,
        writeFile: (path, content) => {
          assert.equal(typeof content, 'string');
          return sandbox.writeFile(path, content);
        },
        readFile: (path) => sandbox.readFile(path),
        exec: async (command, given = {}) => {
          only(given, 'timeout');
          const { stdout, stderr, exitCode } = await sandbox.exec(command, given);
          return { stdout, stderr, exitCode };
        },
        destroy: () => sandbox.destroy(),
      };
    },
    destroy: (id) => inner.destroy(id),
  };
}

const SUBMISSIONS: Partial<Record<SubmissionLanguage, string>> = {
  python: 'def double(n):\n    return 2 * n if n != 3 else double(n)\n',
  typescript: 'export function double(n: number): number { if (n === 3) throw new Error("three"); return 2 * n; }',
};

for (const language of ['python', 'typescript'] as const) {
  test(`a provider that has only the published members runs ${language}`, async () => {
    const cases = [
      { input: [21], expected: 42 },
      { input: [3], expected: 6 },
      { input: [1], expected: 2 },
    ];
    const results = await runTests(plainProvider(), SUBMISSIONS[language] ?? '', 'double', cases, { language });
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false, true],
    );
  });
}

test("a time-out whose output is lost is the submission's failure, and no broken sandbox", async () => {
  const stopped = { stdout: '', stderr: '', exitCode: 124, timedOut: true };
  const sandbox = {
    id: 'one',
    writeFile: async () => {},
    readFile: async () => '',
    exec: async () => stopped,
    destroy: async () => {},
  };
  const provider = { name: 'stops all', create: async () => sandbox, destroy: async () => {} };
  const results = await runTests(
    provider,
    SUBMISSIONS.python ?? '',
    'double',
    [{ input: [1], expected: 2, timeoutMs: 70 }],
    { language: 'python' },
  );
  assert.deepEqual(
    results.map(({ passed, error }) => [passed, error]),
    [[false, 'timed out after 70 ms']],
  );
});
