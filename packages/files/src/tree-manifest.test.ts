import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { writeChange } from './apply-change.ts';
import { collectChange, diffManifests, readManifest, type TreeManifest } from './tree-manifest.ts';

let root: string;
let tree: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-manifest-'));
  tree = join(root, 'tree');
  outside = join(root, 'outside');
  mkdirSync(outside);
  put('src/a.py', 'a = 1\n');
  put('src/b.py', 'b = 1\n');
  put('run.sh', '#!/bin/sh\n', 0o755);
  put('data.bin', Buffer.from([0, 255, 13, 10]));
  writeFileSync(join(outside, 'secret'), 'secret of the host');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: string | Buffer, mode = 0o644): void {
  const target = join(tree, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  chmodSync(target, mode);
}

async function t0(): Promise<TreeManifest> {
  return (await readManifest(tree)).manifest;
}

const tooLarge = (error: unknown): boolean => AssayError.is(error) && error.code === 'SUBMISSION_TOO_LARGE';

describe('readManifest', () => {
  test('lists regular files with digest, size and executable bit', async () => {
    const manifest = await t0();
    assert.deepEqual([...manifest.keys()], ['data.bin', 'run.sh', 'src/a.py', 'src/b.py']);
    assert.deepEqual(manifest.get('run.sh')?.executable, true);
    assert.deepEqual(manifest.get('src/a.py'), {
      sha256: execFileSync('sha256sum', [join(tree, 'src/a.py')])
        .toString()
        .slice(0, 64),
      executable: false,
      size: 6,
    });
  });

  test('reads files larger than one piece whole', async () => {
    put('large', Buffer.alloc(3 * 1024 * 1024 + 7, 'xyz'));
    const expected = execFileSync('sha256sum', [join(tree, 'large')])
      .toString()
      .slice(0, 64);
    assert.equal((await t0()).get('large')?.sha256, expected);
  });

  test('passes ignored names by at any depth and keeps to its caps', async () => {
    put('.git/config', 'x');
    put('src/.git/config', 'x');
    const { manifest } = await readManifest(tree, { ignore: ['.git'] });
    assert.equal(manifest.size, 4);
    await assert.rejects(readManifest(tree, { maxFiles: 3 }), tooLarge);
    await assert.rejects(readManifest(tree, { maxBytes: 10 }), tooLarge);
  });

  test('names what it skips and follows no link', async () => {
    symlinkSync(outside, join(tree, 'linked'));
    symlinkSync(join(outside, 'secret'), join(tree, 'secret'));
    execFileSync('mkfifo', [join(tree, 'fifo')]);
    const { manifest, skipped } = await readManifest(tree);
    assert.equal(manifest.size, 4);
    assert.deepEqual(skipped, [
      { path: 'fifo', reason: 'a FIFO' },
      { path: 'linked', reason: 'a symbolic link' },
      { path: 'secret', reason: 'a symbolic link' },
    ]);
    // Control: reading by path does reach the host.
    assert.equal(readFileSync(join(tree, 'linked/secret'), 'utf8'), 'secret of the host');
  });
});

describe('diffManifests', () => {
  test('tells added, changed (bytes or bit) and deleted', async () => {
    const before = await t0();
    put('new.py', '');
    put('src/a.py', 'a = 2\n');
    chmodSync(join(tree, 'src/b.py'), 0o755);
    rmSync(join(tree, 'data.bin'));
    assert.deepEqual(diffManifests(before, await t0()), {
      added: ['new.py'],
      changed: ['src/a.py', 'src/b.py'],
      deleted: ['data.bin'],
    });
  });
});

describe('collectChange', () => {
  test('hands over what changed, whatever git was told to hide', async () => {
    const before = await t0();
    put('.gitignore', '*\n');
    put('.gitattributes', '* -diff\n');
    put('src/a.py', 'a = 2\n');
    put('src/same-size.py', 'x');
    put('data.bin', Buffer.from([1, 255, 13, 10]));
    chmodSync(join(tree, 'src/b.py'), 0o755);
    chmodSync(join(tree, 'run.sh'), 0o4755);
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(
      change.files.map(({ path, executable }) => [path, executable]),
      [
        ['.gitattributes', false],
        ['.gitignore', false],
        ['data.bin', false],
        ['src/a.py', false],
        ['src/b.py', true],
        ['src/same-size.py', false],
      ],
    );
    assert.deepEqual(change.files.find((file) => file.path === 'data.bin')?.content, Buffer.from([1, 255, 13, 10]));
    assert.deepEqual([change.deleted, dropped], [[], []]);
  });

  test('nothing changed is nothing', async () => {
    assert.deepEqual(await collectChange(tree, await t0()), { change: { files: [], deleted: [] }, dropped: [] });
  });

  test('a file of T0 that became a link or a directory is gone', async () => {
    const before = await t0();
    rmSync(join(tree, 'src/a.py'));
    symlinkSync(join(outside, 'secret'), join(tree, 'src/a.py'));
    rmSync(join(tree, 'run.sh'));
    put('run.sh/inner', 'x');
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(change.deleted, ['run.sh', 'src/a.py']);
    assert.deepEqual(
      change.files.map((file) => file.path),
      ['run.sh/inner'],
    );
    assert.deepEqual(dropped, [{ path: 'src/a.py', reason: 'a symbolic link' }]);
  });

  test('a directory of T0 that became a link is not entered', async () => {
    const before = await t0();
    renameSync(join(tree, 'src'), join(outside, 'src'));
    put('../outside/src/a.py', 'a = 666\n');
    symlinkSync(join(outside, 'src'), join(tree, 'src'));
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(change, { files: [], deleted: ['src/a.py', 'src/b.py'] });
    assert.deepEqual(dropped, [{ path: 'src', reason: 'a symbolic link' }]);
  });

  test('links, FIFOs, sockets and devices are dropped with a note, and none is opened', async (context) => {
    const before = await t0();
    symlinkSync('/etc', join(tree, 'etc'));
    execFileSync('mkfifo', [join(tree, 'fifo')]);
    const server = createServer().listen(join(tree, 'socket'));
    context.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    if (process.getuid?.() === 0) execFileSync('mknod', [join(tree, 'zero'), 'c', '1', '5']);
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(change, { files: [], deleted: [] });
    const reasons = new Map(dropped.map(({ path, reason }) => [path, reason]));
    assert.deepEqual(
      [reasons.get('etc'), reasons.get('fifo'), reasons.get('socket')],
      ['a symbolic link', 'a FIFO', 'a socket'],
    );
    if (process.getuid?.() === 0) assert.equal(reasons.get('zero'), 'a device');
  });

  test('links of T0 that are still there need no note', async () => {
    symlinkSync('src', join(tree, 'alias'));
    const { manifest, skipped } = await readManifest(tree);
    const { dropped } = await collectChange(tree, manifest, {
      skippedAtT0: new Set(skipped.map((entry) => entry.path)),
    });
    assert.deepEqual(dropped, []);
  });

  test('git data and output of tools stay behind, unless T0 tracks them', async () => {
    put('test/node_modules/fixture/index.js', 'tracked');
    put('legacy.pyc', 'tracked');
    const before = await t0();
    put('.git/hooks/post-checkout', '#!/bin/sh\n');
    put('.GIT/config', 'x');
    put('src/__pycache__/a.pyc', 'x');
    put('node_modules/left-pad/index.js', 'x');
    put('my-env/pyvenv.cfg', 'x');
    put('my-env/bin/python', 'x');
    put('stray.pyc', 'x');
    put('test/node_modules/fixture/index.js', 'changed');
    put('test/node_modules/other.js', 'new');
    put('legacy.pyc', 'changed');
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(
      change.files.map((file) => file.path),
      ['legacy.pyc', 'test/node_modules/fixture/index.js'],
    );
    assert.deepEqual(
      dropped.map((entry) => entry.path),
      ['.GIT', '.git', 'my-env', 'node_modules', 'src/__pycache__', 'stray.pyc', 'test/node_modules/other.js'],
    );
  });

  test('names that are no UTF-8 are dropped; odd ones are not', async () => {
    const before = await t0();
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/bad`), Buffer.from([0xff])]), 'x');
    mkdirSync(Buffer.concat([Buffer.from(`${tree}/dir`), Buffer.from([0xe9])]));
    put('new\nline "quoted" é\\.txt', 'x');
    put('-rf', 'x');
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(
      change.files.map((file) => file.path),
      ['-rf', 'new\nline "quoted" é\\.txt'],
    );
    assert.deepEqual(
      dropped.map((entry) => entry.path),
      ['badÿ', 'diré'],
    );
  });

  test('a hard link to a file of the tree is a file like any other', async () => {
    const before = await t0();
    linkSync(join(tree, 'src/a.py'), join(tree, 'src/c.py'));
    const { change } = await collectChange(tree, before);
    assert.deepEqual(
      change.files.map((file) => [file.path, file.content.toString()]),
      [['src/c.py', 'a = 1\n']],
    );
  });

  test('caps hold: files, bytes, and a sparse file that claims a terabyte', async () => {
    const before = await t0();
    put('one', 'x'.repeat(100));
    put('two', 'x');
    await assert.rejects(collectChange(tree, before, { maxFiles: 1 }), tooLarge);
    await assert.rejects(collectChange(tree, before, { maxBytes: 100 }), tooLarge);
    assert.equal((await collectChange(tree, before, { maxFiles: 2, maxBytes: 101 })).change.files.length, 2);
    truncateSync(join(tree, 'two'), 1024 ** 4);
    assert.ok(statSync(join(tree, 'two')).blocks < 100);
    await assert.rejects(collectChange(tree, before), tooLarge);
  });

  test('notes are bounded', async () => {
    const before = await t0();
    for (let index = 0; index < 1_050; index += 1) symlinkSync('x', join(tree, `link${index}`));
    const { dropped } = await collectChange(tree, before);
    assert.equal(dropped.length, 1_001);
    assert.equal(dropped.at(-1)?.reason, 'and 50 more');
  });

  test('very deep trees end with a note', async () => {
    const before = await t0();
    put(`${Array.from({ length: 150 }, () => 'd').join('/')}/x`, 'x');
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(change.files, []);
    assert.equal(dropped[0]?.reason, 'it lies too deep');
  });

  test('a directory swapped for a link during the walk leads nowhere', async () => {
    const before = await t0();
    mkdirSync(join(outside, 'deep'));
    writeFileSync(join(outside, 'deep', 'secret'), 'secret of the host');
    put('swap/secret', 'own');
    const swapper = execSwapper(join(tree, 'swap'), join(outside, 'deep'));
    try {
      // Control: reading by path is led astray.
      while (readByPath(join(tree, 'swap/secret')) !== 'secret of the host') await nextTurn();
      for (let round = 0; round < 200; round += 1) {
        const { change } = await collectChange(tree, before);
        for (const file of change.files) assert.notEqual(file.content.toString(), 'secret of the host');
      }
    } finally {
      swapper.kill('SIGKILL');
      await swapper.ended;
    }
  });
});

function readByPath(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function execSwapper(
  directory: string,
  target: string,
): { kill(signal: NodeJS.Signals): void; ended: Promise<unknown> } {
  const script = `const fs = require('fs'); const [d, t] = process.argv.slice(1);
    fs.symlinkSync(t, d + '.link');
    for (;;) { try { fs.renameSync(d, d + '.real'); fs.renameSync(d + '.link', d); fs.renameSync(d, d + '.link'); fs.renameSync(d + '.real', d); } catch {} }`;
  const child = spawn(process.execPath, ['-e', script, directory, target], { stdio: 'ignore' });
  return { kill: (signal) => child.kill(signal), ended: new Promise((resolve) => child.once('close', resolve)) };
}

/** Directories nested as deep as an agent may: each is made from within the one above it. */
function nest(name: string, levels: number, file: string): void {
  const program =
    'const fs = require("fs"); const [top, name, levels, file] = process.argv.slice(1); process.chdir(top);' +
    'for (let level = 0; level < Number(levels); level += 1) { fs.mkdirSync(name); process.chdir(name); } fs.writeFileSync(file, "x");';
  execFileSync(process.execPath, ['-e', program, tree, name, String(levels), file]);
}

describe('paths that no host directory can be put before', () => {
  for (const [what, levels] of [
    ['beyond the longest path', 40],
    ['near the longest path', 16],
  ] as const)
    test(`${what}: dropped with a note, and the rest is collected`, async () => {
      const before = await t0();
      nest('n'.repeat(250), levels, 'deep.py');
      put('src/a.py', 'a = 2\n');
      const { change, dropped } = await collectChange(tree, before);
      assert.deepEqual(
        change.files.map(({ path }) => path),
        ['src/a.py'],
      );
      assert.deepEqual(change.deleted, []);
      assert.equal(dropped.length, 1);
      assert.equal(dropped[0]?.reason, 'it is too long');
      assert.ok((dropped[0]?.path.length ?? 0) < 1100);
    });

  test('whatever is collected can be written behind a host directory', async () => {
    const before = await t0();
    nest('n'.repeat(250), 12, 'deep.py');
    const { change, dropped } = await collectChange(tree, before);
    assert.deepEqual(dropped, []);
    assert.equal(change.files[0]?.path.length, 12 * 251 + 'deep.py'.length);
    const layer = join(root, 'h'.repeat(200), 'h'.repeat(200), 'h'.repeat(200));
    await writeChange(change, layer, null);
    assert.equal(readFileSync(join(layer, change.files[0].path), 'utf8'), 'x');
  });

  test('few files cannot need more directories than there may be files', async () => {
    const before = await t0();
    for (const name of ['a', 'b', 'c']) put(`${name}/1/2/3/4/file`, 'x');
    await assert.rejects(collectChange(tree, before, { maxFiles: 10 }), tooLarge);
  });

  test('a file where packages are mounted is output of a tool', async () => {
    const before = await t0();
    put('node_modules', 'x');
    const { change } = await collectChange(tree, before);
    assert.deepEqual(change.files, []);
  });
});
