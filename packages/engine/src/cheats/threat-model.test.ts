import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SEAL_NAMES } from '@assay/protocol';
import { CHEATS } from './index.ts';

const REQUIRED = ['B1', 'B5', 'C1', 'C2', 'D1', 'D3', 'E2', 'E4', 'E11', 'E12', 'E14', 'E17', 'F1', 'F2'];

test('the corpus has every required cheat once, and two or more a group', () => {
  const ids = CHEATS.map((cheat) => cheat.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length >= 24);
  for (const id of REQUIRED) assert.ok(ids.includes(id), id);
  for (const group of 'ABCDEFGJK') assert.ok(ids.filter((id) => id.startsWith(group)).length >= 2, `group ${group}`);
});

test('every seal has a cheat that it stops', () => {
  const stopped = new Set<string>(CHEATS.map((cheat) => cheat.seal));
  assert.deepEqual(
    SEAL_NAMES.filter((seal) => !stopped.has(seal)),
    [],
  );
});

test('docs/threat-model.md lists every cheat and every open one', async () => {
  const page = await readFile(new URL('../../../../docs/threat-model.md', import.meta.url), 'utf8');
  for (const cheat of CHEATS) {
    assert.ok(
      page.includes(`| ${cheat.id} | ${cheat.title} | \`${cheat.seal}\` | ${cheat.open ? '**open**' : 'blocked'} |`),
      `${cheat.id} in the table`,
    );
    if (cheat.open)
      assert.ok(
        page.includes(`**${cheat.id}** ${cheat.title}: ${cheat.open}`),
        `${cheat.id} among what still succeeds`,
      );
  }
});
