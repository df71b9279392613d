import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand, sandboxOwner } from '@assay/sandbox';
import { plainGitEnvironment, RepositoryBuilder } from '@assay/testkit';
import { FRESH_CONFIG, freshRepository } from './fresh-repository.ts';
import { importRepository } from './import-repository.ts';
import { materialiseTree } from './materialise-tree.ts';
import { openRepository } from './repository.ts';
import { runGit } from './run-git.ts';

const SECRET = 'the secret of the fix\n';

let root: string;
let source: RepositoryBuilder;
let t0: string;
let fix: string;
let secretBlob: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-fresh-'));
  source = await RepositoryBuilder.create(join(root, 'source'));
  await source.commit('Before', { 'code.py': 'old\n', 'gone.py': 'removed before T0\n' });
  t0 = await source.commit(
    'T0',
    { 'code.py': 'bug\n', 'gone.py': null, 'bin/run': { executable: '#!/bin/sh\n' }, 'deep/er/file': 'x\n' },
    { date: new Date('2021-03-04T05:06:07Z') },
  );
  fix = await source.commit('Fix', { 'code.py': SECRET }, { date: new Date('2021-04-01T00:00:00Z') });
  secretBlob = await source.resolve('HEAD:code.py');
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function outputOf(gitDirectory: string, ...args: string[]): Promise<string[]> {
  return (await runGit(gitDirectory, args))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

/** Makes the `.git` of a T0 commit and returns its path. */
async function makeFresh(commit = t0, name = 'fresh'): Promise<string> {
  const repository = await importRepository(source.directory, join(root, 'cache'));
  try {
    const target = join(root, name);
    await freshRepository(repository, commit, target);
    return target;
  } finally {
    await repository.dispose();
  }
}

/** Looks wherever a thorough reader would: objects by name, refs, and the bytes of every file. */
async function assertSealed(gitDirectory: string, tree: string): Promise<void> {
  const objects = (
    await outputOf(gitDirectory, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
  ).sort();
  const [head] = await outputOf(gitDirectory, 'rev-parse', 'HEAD');
  const allowed = new Set([
    head ?? '',
    ...(await outputOf(gitDirectory, 'rev-list', '--objects', '--no-object-names', tree)),
  ]);
  assert.deepEqual(objects, [...allowed].sort());
  assert.deepEqual(await outputOf(gitDirectory, 'for-each-ref', '--format=%(refname) %(objectname)'), [
    `refs/heads/main ${head}`,
  ]);
  assert.deepEqual(await outputOf(gitDirectory, 'rev-list', '--all', '--reflog'), [head]);
  for (const file of await filesBelow(gitDirectory)) {
    const bytes = (await readFile(join(gitDirectory, file))).toString('latin1');
    assert.ok(!bytes.includes(SECRET.trim()), `${file} holds the secret`);
    for (const [name] of bytes.matchAll(/\b[0-9a-f]{40}\b/g)) assert.ok(allowed.has(name), `${file} names ${name}`);
    assert.match(
      file,
      /^(HEAD|config|index|refs\/heads\/main|objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx|rev)|objects\/[0-9a-f]{2}\/[0-9a-f]{38})$/,
    );
  }
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

describe('freshRepository', () => {
  test('one neutral root commit, one branch, an index, canonical configuration', async () => {
    const fresh = await makeFresh();
    const [tree] = await outputOf(source.gitDirectory, 'rev-parse', `${t0}^{tree}`);
    await assertSealed(fresh, tree ?? '');
    const day = Date.UTC(2021, 2, 4) / 1000;
    assert.deepEqual(await outputOf(fresh, 'cat-file', '-p', 'HEAD'), [
      `tree ${tree}`,
      `author Assay <assay@localhost> ${day} +0000`,
      `committer Assay <assay@localhost> ${day} +0000`,
      'Initial commit',
    ]);
    assert.equal(await readFile(join(fresh, 'config'), 'utf8'), FRESH_CONFIG);
    await runGit(fresh, ['fsck', '--strict', '--no-dangling']);
    if (sandboxOwner)
      for (const file of await filesBelow(fresh)) assert.equal((await stat(join(fresh, file))).uid, sandboxOwner.uid);
  });

  test('beside the tree it belongs to, the work tree is clean', async () => {
    const repository = await importRepository(source.directory, join(root, 'cache'));
    const directory = join(root, 'tree');
    await materialiseTree(repository, t0, directory, { owner: null });
    await freshRepository(repository, t0, join(directory, '.git'), { owner: null });
    await repository.dispose();
    const status = await runCommand(['git', 'status', '--porcelain', '--ignored'], {
      cwd: directory,
      env: plainGitEnvironment(),
    });
    assert.deepEqual([status.stdout.toString(), status.exitCode], ['', 0]);
  });

  test('depends on the tree and the day only', async () => {
    const one = await makeFresh(t0, 'one');
    await source.git('repack', '-q', '-a', '-d', '-f');
    const two = await makeFresh(t0, 'two');
    assert.deepEqual(await filesBelow(one), await filesBelow(two));
    for (const file of await filesBelow(one))
      assert.deepEqual(await readFile(join(one, file)), await readFile(join(two, file)), file);
  });

  test('submodules are entries without objects', async () => {
    await source.git('update-index', '--add', '--cacheinfo', `160000,${fix},sub`);
    const commit = await source.commit('Submodule', {}, { onlyStaged: true });
    const fresh = await makeFresh(commit);
    const [tree] = await outputOf(source.gitDirectory, 'rev-parse', `${commit}^{tree}`);
    const objects = await outputOf(fresh, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
    assert.deepEqual(
      objects.filter((name) => name === fix),
      [],
    );
    assert.equal(objects.length, (await outputOf(fresh, 'rev-list', '--objects', tree ?? '')).length + 1);
  });

  test('an object that is missing, or is not what its name says, does not pass', async () => {
    const blob = await source.resolve(`${t0}:code.py`);
    const file = join(source.gitDirectory, 'objects', blob.slice(0, 2), blob.slice(2));
    await rm(file);
    const rejected = (error: unknown): boolean => AssayError.is(error) && error.code === 'MISSING_OBJECT';
    await assert.rejects(makeFresh(t0, 'missing'), rejected);
    await rename(join(source.gitDirectory, 'objects', secretBlob.slice(0, 2), secretBlob.slice(2)), file).catch(
      async () => {
        await mkdir(join(file, '..'), { recursive: true });
        await rename(join(source.gitDirectory, 'objects', secretBlob.slice(0, 2), secretBlob.slice(2)), file);
      },
    );
    await assert.rejects(makeFresh(t0, 'swapped'), rejected);
  });
});

type Scrub = 'checkout' | 'refs' | 'all';

/** Scrubs a clone the usual ways: reset to T0, then more and more cleaning. */
async function naiveScrub(how: Scrub, keepTags: string[] = []): Promise<void> {
  await source.git('checkout', '--quiet', '--force', '-B', 'main', t0);
  if (how === 'checkout') return;
  for (const ref of (
    await source.git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags', 'refs/remotes')
  ).split('\n')) {
    if (ref !== '' && ref !== 'refs/heads/main' && !keepTags.includes(ref)) await source.git('update-ref', '-d', ref);
  }
  if (how === 'refs') return;
  await source.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  await source.git('gc', '--quiet', '--prune=now');
}

async function scrubbedLeaks(): Promise<boolean> {
  const blob = await runCommand(['git', 'cat-file', '-e', secretBlob], {
    cwd: source.directory,
    env: plainGitEnvironment(),
  });
  if (blob.exitCode === 0) return true;
  for (const file of await filesBelow(source.gitDirectory)) {
    const bytes = (await readFile(join(source.gitDirectory, file))).toString('latin1');
    if (bytes.includes(SECRET.trim()) || bytes.includes(fix)) return true;
  }
  return false;
}

async function markPacks(mark: string): Promise<void> {
  await source.git('repack', '-q', '-a', '-d');
  const packs = join(source.gitDirectory, 'objects/pack');
  for (const name of await readdir(packs))
    if (name.endsWith('.pack')) await writeFile(join(packs, name.replace(/pack$/, mark)), '');
}

interface Plant {
  name: string;
  plant(): Promise<unknown>;
  scrub: Scrub;
  keepTags?: string[];
}

const PLANTS: Plant[] = [
  { name: 'B1 a future branch', plant: () => source.branch('next', fix), scrub: 'checkout' },
  { name: 'B2 a future tag', plant: () => source.tag('v2', { target: fix, message: 'Two' }), scrub: 'checkout' },
  {
    name: 'B2 and B10 a tag on a backdated side branch, which a filter by date keeps',
    scrub: 'all',
    keepTags: ['refs/tags/backport'],
    plant: async () => {
      await source.git('checkout', '--quiet', '-b', 'side', `${t0}~1`);
      await source.commit('Backport', { 'code.py': SECRET }, { date: new Date('2019-01-01T00:00:00Z') });
      await source.tag('backport');
    },
  },
  { name: 'B3 the reflog', plant: async () => {}, scrub: 'refs' },
  { name: 'B3 ORIG_HEAD', plant: () => writeFile(join(source.gitDirectory, 'ORIG_HEAD'), `${fix}\n`), scrub: 'all' },
  {
    name: 'B3 FETCH_HEAD',
    plant: () => writeFile(join(source.gitDirectory, 'FETCH_HEAD'), `${fix}\t\tbranch 'main' of upstream\n`),
    scrub: 'all',
  },
  {
    name: 'B4 unreachable objects',
    plant: async () => rm(join(source.gitDirectory, 'logs'), { recursive: true }),
    scrub: 'refs',
  },
  { name: 'B5 promisor packs', plant: () => markPacks('promisor'), scrub: 'all' },
  { name: 'B6 packs to keep', plant: () => markPacks('keep'), scrub: 'all' },
  {
    name: 'B7 alternates',
    scrub: 'all',
    plant: async () => {
      await runCommand(['git', 'clone', '--quiet', '--bare', source.directory, join(root, 'lender')], {
        env: plainGitEnvironment(),
      });
      await appendFile(join(source.gitDirectory, 'objects/info/alternates'), `${join(root, 'lender/objects')}\n`);
    },
  },
  {
    name: 'B8 the stash',
    scrub: 'all',
    plant: async () => {
      await source.git('checkout', '--quiet', '--force', '-B', 'main', t0);
      await source.write({ 'code.py': SECRET });
      await source.git('stash');
    },
  },
  { name: 'B8 notes', plant: () => source.git('notes', 'add', '-C', secretBlob, t0), scrub: 'all' },
  { name: 'B8 replaced objects', plant: () => source.git('replace', t0, fix), scrub: 'all' },
  { name: 'B8 refs of pull requests', plant: () => source.git('update-ref', 'refs/pull/1/head', fix), scrub: 'all' },
  {
    name: 'B9 a linked work tree',
    plant: () => source.git('worktree', 'add', '--quiet', '--detach', join(root, 'linked'), fix),
    scrub: 'all',
  },
  {
    name: 'B9 the repository of a submodule',
    scrub: 'all',
    plant: () =>
      runCommand(['git', 'clone', '--quiet', '--bare', source.directory, join(source.gitDirectory, 'modules/sub')], {
        env: plainGitEnvironment(),
      }),
  },
  {
    name: 'B11 an ancestor of T0',
    scrub: 'all',
    plant: async () => {
      t0 = await source.commit('Revert', { 'code.py': 'bug\n' });
    },
  },
  {
    name: 'B12 side files',
    scrub: 'all',
    plant: async () => {
      await mkdir(join(source.gitDirectory, 'rr-cache/0123'), { recursive: true });
      await writeFile(join(source.gitDirectory, 'rr-cache/0123/postimage'), SECRET);
    },
  },
];

describe('nothing of the future comes over', () => {
  for (const { name, plant, scrub, keepTags } of PLANTS) {
    test(name, async () => {
      await plant();
      const fresh = await makeFresh();
      const [tree] = await outputOf(fresh, 'rev-parse', 'HEAD^{tree}');
      await assertSealed(fresh, tree ?? '');
      const reader = openRepository(fresh).objects;
      await assert.rejects(reader.read(secretBlob), (error) => AssayError.is(error) && error.code === 'MISSING_OBJECT');
      await reader.close();
      await naiveScrub(scrub, keepTags);
      assert.equal(await scrubbedLeaks(), true, 'control: the common scrub leaks');
    });
  }

  test('the scrub is honest: without a plant it leaks nothing', async () => {
    await naiveScrub('all');
    assert.equal(await scrubbedLeaks(), false);
  });
});
