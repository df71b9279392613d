import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand, runTests, type SandboxProvider } from '@assay/sandbox';
import type { SubmissionAttack } from './attack.ts';
import { ESCAPE_ATTACKS } from './escape-attacks.ts';
import { EXHAUSTION_ATTACKS } from './exhaustion-attacks.ts';
import { FORGERY_ATTACKS } from './forgery-attacks.ts';
import { LOOKALIKES, NAMES_THAT_ARE_CODE } from './lookalikes.ts';
import { runAttack } from './run-attack.ts';

const ATTACKS: Record<string, readonly SubmissionAttack[]> = {
  escape: ESCAPE_ATTACKS,
  exhaustion: EXHAUSTION_ATTACKS,
  forgery: FORGERY_ATTACKS,
};

/** Values that pretend to be others: what they meet is the same code behind every provider that starts a process. */
const VALUES = 'values';

/** Every attack of the suite. */
export const SUBMISSION_ATTACKS: readonly SubmissionAttack[] = Object.values(ATTACKS).flat();

export interface SubmissionAttackOptions {
  language: 'javascript';
  /** Attacks that succeed with this provider, by name, each with the reason. They must really succeed. */
  knownFailures?: Record<string, string>;
  /**
   * Where the provider's class can be imported from, for the attacks that succeed: they run in a process of their own.
   */
  provider?: { module: string; name: string };
  /** Default: all of them, `escape`, `exhaustion`, `forgery` and `values`. */
  groups?: readonly string[];
  /** Why the provider cannot be here. The suite is then skipped, saying so. */
  skip?: string | undefined;
}

/**
 * Declares a test for each attack of a submission on its judge. An attack fails when nothing of it passed, no secret
 * came out, nothing happened on the host, what is said is one clear line, and the next honest submission is judged
 * right.
 */
export function describeSubmissionAttacks(
  name: string,
  provider: SandboxProvider,
  { knownFailures = {}, provider: source, groups = [...Object.keys(ATTACKS), VALUES], skip }: SubmissionAttackOptions,
): void {
  describe(`attacks of submissions on ${name}`, { skip: skip ?? false }, () => {
    test('every known failure names an attack', () => {
      assert.deepEqual(
        Object.keys(knownFailures).filter((known) => !SUBMISSION_ATTACKS.some((attack) => attack.name === known)),
        [],
      );
    });
    for (const [group, attacks] of Object.entries(ATTACKS)) {
      if (!groups.includes(group)) continue;
      describe(group, () => {
        for (const attack of attacks) {
          const reason = knownFailures[attack.name];
          const title = `${attack.name} (${attack.covers.join(', ')})`;
          if (reason === undefined) test(title, () => runAttack(provider, attack));
          else test(`${title}: succeeds, as ${reason}`, () => assertSucceeds(attack, source));
        }
      });
    }
    if (groups.includes(VALUES)) declareValueAttacks(provider);
    // A process has a clock and chance of its own.
    if (provider.runs === 'javascript')
      test('two runs are the same, byte for byte (I13)', async () => {
        const code =
          'function chance() { return [Math.random(), Math.random(), Date.now(), new Date(), Date(), performance.now(), new Date().getTime(), [3, 1, 2].sort(() => Math.random() - 0.5), Object.keys(globalThis)]; }';
        const run = async (): Promise<string> =>
          JSON.stringify(
            await runTests(provider, code, 'chance', [{ input: [] }, { input: [] }], { timeoutMs: 20_000 }),
          );
        assert.equal(await run(), await run());
      });
  });
}

function declareValueAttacks(provider: SandboxProvider): void {
  test('what looks like the expected value is not it (H7, H9, H12)', async () => {
    for (const [code, expected] of LOOKALIKES) {
      const [result] = await runTests(
        provider,
        `function look() { return (${code}); }`,
        'look',
        [{ input: [], expected }],
        { timeoutMs: 20_000 },
      );
      assert.equal(result?.passed, false, code);
      assert.match(result?.error ?? '', /expected|key|equals nothing/, code);
    }
  });
  test('a name that is code is refused, and nothing runs (H10)', async () => {
    for (const functionName of NAMES_THAT_ARE_CODE) {
      await assert.rejects(
        runTests(provider, 'const a = 1;', functionName, [{ input: [], expected: 1 }]),
        { code: 'BAD_OPTION' },
        functionName,
      );
    }
  });
}

/** Rejects when the attack fails. It runs in a process of its own, which it may end. */
export async function assertSucceeds(
  attack: SubmissionAttack,
  source: SubmissionAttackOptions['provider'],
  timeoutMs = 60_000,
): Promise<void> {
  assert.ok(source, 'a provider with known failures says where it is imported from');
  const script = new URL('attack-process.ts', import.meta.url).pathname;
  const { exitCode, stdout } = await runCommand(
    [process.execPath, '--no-warnings', script, source.module, source.name, attack.name],
    { timeoutMs },
  );
  assert.ok(
    !(exitCode === 0 && stdout.toString('utf8').includes('attack failed')),
    'the attack fails now: take it off the list',
  );
}
