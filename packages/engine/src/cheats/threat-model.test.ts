import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SEAL_NAMES } from '@assay/protocol';
import { controlSeals } from './cheat.ts';
import { CHEATS } from './index.ts';

/** How many ids each group of the catalogue of threats has. */
const CATALOGUE = { A: 9, B: 16, C: 20, D: 12, E: 25, F: 11, G: 12, H: 13, I: 15, J: 10, K: 11, L: 10, M: 6 };
const ROOT = new URL('../../../../', import.meta.url);

const readPage = (): Promise<string> => readFile(new URL('docs/threat-model.md', ROOT), 'utf8');

/** The cells of the table below a heading. */
function tableBelow(page: string, heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.slice(2, -2).split(' | '));
}

/** `C5, C8 to C10` is C5, C8, C9, C10. */
function idsOf(cell: string): string[] {
  return cell.split(', ').flatMap((part) => {
    const [, group = '', first, last = first] = /^([A-M])(\d+)(?: to [A-M](\d+))?$/.exec(part) ?? [];
    const count = Number(last) - Number(first) + 1;
    return Array.from({ length: count }, (_, index) => `${group}${Number(first) + index}`);
  });
}

test('each id of the catalogue is a cheat, or stands in the table of those that are none', async () => {
  const page = await readPage();
  const cheats = new Set(CHEATS.map(({ id }) => id.split('-')[0]));
  const others = tableBelow(page, 'Ids without a cheat').flatMap(([cell = '']) => idsOf(cell));
  const catalogue = Object.entries(CATALOGUE).flatMap(([group, count]) => idsOf(`${group}1 to ${group}${count}`));
  assert.deepEqual([...cheats, ...others].toSorted(), catalogue.toSorted());
});

test('each test that the page names is there', async () => {
  const page = await readPage();
  const named = [...page.matchAll(/`((?:packages|test)\/[^`*]+\.[a-z]+)`/g)].map(([, path = '']) => path);
  assert.ok(named.length >= 40);
  assert.deepEqual(
    named.filter((path) => !existsSync(new URL(path, ROOT))),
    [],
  );
});

test('the corpus has each cheat once, 64 or more', () => {
  const ids = CHEATS.map((cheat) => cheat.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length >= 64);
});

test('every seal has a cheat that it stops', () => {
  const stopped = new Set<string>(CHEATS.map((cheat) => cheat.seal));
  assert.deepEqual(
    SEAL_NAMES.filter((seal) => !stopped.has(seal)),
    [],
  );
});

test('docs/threat-model.md lists every cheat and every open one', async () => {
  const page = await readPage();
  const rows = CHEATS.map((cheat) => {
    const seals = controlSeals(cheat).map((name) => `\`${name}\``);
    return [cheat.id, cheat.title, seals.join(' and '), cheat.openInProcess ? '**open** in-process' : 'blocked'];
  });
  assert.deepEqual(tableBelow(page, 'Cheats'), rows);
  for (const { id, title, openInProcess } of CHEATS)
    if (openInProcess) assert.ok(page.includes(`**${id}** ${title}: ${openInProcess}`), id);
});
