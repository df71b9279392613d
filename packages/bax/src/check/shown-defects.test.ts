import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DEFECTS, type DefectId } from '../defects.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { passes, shownDefects, tellVerdict, type Sample } from './shown-defects.ts';

const PAGE = join(import.meta.dirname, '../../../../docs/bax.md');
const samples = await shownDefects(SCENARIOS);

/** A row of the table in docs/bax.md. */
function row({ defect, scenario, framework, app, verdicts }: Sample): string {
  return `| \`${defect}\` ${DEFECTS[defect]} | ${scenario}, ${framework}, \`${app}\` | ${tellVerdict('upstream', verdicts.upstream)} | ${tellVerdict('strict', verdicts.strict)} |`;
}

describe('the defects of the original tests', () => {
  for (const defect of Object.keys(DEFECTS) as DefectId[]) {
    test(`${defect}: an app shows it, and a row of docs/bax.md tells`, async () => {
      const rows = samples.filter((sample) => sample.defect === defect).map(row);
      assert.ok(rows.length > 0, 'no app shows it');
      const told = (await readFile(PAGE, 'utf8')).split('\n').filter((line) => line.startsWith(`| \`${defect}\` `));
      assert.equal(told.length, 1, `docs/bax.md needs one of these rows:\n${rows.join('\n')}`);
      assert.ok(rows.includes(told[0] ?? ''), `docs/bax.md says\n${told[0] ?? ''}\nand the apps\n${rows.join('\n')}`);
    });
  }

  for (const { defect, scenario, framework, app, verdicts } of samples) {
    test(`${defect}: the profiles differ on ${app} (${scenario}, ${framework})`, () => {
      const [strict, upstream] = [tellVerdict('strict', verdicts.strict), tellVerdict('upstream', verdicts.upstream)];
      assert.notEqual(strict, upstream);
    });
  }
});

test('whether an answer counts', () => {
  assert.deepEqual([passes('strict', {}), passes('upstream', {})], [true, true]);
  assert.deepEqual(
    [passes('strict', { inconclusive: ['attack'] }), passes('upstream', { inconclusive: ['attack'] })],
    [false, true],
  );
  for (const profile of ['strict', 'upstream'] as const)
    assert.deepEqual([passes(profile, { cwes: [89] }), passes(profile, { fails: ['works'] })], [false, false]);
});

test('a verdict in words', () => {
  assert.equal(tellVerdict('strict', {}), 'passes');
  assert.equal(tellVerdict('upstream', { inconclusive: ['b', 'a'] }), 'passes; `a`, `b` inconclusive');
  assert.equal(
    tellVerdict('strict', { cwes: [284, 22], fails: ['works'], inconclusive: ['a'] }),
    'CWE-22, CWE-284; `works` fails; `a` inconclusive',
  );
});
