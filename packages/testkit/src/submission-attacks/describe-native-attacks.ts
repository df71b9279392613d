import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runTests, type SandboxProvider } from '@assay/sandbox';
import type { SubmissionAttack } from './attack.ts';
import { GO_ATTACKS } from './go-attacks.ts';
import { PYTHON_ATTACKS, PYTHON_SEARCH_CONTROLS } from './python-attacks.ts';
import { runAttack } from './run-attack.ts';
import { RUST_ATTACKS } from './rust-attacks.ts';

const SUITES: Record<'python' | 'go' | 'rust', readonly SubmissionAttack[]> = {
  python: PYTHON_ATTACKS,
  go: GO_ATTACKS,
  rust: RUST_ATTACKS,
};

/**
 * Declares a test for each attack of submissions in a language that runs as a process. See `describeSubmissionAttacks`
 * for what must not come of them.
 */
export function describeNativeAttacks(
  name: string,
  provider: SandboxProvider,
  language: keyof typeof SUITES,
  { skip }: { skip?: string | undefined } = {},
): void {
  describe(`attacks of ${language} submissions on ${name}`, { skip: skip ?? false }, () => {
    for (const attack of SUITES[language]) test(attack.name, () => runAttack(provider, attack));
    for (const { name: place, code } of language === 'python' ? PYTHON_SEARCH_CONTROLS : []) {
      test(`control: a search of ${place} finds what is there`, () => checkFinds(provider, code));
    }
  });
}

async function checkFinds(provider: SandboxProvider, code: string): Promise<void> {
  const secret = `LATER-${'0123456789ab'.repeat(2)}`;
  const [result] = await runTests(provider, code, 'attack', [{ input: [secret], expected: secret }], {
    language: 'python',
    timeoutMs: 20_000,
  });
  assert.equal(result?.error, undefined);
}
