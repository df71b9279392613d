import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import { deletionsBeside, writeChange } from './apply-change.ts';
import type { FileChange } from './change-set.ts';
import { digestEntries, digestDirectory, sha256, sha256File } from './content-digest.ts';
import { writeAtomic, writeJsonAtomic } from './atomic-write.ts';

let root: string;
let layer: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-apply-'));
  layer = join(root, 'layer');
});

afterEach(() => rm(root, { recursive: true, force: true }));

const file = (path: string, content: string | Buffer = 'x', executable = false): FileChange => ({
  path,
  content: Buffer.from(content),
  executable,
});
const unsafe = (error: unknown): boolean => AssayError.is(error) && error.code === 'UNSAFE_PATH';

describe('writeChange', () => {
  test('writes contents, modes and owners, whatever the umask is', async (context) => {
    const umask = process.umask(0o077);
    context.after(() => process.umask(umask));
    await writeChange(
      {
        files: [
          file('a/b/c.txt', 'c'),
          file('a/run', '#!', true),
          file('empty', ''),
          file('odd "n\n', Buffer.from([0, 255])),
        ],
        deleted: ['gone'],
      },
      layer,
    );
    assert.equal(await readFile(join(layer, 'a/b/c.txt'), 'utf8'), 'c');
    assert.deepEqual(await readFile(join(layer, 'odd "n\n')), Buffer.from([0, 255]));
    const stats = await Promise.all(['a/b/c.txt', 'a/run', 'a/b', '.'].map((path) => stat(join(layer, path))));
    assert.deepEqual(
      stats.map(({ mode }) => mode & 0o7777),
      [0o644, 0o755, 0o755, 0o755],
    );
    if (sandboxOwner)
      assert.deepEqual(
        stats.map(({ uid }) => uid),
        stats.map(() => sandboxOwner?.uid),
      );
    assert.deepEqual((await readdir(layer)).sort(), ['a', 'empty', 'odd "n\n']);
  });

  for (const [what, files, deleted] of [
    ['a climbing path', [file('../x')], []],
    ['an absolute path', [file('/x')], []],
    ['git data', [file('sub/.Git/hooks/post-checkout')], []],
    ['a path twice', [file('a'), file('a')], []],
    ['a file below a file', [file('a/b'), file('a')], []],
    ['an unsafe deletion', [], ['../x']],
  ] as [string, FileChange[], string[]][]) {
    test(`refuses ${what}, and writes nothing`, async () => {
      await mkdir(layer);
      await assert.rejects(writeChange({ files, deleted }, layer), unsafe);
      assert.deepEqual(await readdir(layer), []);
      assert.deepEqual(await readdir(root), ['layer']);
    });
  }

  test('refuses a directory that holds something, so that no link can lead it astray', async () => {
    await mkdir(layer);
    await mkdir(join(root, 'outside'));
    await symlink(join(root, 'outside'), join(layer, 'tests'));
    await assert.rejects(writeChange({ files: [file('tests/x')], deleted: [] }, layer), unsafe);
    await symlink(join(root, 'outside'), join(root, 'alias'));
    await assert.rejects(writeChange({ files: [file('x')], deleted: [] }, join(root, 'alias')), unsafe);
    assert.deepEqual(await readdir(join(root, 'outside')), []);
    // Control: writing by path does go through the link.
    await writeFile(join(layer, 'tests/x'), 'x');
    assert.deepEqual(await readdir(join(root, 'outside')), ['x']);
  });

  test('deletionsBeside leaves out what the files bring about themselves', () => {
    const change = {
      files: [file('was-file/now/inside'), file('was-dir'), file('same')],
      deleted: ['was-file', 'was-dir/a', 'was-dir/b/c', 'same', 'plain', 'was-file/other'],
    };
    assert.deepEqual(deletionsBeside(change), ['plain', 'was-file/other']);
  });
});

describe('writeAtomic', () => {
  test('replaces whole, leaves no draft, and the old content when it fails', async () => {
    const path = join(root, 'x.json');
    await writeJsonAtomic(path, { a: 1 });
    await writeJsonAtomic(path, { a: 2 }, { fsync: true });
    assert.equal(await readFile(path, 'utf8'), '{\n  "a": 2\n}\n');
    await mkdir(join(root, 'occupied/inner'), { recursive: true });
    await assert.rejects(writeAtomic(join(root, 'occupied'), 'x'));
    assert.deepEqual((await readdir(root)).sort(), ['occupied', 'x.json']);
  });

  test('many writers at once: a reader sees one of them, whole', async () => {
    const path = join(root, 'shared');
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000));
    await Promise.all(contents.map((content) => writeAtomic(path, content)));
    assert.ok(contents.includes(await readFile(path, 'utf8')));
    assert.deepEqual(await readdir(root), ['shared']);
  });
});

describe('digests', () => {
  test('known answers', async () => {
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    await writeFile(join(root, 'f'), 'abc');
    assert.equal(await sha256File(join(root, 'f')), sha256('abc'));
    assert.equal(await digestDirectory(root), `sha256:${sha256(`f\0${sha256('abc')}\n`)}`);
  });

  test('order does not count, paths and contents do, and links are refused', async () => {
    assert.equal(
      digestEntries([
        ['b', '1'],
        ['a', '2'],
      ]),
      digestEntries([
        ['a', '2'],
        ['b', '1'],
      ]),
    );
    assert.notEqual(digestEntries([['b', '1']]), digestEntries([['a', '1']]));
    await mkdir(join(root, 'd'));
    await writeFile(join(root, 'd/x'), '1');
    const before = await digestDirectory(root);
    assert.equal(await digestDirectory(root, { ignore: ['absent'] }), before);
    assert.notEqual(await digestDirectory(root, { ignore: ['d'] }), before);
    await symlink('x', join(root, 'd/link'));
    await assert.rejects(digestDirectory(root), unsafe);
  });
});
