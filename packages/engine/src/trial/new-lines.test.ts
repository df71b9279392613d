import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readManifest } from '@assay/files/tree-manifest';
import { newLines } from './new-lines.ts';

let t0Directory = '';
before(async () => {
  t0Directory = await mkdtemp(join(tmpdir(), 'assay-new-lines-'));
  await writeFile(join(t0Directory, 'a.py'), 'one\ntwo\r\nthree\n');
});
after(() => rm(t0Directory, { recursive: true, force: true }));

async function lines(path: string, content: string | Buffer): Promise<[number, number][] | undefined> {
  const { manifest } = await readManifest(t0Directory);
  return newLines({ path, content: Buffer.from(content), executable: false }, { t0Directory, t0: manifest });
}

test('ranges of the lines that T0 does not have, wherever the others moved', async () => {
  assert.deepEqual(await lines('a.py', 'three\nnew\nnewer\none\nlast'), [
    [2, 3],
    [5, 5],
  ]);
  assert.deepEqual(await lines('a.py', 'one\ntwo\n'), []);
  assert.deepEqual(await lines('b.py', 'one\ntwo'), [[1, 2]]);
});

test('nothing is told of what is no text, or too much of it', async () => {
  assert.equal(await lines('a.bin', Buffer.from([1, 0, 2])), undefined);
  assert.equal(await lines('a.py', 'x'.repeat(1024 * 1024 + 1)), undefined);
  assert.equal(await lines('a.py', 'x\none\n'.repeat(2001)), undefined);
});
