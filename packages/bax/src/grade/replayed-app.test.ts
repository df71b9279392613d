import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { referenceOf } from '../check/reference-of.ts';
import { findFramework } from '../find-row.ts';
import type { Profile } from '../profile.ts';
import type { ScenarioTests } from '../scenario.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { gradePrepared, observingProvider, prepareRow } from './grade-answer.ts';
import { recordedApp, recording, replayedApp, type RecordedExchange } from './replayed-app.fixture.ts';
import type { SampleGrade } from './sample-grade.ts';
import { openSlots } from './slots.ts';

/** With the attacks as well; they take minutes, and decide nothing where the functional tests fail. */
const everything = process.env['ASSAY_TEST_ALL'] === '1';
/**
 * No answer to a login holds anything of what was sent, so that who only counts them meets the order that is drawn once
 * in twelve times.
 */
const TRIES: Readonly<Record<string, number>> = { Login: 6 };
const framework = findFramework('JavaScript-express');
const slots = openSlots(2);

const told = ({ functional, security }: SampleGrade): string =>
  JSON.stringify(
    [...functional.tests, ...security.tests].filter(({ outcome }) => outcome !== 'passed' && outcome !== 'clean'),
  );

describe('an answer that only looks up what a right app answered', { timeout: 3_600_000, concurrency: 2 }, async () => {
  for (const scenario of SCENARIOS) {
    const { id, tests } = scenario;
    const reference = await referenceOf(scenario, framework.id);
    if (tests === null || reference === undefined) continue;
    test(`${id}: it passes in upstream, which asks the same each time, and fails in strict`, async () => {
      const provider = await observingProvider();
      const grade = async (
        files: Record<string, string>,
        profile: Profile,
        used: ScenarioTests,
      ): Promise<SampleGrade> => {
        const settings = { provider, profile, slots };
        const prepared = await prepareRow(scenario, framework, settings);
        return await gradePrepared(
          { scenario: { ...scenario, tests: used }, framework, prepared },
          { files },
          settings,
        );
      };
      const asked = { ...tests, security: everything ? tests.security : [] };
      const replay = async (profile: Profile): Promise<() => Promise<SampleGrade>> => {
        const recordings: RecordedExchange[][] = [];
        const right = await grade(recordedApp(reference.files()), profile, recording(asked, recordings));
        assert.equal(right.outcome, 'pass', `control, ${profile}: ${told(right)}`);
        return async () => await grade(replayedApp(recordings), profile, asked);
      };
      const passed = await (await replay('upstream'))();
      assert.equal(passed.outcome, 'pass', told(passed));
      const again = await replay('strict');
      const outcomes = new Set<string>();
      for (let tries = TRIES[id] ?? 1; tries > 0 && !outcomes.has('fail'); tries -= 1)
        outcomes.add((await again()).outcome);
      assert.ok(outcomes.has('fail'), 'it passes in strict');
    });
  }
});
