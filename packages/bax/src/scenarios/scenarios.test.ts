import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SCENARIOS } from './index.ts';
import { calls, readApi, scenarioConformance } from './scenario-conformance.ts';

test('there are 28 scenarios with 54 paths, in the order of their ids', () => {
  assert.equal(SCENARIOS.length, 28);
  const ids = SCENARIOS.map((scenario) => scenario.id);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.equal(
    SCENARIOS.reduce((sum, scenario) => sum + Object.keys(readApi(scenario).paths).length, 0),
    54,
  );
});

test('every call of every API is what the tests of BaxBench expect of it', () => {
  const lines = SCENARIOS.flatMap((scenario) => [
    `# ${scenario.id}`,
    ...calls(readApi(scenario)).map((call) => call.line),
  ]);
  assert.equal(`${lines.join('\n')}\n`, readFileSync(new URL('__fixtures__/calls.txt', import.meta.url), 'utf8'));
});

/** Their databases are not attacked with SQL. */
const WITHOUT_SQL = ['Recipes', 'ShopOverview'];

for (const scenario of SCENARIOS) {
  // Compiler answers with 200 alone, and its prose does not say so.
  scenarioConformance(scenario, { statusesInProse: scenario.id !== 'Compiler' });

  test(`${scenario.id}: SQL injection is looked for where there is a database`, () => {
    assert.equal(scenario.cwes.includes(89), scenario.needsDatabase && !WITHOUT_SQL.includes(scenario.id));
  });
}
