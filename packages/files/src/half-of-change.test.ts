import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ChangeSet } from './change-set.ts';
import { halfOfChange } from './half-of-change.ts';

let t0: string;

beforeEach(async () => {
  t0 = await mkdtemp(join(tmpdir(), 'assay-half-'));
});

afterEach(() => rm(t0, { recursive: true, force: true }));

const numbered = (to: number, changed: Record<number, string> = {}): string =>
  Array.from({ length: to }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join('');

function changeOf(files: Record<string, string | Buffer>, deleted: string[] = []): ChangeSet {
  return {
    files: Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content), executable: false })),
    deleted,
  };
}

/** The half, with contents as Latin-1. */
async function halve(change: ChangeSet): Promise<{ files: Record<string, string>; deleted: string[] } | null> {
  const half = await halfOfChange(t0, change);
  return (
    half && {
      files: Object.fromEntries(half.files.map((file) => [file.path, file.content.toString('latin1')])),
      deleted: half.deleted,
    }
  );
}

describe('halfOfChange', () => {
  test('inside one file: the first half of its hunks over the content of T0', async () => {
    await writeFile(join(t0, 'f'), numbered(100));
    const half = await halve(changeOf({ f: numbered(100, { 10: 'ten', 50: 'fifty', 90: 'ninety\nand more' }) }));
    assert.deepEqual(half, { files: { f: numbered(100, { 10: 'ten' }) }, deleted: [] });
  });

  test('line ends, bytes that are no UTF-8 and a missing final newline are kept', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `\xe9${index}\r\n`);
    await writeFile(join(t0, 'f'), Buffer.from(lines.join(''), 'latin1'));
    const now = ['top\r\n', ...lines.slice(0, 20), ...lines.slice(25, 39), 'last without newline'].join('');
    assert.deepEqual(await halve(changeOf({ f: Buffer.from(now, 'latin1') })), {
      files: { f: ['top\r\n', ...lines].join('') },
      deleted: [],
    });
    const other = await halve(
      changeOf({ f: Buffer.from(['top\r\n', ...lines.slice(0, 39), 'x', 'y'].join(''), 'latin1') }),
    );
    assert.equal(other?.files['f'], ['top\r\n', ...lines].join(''));
  });

  test('over several files: new, binary and deleted ones are one hunk each', async () => {
    await writeFile(join(t0, 'a.txt'), numbered(60));
    await writeFile(join(t0, 'd.bin'), Buffer.from([0, 1]));
    const change = changeOf(
      { 'a.txt': numbered(60, { 5: 'five', 55: 'fifty-five' }), 'b.txt': 'new\n', 'd.bin': Buffer.from([0, 2]) },
      ['c.txt', 'e.txt', 'g.txt'],
    );
    const half = await halve(change);
    assert.deepEqual([Object.keys(half?.files ?? {}), half?.deleted], [['a.txt', 'b.txt'], []]);
  });

  test('a link of T0 is not read through', async () => {
    await writeFile(join(t0, 'target'), numbered(100));
    await symlink('target', join(t0, 'f'));
    assert.equal(await halve(changeOf({ f: numbered(100, { 10: 'ten', 50: 'fifty' }) })), null);
  });

  test('one hunk, one deletion, one new file, nothing: there is no half', async () => {
    await writeFile(join(t0, 'f'), numbered(100));
    for (const change of [
      changeOf({ f: numbered(100, { 10: 'ten' }) }),
      changeOf({}, ['f']),
      changeOf({ new: numbered(100) }),
      changeOf({}),
    ]) {
      assert.equal(await halve(change), null);
    }
  });

  test('a rewrite of tens of thousands of lines is one hunk, and does not take minutes', async () => {
    await writeFile(join(t0, 'f'), numbered(40_000));
    assert.equal(await halve(changeOf({ f: numbered(40_000).replaceAll('line', 'row') })), null);
  });
});
