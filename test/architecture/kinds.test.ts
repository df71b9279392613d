import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const NAME = `['"](?:repository|standard|scenario)['"]`;
/** Code that asks which kind a task is, or whether it is one of a certain kind. */
const QUESTION = new RegExp(
  `\\bkind\\s*[=!]==\\s*${NAME}|${NAME}\\s*[=!]==\\s*[\\w.]*\\bkind\\b|case\\s+${NAME}|\\.repository\\s*[=!]==\\s*null`,
);
/** The kinds themselves, the files of each kind's bundle, and what only tests use. */
const OWN = /engine\/src\/(?:kinds|bundle)\/|\.(?:test|fixture)\.ts$/;

test('no file asks which kind a task is, other than the kinds and their bundles', async () => {
  const found: string[] = [];
  for await (const path of glob('packages/{engine,bax,server}/src/**/*.ts', { cwd: ROOT })) {
    if (OWN.test(path)) continue;
    for (const [index, line] of (await readFile(join(ROOT, path), 'utf8')).split('\n').entries())
      if (QUESTION.test(line)) found.push(`${path}:${index + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, [], 'give OpenTask an optional member that a kind brings or not (engine/src/kinds/kind.ts)');
});

test('no stage of a trial knows a kind', async () => {
  const found: string[] = [];
  for (const folder of ['trial', 'job'])
    for await (const path of glob(`packages/engine/src/${folder}/**/*.ts`, { cwd: ROOT })) {
      if (OWN.test(path)) continue;
      const text = await readFile(join(ROOT, path), 'utf8');
      if (/from '[^']*(?:kinds\/(?:repository|standard)\/|verify\/open-repository-task)/.test(text)) found.push(path);
    }
  assert.deepEqual(found, [], 'open tasks with kinds/open-task.ts');
});

test('control: such lines are seen', () => {
  for (const line of [
    "if (task.kind === 'repository') return;",
    "tasks.find(({ kind }) => kind !== 'repository')",
    "case 'standard':",
    "if ('scenario' === meta.kind) return;",
    'if (open.repository === null) return;',
  ])
    assert.match(line, QUESTION);
  assert.doesNotMatch("kind: 'standard',", QUESTION);
});
