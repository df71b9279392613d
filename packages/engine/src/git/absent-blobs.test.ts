import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { RepositoryBuilder } from '@assay/testkit';
import { absentBlobs } from './absent-blobs.ts';
import { freshRepository } from './fresh-repository.ts';
import { importRepository, type ImportedRepository } from './import-repository.ts';
import { materialiseTree } from './materialise-tree.ts';
import { runGit } from './run-git.ts';

describe('a commit of which some blobs are not there', () => {
  let directory = '';
  let repository: ImportedRepository;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-absent-'));
    const builder = await RepositoryBuilder.create(join(directory, 'source'));
    await builder.commit('One', {
      'a.py': 'a\n',
      'data/big.bin': 'big\n',
      'data/copy/of/big.bin': 'big\n',
      'data/small.bin': 'small\n',
      'only/big.bin': 'big\n',
      'tool.sh': { executable: 'echo\n' },
      link: { link: 'a.py' },
      'straße/ü.txt': 'u\n',
    });
    const oid = await builder.resolve('HEAD:data/big.bin');
    await rm(join(builder.gitDirectory, 'objects', oid.slice(0, 2), oid.slice(2)));
    repository = await importRepository(builder.directory, join(directory, 'cache'));
  });
  after(async () => {
    await repository.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  const without = async (): Promise<Set<string>> =>
    new Set((await absentBlobs(repository, repository.head)).map(({ oid }) => oid));

  test('all places of it are told', async () => {
    assert.deepEqual((await absentBlobs(repository, repository.head)).map(({ path }) => path).sort(), [
      'data/big.bin',
      'data/copy/of/big.bin',
      'only/big.bin',
    ]);
  });

  test('tree and repository are made without them, and agree', async () => {
    const tree = join(directory, 'tree');
    await materialiseTree(repository, repository.head, tree, {
      without: await without(),
      owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    });
    const git = join(tree, '.git');
    await freshRepository(repository, repository.head, git, {
      without: await without(),
      owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    });
    const list = async (...args: string[]): Promise<string> =>
      (await runGit(git, args, { cwd: tree, env: { GIT_WORK_TREE: tree } })).toString('utf8').trim();
    assert.deepEqual(
      (await list('ls-tree', '-r', '--name-only', '-z', 'HEAD')).split('\0').filter((name) => name !== ''),
      ['a.py', 'data/small.bin', 'link', 'straße/ü.txt', 'tool.sh'],
    );
    assert.equal(await list('status', '--porcelain'), '');
    assert.equal(await list('fsck', '--full', '--strict', '--unreachable'), '');
    assert.equal(
      (await list('rev-list', '--objects', '--all')).split('\n').length,
      (await list('cat-file', '--batch-all-objects', '--batch-check')).split('\n').length,
    );
    assert.deepEqual((await readdir(tree)).sort(), ['.git', 'a.py', 'data', 'link', 'only', 'straße', 'tool.sh']);
    assert.deepEqual(await readdir(join(tree, 'only')), []);
  });

  test('nothing is left out silently (control)', async () => {
    const missing = (error: unknown): boolean => AssayError.is(error) && error.code === 'MISSING_OBJECT';
    await assert.rejects(materialiseTree(repository, repository.head, join(directory, 'whole')), missing);
    await assert.rejects(freshRepository(repository, repository.head, join(directory, 'whole.git')), missing);
  });

  test('when all are gone, the tree is empty', async () => {
    const git = join(directory, 'empty.git');
    const all = new Set(
      (await runGit(repository.gitDirectory, ['ls-tree', '-r', '--object-only', repository.head]))
        .toString('latin1')
        .trim()
        .split('\n'),
    );
    await freshRepository(repository, repository.head, git, { without: all });
    assert.equal((await runGit(git, ['ls-tree', '-r', 'HEAD'])).length, 0);
  });
});
