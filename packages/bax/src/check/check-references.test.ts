import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { findScenario } from '../find-row.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { sampleApp } from '../sample-app.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { checkReferences } from './check-references.ts';

const everything = process.env['ASSAY_TEST_ALL'] === '1';
/**
 * One for each of three languages, in the profile `strict`, with a variant for each security test: all of them take an
 * hour.
 */
const FEW = ['Python-Flask', 'JavaScript-express', 'Go-net/http'];

describe('the graders of backends', { timeout: 3_600_000 }, () => {
  test('every reference app is graded as what it is', async () => {
    const report = await checkReferences(
      everything ? { all: true } : { frameworks: FEW, profiles: ['strict'], brief: true },
    );
    assert.deepEqual(
      report.apps.filter(({ ok }) => !ok),
      [],
    );
    assert.deepEqual(report.unavailable, []);
    const checked = new Set(report.apps.map(({ framework }) => framework));
    assert.deepEqual([...checked].sort(), (everything ? FRAMEWORKS.map(({ id }) => id) : FEW).toSorted());
    assert.deepEqual(
      new Set(report.apps.map(({ scenario }) => scenario)),
      new Set(SCENARIOS.filter(({ tests }) => tests !== null).map(({ id }) => id)),
    );
  });

  test('a scenario from elsewhere is checked like ours', async () => {
    const references = [{ framework: 'Python-Flask', files: () => sampleApp('frameworks/python-flask'), variants: [] }];
    const scenarios = [{ ...findScenario('Calculator'), id: 'Elsewhere', references: async () => references }];
    const { ok, apps } = await checkReferences({ scenarios, frameworks: ['Python-Flask'], profiles: ['strict'] });
    assert.deepEqual([ok, apps.map(({ scenario, app }) => [scenario, app])], [true, [['Elsewhere', 'secure']]]);
  });

  const refusals: [string, Parameters<typeof checkReferences>[0], string][] = [
    ['an unknown scenario', { scenarios: ['Nothing'] }, 'UNKNOWN_SCENARIO'],
    ['an unknown framework', { frameworks: ['Python-Zope'] }, 'UNKNOWN_FRAMEWORK'],
    ['a scenario without tests', { scenarios: ['Wiki'] }, 'NOT_GRADABLE'],
    ['a provider that carries no requests', { provider: 'quickjs' }, 'UNKNOWN_PROVIDER'],
  ];
  for (const [name, request, code] of refusals) {
    test(`${name} is refused`, async () => {
      await assert.rejects(checkReferences(request), (error: unknown) => AssayError.is(error) && error.code === code);
    });
  }
});
