import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { contentIdOfSource } from './content-store.ts';
import { openContentStore } from './open-content-store.ts';
import { KUBO_DIRECTORIES, KUBO_FILES } from './testing/kubo-vectors.ts';
import { SAMPLE_TREE, writeSampleTree } from './testing/sample-tree.ts';

const coded = (code: string) => (error: unknown) => AssayError.is(error) && error.code === code;

describe('CIDs are those of Kubo', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-content-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  for (const { name, bytes, v1, v0 } of KUBO_FILES) {
    test(`${name}, version 1 and 0`, async () => {
      const content = bytes();
      assert.deepEqual(await contentIdOfSource(content, 1), { cid: v1, size: content.length });
      assert.deepEqual(await contentIdOfSource(content, 0), { cid: v0, size: content.length });
    });
  }

  test('a file on disk has the CID of its bytes', async () => {
    const { bytes, v1 } = KUBO_FILES[5];
    const file = join(root, 'file');
    await writeFile(file, bytes());
    assert.equal((await contentIdOfSource({ file })).cid, v1);
  });

  test('directories, nested and empty', async () => {
    const sample = join(root, 'sample');
    const nothing = join(root, 'nothing');
    await mkdir(nothing);
    await writeSampleTree(sample);
    for (const version of [0, 1] as const) {
      assert.equal(
        (await contentIdOfSource({ directory: sample }, version)).cid,
        KUBO_DIRECTORIES.sample[`v${version}`],
      );
      assert.equal(
        (await contentIdOfSource({ directory: nothing }, version)).cid,
        KUBO_DIRECTORIES.nothing[`v${version}`],
      );
    }
  });

  test('a link in a directory is refused: its CID would lack it', async () => {
    const directory = join(root, 'linked');
    await mkdir(directory);
    await writeFile(join(directory, 'a'), 'a');
    assert.ok(await contentIdOfSource({ directory }));
    await symlink('/etc/passwd', join(directory, 'b'));
    await assert.rejects(contentIdOfSource({ directory }), coded('CONTENT_UNREADABLE'));
  });

  test('a directory of more entries than one block holds is refused', async () => {
    const directory = join(root, 'many');
    await mkdir(directory);
    for (let index = 0; index < 1200; index += 1) await writeFile(join(directory, `${index}-${'n'.repeat(200)}`), '');
    await assert.rejects(contentIdOfSource({ directory }), coded('CONTENT_UNSUPPORTED'));
  });
});

describe('the local store', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-content-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  test('a directory goes in and comes out as it was', async () => {
    const store = openContentStore({ directory: join(root, 'store'), environment: {} });
    const source = join(root, 'tree');
    await writeSampleTree(source);
    const { cid } = await store.put({ directory: source });
    const target = join(root, 'out');
    await mkdir(target);
    const exported = await store.exportDirectory(cid, target);
    assert.equal(exported.files, Object.keys(SAMPLE_TREE).length);
    for (const [path, bytes] of Object.entries(SAMPLE_TREE))
      assert.deepEqual(await readFile(join(target, path)), bytes, path);
    assert.ok((await stat(join(target, 'void'))).isDirectory());
    assert.deepEqual(await store.get(cid, { path: 'src/main.ts' }), SAMPLE_TREE['src/main.ts']);
    await assert.rejects(store.get(cid, { path: 'src/none' }), coded('CONTENT_NOT_FOUND'));
    await assert.rejects(store.get(cid), coded('CONTENT_UNSUPPORTED'));
  });
});
