import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand, sandboxOwner } from '@assay/sandbox';
import { plainGitEnvironment, RepositoryBuilder, type FileContent } from '@assay/testkit';
import { importRepository } from './import-repository.ts';
import { materialiseTree } from './materialise-tree.ts';

let root: string;
let source: RepositoryBuilder;
let target: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-materialise-'));
  source = await RepositoryBuilder.create(join(root, 'source'));
  target = join(root, 'inner', 'tree');
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function materialise(commit: string): Promise<void> {
  const repository = await importRepository(source.directory, join(root, 'cache'));
  try {
    await materialiseTree(repository, commit, target);
  } finally {
    await repository.dispose();
  }
}

const unsupported = (error: unknown): boolean =>
  AssayError.is(error) && error.code === 'UNSUPPORTED_ENTRY' && error.kind === 'task';

/** Commits a tree that git itself would not make, with its entries in the given order. */
async function commitRaw(entries: { mode: string; name: string | Buffer; oid: string }[]): Promise<string> {
  const content = Buffer.concat(
    entries.map(({ mode, name, oid }) =>
      Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]),
    ),
  );
  const written = await runCommand(['git', 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    cwd: source.directory,
    env: plainGitEnvironment(),
    stdin: content,
  });
  const commit = await source.git('commit-tree', written.stdout.toString().trim(), '-m', 'Raw');
  await source.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

async function blob(content: string): Promise<string> {
  const written = await runCommand(['git', 'hash-object', '-w', '--stdin'], {
    cwd: source.directory,
    env: plainGitEnvironment(),
    stdin: content,
  });
  return written.stdout.toString().trim();
}

describe('materialiseTree', () => {
  test('files, modes, links and odd names come out as they were committed', async () => {
    const files: Record<string, FileContent> = {
      'plain.txt': 'x\n',
      'bin/run': { executable: '#!/bin/sh\n' },
      empty: '',
      binary: Buffer.from([0, 1, 255]),
      'lib/link': { link: '../plain.txt' },
      dangling: { link: 'nowhere/at/all' },
      'quote"d\\ \tü\n.txt': 'odd\n',
      '-rf': 'dash\n',
      'deep/er/and/deeper': 'd\n',
    };
    await materialise(await source.commit('All', files));
    for (const [path, content] of Object.entries(files)) {
      if (typeof content === 'string' || content instanceof Uint8Array)
        assert.deepEqual(await readFile(join(target, path)), Buffer.from(content));
    }
    assert.equal(await readlink(join(target, 'lib/link')), '../plain.txt');
    assert.equal(await readlink(join(target, 'dangling')), 'nowhere/at/all');
    const modes = await Promise.all(
      ['bin/run', 'plain.txt', 'bin', '.'].map(async (path) => (await stat(join(target, path))).mode & 0o7777),
    );
    assert.deepEqual(modes, [0o755, 0o644, 0o755, 0o755]);
    if (sandboxOwner)
      for (const path of ['bin/run', 'bin', 'lib/link', '.'])
        assert.equal((await lstat(join(target, path))).uid, sandboxOwner.uid);
  });

  test('attributes change nothing: no line ends, no substitution, no encoding, no filter', async () => {
    const files = {
      '.gitattributes':
        '*.txt text eol=crlf\n*.id ident\n*.sub export-subst\nhidden export-ignore\n*.enc working-tree-encoding=UTF-16\n',
      'a.txt': 'a\nb\n',
      'b.id': '$Id$\n',
      'c.sub': '$Format:%H$\n',
      hidden: 'h\n',
    };
    const commit = await source.commit('Attributes', files);
    await materialise(commit);
    for (const [path, content] of Object.entries(files))
      assert.equal(await readFile(join(target, path), 'utf8'), content, path);
    // Control: a checkout does convert.
    await rm(join(source.directory, 'a.txt'));
    await source.git('checkout', '--', 'a.txt');
    assert.equal(await readFile(join(source.directory, 'a.txt'), 'utf8'), 'a\r\nb\r\n');
  });

  test('submodules are empty directories', async () => {
    const first = await source.commit('First', { a: 'a' });
    await source.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor/sub`);
    await materialise(await source.commit('Submodule', {}, { onlyStaged: true }));
    assert.deepEqual(await readdir(join(target, 'vendor/sub')), []);
  });

  test('thousands of files', async () => {
    const files: Record<string, FileContent> = {};
    for (let index = 0; index < 1_000; index += 1) files[`d${index % 50}/f${index}`] = `content ${index}\n`;
    await materialise(await source.commit('Many', files));
    assert.equal((await readdir(target, { recursive: true })).length, 1_050);
    assert.equal(await readFile(join(target, 'd7/f907'), 'utf8'), 'content 907\n');
  });

  test('the directory must be empty', async () => {
    const commit = await source.commit('First', { a: 'a' });
    await mkdir(target, { recursive: true });
    await writeFile(join(target, 'other'), '');
    await assert.rejects(materialise(commit), (error) => AssayError.is(error) && error.code === 'UNSAFE_PATH');
  });

  for (const name of [
    '..',
    '.',
    '.git',
    '.GIT',
    'git~1',
    '.git ',
    '.g\u200cit',
    'a/../../up',
    '/absolute',
    '',
    'sub/.git',
  ]) {
    test(`the name ${JSON.stringify(name)} is refused`, async () => {
      await assert.rejects(materialise(await commitRaw([{ mode: '100644', name, oid: await blob('x') }])), unsupported);
      assert.deepEqual(existsSync(join(root, 'inner')) ? await readdir(join(root, 'inner')) : [], ['tree']);
    });
  }

  test('a name that is no UTF-8 is refused, as a directory too', async () => {
    const name = Buffer.from([0x61, 0xff]);
    await assert.rejects(materialise(await commitRaw([{ mode: '100644', name, oid: await blob('x') }])), unsupported);
    await rm(target, { recursive: true });
    await source.git('read-tree', '--empty');
    const inner = await source.resolve(`${await source.commit('Inner', { x: 'x' })}^{tree}`);
    await assert.rejects(materialise(await commitRaw([{ mode: '40000', name, oid: inner }])), unsupported);
  });

  test('the same name twice is refused, in every combination', async () => {
    const file = await blob('/etc');
    await source.commit('Inner', { passwd: 'overwritten' });
    const tree = await source.resolve('HEAD^{tree}');
    const modes: [string, string][] = [
      ['100644', file],
      ['120000', file],
      ['40000', tree],
    ];
    for (const [modeA, oidA] of modes) {
      for (const [modeB, oidB] of modes) {
        if (modeA === '40000' && modeB === '40000') continue;
        const commit = await commitRaw([
          { mode: modeA, name: 'x', oid: oidA },
          { mode: modeB, name: 'x', oid: oidB },
        ]);
        await assert.rejects(materialise(commit), unsupported, `${modeA} ${modeB}`);
        await rm(target, { recursive: true });
      }
    }
  });

  for (const [what, files] of [
    ['an absolute link', { a: { link: '/etc/passwd' } }],
    ['a link that climbs out', { 'd/a': { link: '../../x' } }],
    ['a link that climbs out by way of another', { 'a/b/up': { link: '../..' }, out: { link: 'a/b/up/../x' } }],
    ['a circle', { a: { link: 'b/x' }, b: { link: 'a/x' } }],
  ] as [string, Record<string, FileContent>][]) {
    test(`${what} is refused and nothing is linked`, async () => {
      await assert.rejects(materialise(await source.commit('Links', files)), unsupported);
      for (const path of Object.keys(files)) assert.equal(await lstat(join(target, path)).catch(() => null), null);
    });
  }

  test('a tree that unfolds beyond measure is refused', async () => {
    let tree = await commitRaw([{ mode: '100644', name: 'leaf', oid: await blob('x') }]).then((commit) =>
      source.resolve(`${commit}^{tree}`),
    );
    let commit = '';
    for (let level = 0; level < 8; level += 1) {
      const oid = tree;
      commit = await commitRaw(Array.from({ length: 10 }, (_, index) => ({ mode: '40000', name: `d${index}`, oid })));
      tree = await source.resolve(`${commit}^{tree}`);
    }
    await assert.rejects(materialise(commit), unsupported);
  });
});
