import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header, Pax } from 'tar';
import { AssayError } from '@assay/protocol';
import { runCommand, sandboxOwner } from '@assay/sandbox';
import { packDirectory, unpackTar } from './tar.ts';

let root: string;
let source: string;
let target: string;
let archive: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-tar-'));
  source = join(root, 'source');
  target = join(root, 'inner', 'target');
  archive = join(root, 'archive.tar.gz');
  await mkdir(source);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const unsafe = (error: unknown): boolean => AssayError.is(error) && error.code === 'UNSAFE_PATH';

async function fill(directory: string): Promise<void> {
  await mkdir(join(directory, '.git/objects'), { recursive: true });
  await mkdir(join(directory, 'empty'));
  await mkdir(join(directory, 'x'.repeat(120)));
  await writeFile(join(directory, '.git/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(directory, 'b.txt'), 'b\n');
  await writeFile(join(directory, 'a ü "q"\n.txt'), 'odd\n');
  await writeFile(join(directory, 'x'.repeat(120), 'y'.repeat(200)), 'long\n');
  await writeFile(join(directory, 'exact'), Buffer.alloc(1024, 7));
  await writeFile(join(directory, 'nothing'), '');
  await writeFile(join(directory, 'large'), Buffer.alloc(3_000_001, 'abc'));
  await writeFile(join(directory, 'run'), '#!/bin/sh\n');
  await chmod(join(directory, 'run'), 0o755);
  await symlink('../b.txt', join(directory, 'empty/../.git/link'));
  await symlink('y'.repeat(150), join(directory, 'long-link'));
}

describe('packDirectory and unpackTar', () => {
  test('come back as they were, with 755 and 644 and the owner', async () => {
    await fill(source);
    await chmod(join(source, 'b.txt'), 0o600);
    await packDirectory(source, archive);
    await unpackTar(archive, target);
    const compared = await runCommand(['diff', '-r', '--no-dereference', source, target]);
    assert.equal(compared.exitCode, 0, compared.stdout.toString());
    const modes = await Promise.all(
      ['b.txt', 'run', 'empty', '.'].map(async (path) => (await stat(join(target, path))).mode & 0o7777),
    );
    assert.deepEqual(modes, [0o644, 0o755, 0o755, 0o755]);
    assert.equal(await readlink(join(target, '.git/link')), '../b.txt');
    if (sandboxOwner)
      for (const path of ['b.txt', 'empty', '.git/link', '.'])
        assert.equal((await lstat(join(target, path))).uid, sandboxOwner.uid);
  });

  test('the same content gives the same bytes, whatever times, owners and modes are', async () => {
    await fill(source);
    const other = join(root, 'other');
    await mkdir(other);
    await fill(other);
    await utimes(join(other, 'b.txt'), 1, 1);
    await chmod(join(other, 'b.txt'), 0o600);
    await packDirectory(source, archive);
    await packDirectory(other, join(root, 'other.tar.gz'));
    assert.deepEqual(await readFile(archive), await readFile(join(root, 'other.tar.gz')));
    await chmod(join(other, 'b.txt'), 0o700);
    await packDirectory(other, join(root, 'third.tar.gz'));
    assert.notDeepEqual(await readFile(archive), await readFile(join(root, 'third.tar.gz')));
  });

  test('other tools read it', async () => {
    await fill(source);
    await packDirectory(source, archive);
    await mkdir(target, { recursive: true });
    assert.equal((await runCommand(['tar', '-xzf', archive, '-C', target])).exitCode, 0);
    assert.equal((await runCommand(['diff', '-r', '--no-dereference', source, target])).exitCode, 0);
  });

  test('hard links are packed as files, a FIFO is refused and no half archive stays', async () => {
    await writeFile(join(source, 'one'), 'x');
    await link(join(source, 'one'), join(source, 'two'));
    await packDirectory(source, archive);
    await unpackTar(archive, target);
    assert.equal(await readFile(join(target, 'two'), 'utf8'), 'x');
    await runCommand(['mkfifo', join(source, 'fifo')]);
    await assert.rejects(packDirectory(source, join(root, 'second.tar.gz')), unsafe);
    assert.deepEqual((await readdir(root)).sort(), ['archive.tar.gz', 'inner', 'source']);
  });
});

interface Member {
  path: string;
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO' | 'ContiguousFile';
  linkpath?: string;
  mode?: number;
  content?: string;
  size?: number;
  pax?: string;
}

function tarOf(members: Member[]): Buffer {
  const blocks: Buffer[] = [];
  for (const {
    path,
    type = 'File',
    linkpath,
    mode = 0o644,
    content = '',
    size = Buffer.byteLength(content),
    pax,
  } of members) {
    if (pax !== undefined) blocks.push(new Pax({ path: pax }).encode());
    const block = Buffer.alloc(512);
    new Header({
      path,
      type,
      mode,
      size,
      uid: 0,
      gid: 0,
      mtime: new Date(0),
      ...(linkpath === undefined ? {} : { linkpath }),
    }).encode(block);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    blocks.push(block, body);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const HOSTILE: [string, Member[]][] = [
  ['an absolute path', [{ path: '/tmp/assay-escaped' }]],
  ['a climbing path', [{ path: '../escaped' }]],
  ['a path that climbs in the middle', [{ path: 'a/../../escaped' }]],
  ['a climbing path in an extended header', [{ path: 'fine', pax: '../escaped' }]],
  ['a NUL in an extended header', [{ path: 'fine', pax: 'a\0b' }]],
  ['an absolute link', [{ path: 'l', type: 'SymbolicLink', linkpath: '/etc' }]],
  ['a link that leads out', [{ path: 'd/l', type: 'SymbolicLink', linkpath: '../../x' }]],
  [
    'links that lead out together',
    [
      { path: 'a/b/up', type: 'SymbolicLink', linkpath: '../..' },
      { path: 'out', type: 'SymbolicLink', linkpath: 'a/b/up/../x' },
    ],
  ],
  [
    'a file behind a link',
    [
      { path: 'l', type: 'SymbolicLink', linkpath: 'd' },
      { path: 'd', type: 'Directory' },
      { path: 'l/x', content: 'x' },
    ],
  ],
  [
    'a link in the place of a directory',
    [
      { path: 'd/x', content: 'x' },
      { path: 'd', type: 'SymbolicLink', linkpath: 'e' },
    ],
  ],
  [
    'a file over a link',
    [
      { path: 'l', type: 'SymbolicLink', linkpath: 'd' },
      { path: 'l', content: 'x' },
    ],
  ],
  [
    'a file twice',
    [
      { path: 'a', content: 'x' },
      { path: 'a', content: 'y' },
    ],
  ],
  [
    'a file below a file',
    [
      { path: 'a', content: 'x' },
      { path: 'a/b', content: 'y' },
    ],
  ],
  [
    'a hard link',
    [
      { path: 'a', content: 'x' },
      { path: 'h', type: 'Link', linkpath: 'a' },
    ],
  ],
  ['a hard link to the host', [{ path: 'h', type: 'Link', linkpath: '/etc/passwd' }]],
  ['a device', [{ path: 'zero', type: 'CharacterDevice' }]],
  ['a FIFO', [{ path: 'fifo', type: 'FIFO' }]],
  ['a member that is longer than the archive', [{ path: 'a', content: 'x', size: 100_000 }]],
];

describe('unpackTar refuses', () => {
  for (const [what, members] of HOSTILE) {
    test(what, async () => {
      await writeFile(archive, gzipSync(tarOf(members)));
      await assert.rejects(unpackTar(archive, target), unsafe);
      assert.deepEqual(await readdir(join(root, 'inner')), ['target']);
      assert.equal(existsSync('/tmp/assay-escaped'), false);
    });
  }

  test('control: the archives of these tests are sound, and GNU tar takes the hard link to the host', async () => {
    await writeFile(
      archive,
      gzipSync(
        tarOf([
          { path: 'a/b', content: 'x' },
          { path: 'c', content: 'c'.repeat(1000), pax: 'long' },
        ]),
      ),
    );
    await unpackTar(archive, target);
    assert.deepEqual((await readdir(target)).sort(), ['a', 'long']);
    await writeFile(archive, gzipSync(tarOf([{ path: 'h', type: 'Link', linkpath: `${root}/archive.tar.gz` }])));
    await mkdir(join(root, 'gnu'));
    await runCommand(['tar', '-xzPf', archive, '-C', join(root, 'gnu')]);
    assert.equal((await stat(join(root, 'gnu/h'))).ino, (await stat(archive)).ino);
  });

  test('setuid and other special modes do not come through', async () => {
    await writeFile(
      archive,
      gzipSync(
        tarOf([
          { path: 's', mode: 0o6777, content: 'x' },
          { path: 'd', type: 'Directory', mode: 0o1777 },
        ]),
      ),
    );
    await unpackTar(archive, target);
    assert.deepEqual(
      [(await stat(join(target, 's'))).mode & 0o7777, (await stat(join(target, 'd'))).mode & 0o7777],
      [0o755, 0o755],
    );
  });

  test('more entries or bytes than allowed, before they are written', async () => {
    await writeFile(
      archive,
      gzipSync(
        tarOf([
          { path: 'a', content: 'x'.repeat(600) },
          { path: 'b', content: 'x'.repeat(600) },
        ]),
      ),
    );
    await assert.rejects(unpackTar(archive, target, { maxEntries: 1 }), unsafe);
    await rm(target, { recursive: true });
    await assert.rejects(unpackTar(archive, target, { maxBytes: 1_000 }), unsafe);
    assert.equal(existsSync(join(target, 'b')), false);
    await rm(target, { recursive: true });
    // A header may claim a terabyte.
    await writeFile(archive, gzipSync(tarOf([{ path: 'bomb', size: 1024 ** 4 }])));
    await assert.rejects(unpackTar(archive, target), unsafe);
  });

  test('what is damaged: no gzip, cut short, a wrong checksum', async () => {
    const whole = tarOf([{ path: 'a', content: 'x'.repeat(5_000) }]);
    const wrong = Buffer.from(whole);
    wrong[0] = 0x62;
    for (const bytes of [
      Buffer.from('no gzip'),
      gzipSync(whole).subarray(0, 60),
      gzipSync(whole.subarray(0, 2_048)),
      gzipSync(wrong),
      gzipSync(Buffer.alloc(0)),
    ]) {
      await writeFile(archive, bytes);
      await assert.rejects(unpackTar(archive, target), unsafe);
      await rm(target, { recursive: true });
    }
  });

  test('a directory that holds something, and says so when the archive is not there', async () => {
    await writeFile(archive, gzipSync(tarOf([{ path: 'a' }])));
    await mkdir(target, { recursive: true });
    await writeFile(join(target, 'other'), '');
    await assert.rejects(unpackTar(archive, target), unsafe);
    await assert.rejects(unpackTar(join(root, 'absent'), join(root, 'new')), { code: 'ENOENT' });
  });
});
