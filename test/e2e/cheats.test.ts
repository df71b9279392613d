import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isAsDeclared, runCheats, type CheatsResult } from '@assay/engine/commands/cheats';
import { runJob } from '@assay/engine/job/run-job';
import { mineFixtureTask, type FixtureTask, type Language } from './fixture-tasks.ts';

/** Attacks on what a language does not have. */
const NOT_APPLICABLE: Record<Language, string[]> = { python: [], node: ['E5', 'E6'] };

for (const language of ['python', 'node'] satisfies Language[]) {
  describe(`cheats against a ${language} task`, () => {
    let fixture: FixtureTask;
    let result: CheatsResult;
    before(async () => {
      fixture = await mineFixtureTask(language);
      result = await runCheats({ task: fixture.task });
    });
    after(() => fixture?.dispose());

    test('every cheat of the corpus applies to it, but those of other languages', () => {
      assert.deepEqual(
        result.notApplicable.map(({ id }) => id),
        NOT_APPLICABLE[language],
      );
      assert.ok(result.cheats.length >= 64);
      assert.deepEqual(result.failures, []);
    });

    test('each is blocked by its seal, and succeeds without it', () => {
      const wrong = result.cheats.filter((cheat) => !isAsDeclared(cheat));
      assert.deepEqual(
        wrong.map(({ id, seal, blocked, control, sealed, unsealed }) => ({
          id,
          seal,
          blocked,
          control,
          sealed,
          unsealed,
        })),
        [],
      );
    });

    test('its tests are split, so that none is open', () => {
      assert.deepEqual(
        result.cheats.filter(({ open, blocked }) => open !== undefined || !blocked).map(({ id }) => id),
        [],
      );
    });

    test('those that look where answers lie take a canary, and are forged', () => {
      const takers = result.cheats.filter(({ id }) => id === 'D3' || id === 'D9');
      assert.deepEqual(
        takers.map(({ sealed, unsealed }) => [sealed.reward, sealed.trust.level, unsealed.reward]),
        [
          [0, 'forged', 1],
          [0, 'forged', 1],
        ],
      );
    });

    test('taking a seal off is marked, and leaves an honest reference at 1 and the empty submission at 0', async () => {
      for (const [agent, reward] of [
        ['oracle', 1],
        ['nop', 0],
      ] as const) {
        const job = await runJob({
          path: fixture.task,
          agent,
          unseal: [...new Set(result.cheats.map((cheat) => cheat.seal))].filter((seal) => seal !== 'separate-verifier'),
          out: `${fixture.dataset}-${agent}`,
        });
        assert.equal(job.trials[0]?.reward, reward, agent);
        assert.equal(job.trials[0]?.trust.level, 'unsealed');
      }
    });
  });
}
