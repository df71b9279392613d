import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { plainGitEnvironment, RepositoryBuilder } from '@assay/testkit';
import { readManifest } from '@assay/files/tree-manifest';
import { changedFiles, readChange } from './changed-files.ts';
import { freshRepository } from './fresh-repository.ts';
import { importRepository } from './import-repository.ts';
import { materialiseTree } from './materialise-tree.ts';
import { unifiedDiff } from './unified-diff.ts';
import { walkCandidates } from './walk-candidates.ts';

/** Does everything that mining does with a source. */
async function mineWhole(source: string, cache: string): Promise<void> {
  const repository = await importRepository(source, cache);
  try {
    for await (const { parent, commit } of walkCandidates(repository)) {
      const files = await changedFiles(repository, parent, commit);
      try {
        await readChange(repository, files);
        await unifiedDiff(
          repository,
          parent,
          commit,
          files.map((file) => file.path),
        );
        const tree = join(cache, `tree-${commit}`);
        await materialiseTree(repository, commit, tree);
        await freshRepository(repository, commit, join(tree, '.git'));
      } catch (error) {
        if (!AssayError.is(error) || error.kind !== 'task') throw error;
      }
    }
  } finally {
    await repository.dispose();
  }
}

interface Attack {
  name: string;
  /** Makes the repository hostile: `payload` is an executable that creates the marker. */
  plant(repository: RepositoryBuilder, payload: string, marker: string): Promise<unknown>;
  /** A command that an unsuspecting user would run. Its exit code does not matter. */
  control: string[];
  env?: Record<string, string>;
}

const ATTACKS: Attack[] = [
  {
    name: 'core.fsmonitor',
    plant: (repository, payload) => repository.git('config', 'core.fsmonitor', payload),
    control: ['git', 'status'],
  },
  {
    name: 'filter.clean',
    control: ['git', 'add', '--renormalize', '.'],
    plant: async (repository, payload) => {
      await repository.git('config', 'filter.evil.clean', payload);
      await put(repository, '.git/info/attributes', '* filter=evil\n');
    },
  },
  {
    name: 'filter.smudge with attributes in the tree',
    control: ['git', 'checkout', '--force', 'HEAD~1'],
    plant: async (repository, payload) => {
      await repository.commit('Attributes', { '.gitattributes': '* filter=evil diff=evil\n' });
      await repository.commit('More', { 'b.txt': 'b\n', 'a.txt': 'again\n' });
      await repository.git('config', 'filter.evil.smudge', payload);
    },
  },
  {
    name: 'hook post-checkout',
    plant: (repository, payload) => hook(repository, 'post-checkout', payload),
    control: ['git', 'checkout', '-b', 'other'],
  },
  {
    name: 'hook reference-transaction',
    plant: (repository, payload) => hook(repository, 'reference-transaction', payload),
    control: ['git', 'tag', 'x'],
  },
  {
    name: 'core.hooksPath',
    control: ['git', 'checkout', '-b', 'other'],
    plant: async (repository, payload) => {
      await hook(repository, '../elsewhere/post-checkout', payload);
      await repository.git('config', 'core.hooksPath', '.git/elsewhere');
    },
  },
  {
    name: 'diff textconv',
    control: ['git', 'log', '-p'],
    plant: async (repository, payload) => {
      await repository.git('config', 'diff.evil.textconv', payload);
      await put(repository, '.git/info/attributes', '* diff=evil\n');
    },
  },
  {
    name: 'diff.external',
    plant: (repository, payload) => repository.git('config', 'diff.external', payload),
    control: ['git', 'diff', 'HEAD~1', 'HEAD'],
  },
  {
    name: 'core.sshCommand',
    control: ['git', 'fetch'],
    plant: async (repository, payload) => {
      await repository.git('config', 'core.sshCommand', payload);
      await repository.git('remote', 'add', 'origin', 'ssh://localhost/x');
    },
  },
  {
    name: 'core.pager',
    plant: (repository, payload) => repository.git('config', 'core.pager', payload),
    control: ['script', '-qec', 'git log', '/dev/null'],
  },
  {
    name: 'include.path',
    control: ['git', 'status'],
    plant: async (repository, payload) => {
      await put(repository, '.git/more', `[core]\n\tfsmonitor = ${payload}\n`);
      await repository.git('config', 'include.path', 'more');
    },
  },
  {
    name: 'submodule URL and update command',
    control: ['git', 'submodule', 'update', '--init'],
    env: { GIT_ALLOW_PROTOCOL: 'ext:file' },
    plant: async (repository, _payload, marker) => {
      const link = await repository.resolve('HEAD');
      await repository.write({ '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::touch ${marker}\n` });
      await repository.git('add', '.gitmodules');
      await repository.git('update-index', '--add', '--cacheinfo', `160000,${link},sub`);
      await repository.commit('Submodule', {}, { onlyStaged: true });
      await repository.git('config', 'protocol.ext.allow', 'always');
    },
  },
  {
    name: 'promisor remote with ext::',
    control: ['git', 'log', '-p'],
    plant: async (repository, _payload, marker) => {
      const blob = await repository.resolve('HEAD:a.txt');
      await rm(join(repository.gitDirectory, 'objects', blob.slice(0, 2), blob.slice(2)));
      await put(
        repository,
        '.git/config',
        [
          '[core]',
          'repositoryformatversion = 1',
          '[extensions]',
          'partialClone = origin',
          '[protocol "ext"]',
          'allow = always',
          '[remote "origin"]',
          `url = ext::touch ${marker}`,
          'promisor = true',
          'fetch = +refs/heads/*:refs/remotes/origin/*',
          '',
        ].join('\n'),
      );
    },
  },
];

async function put(repository: RepositoryBuilder, path: string, content: string): Promise<void> {
  await mkdir(join(repository.directory, path, '..'), { recursive: true });
  await writeFile(join(repository.directory, path), content);
}

async function hook(repository: RepositoryBuilder, name: string, payload: string): Promise<void> {
  await put(repository, `.git/hooks/${name}`, `#!/bin/sh\nexec ${payload}\n`);
  await chmod(join(repository.directory, '.git/hooks', name), 0o755);
}

describe('a hostile repository runs nothing on the host', () => {
  let root: string;
  let marker: string;
  let payload: string;
  let repository: RepositoryBuilder;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-hostile-'));
    marker = join(root, 'marker');
    payload = join(root, 'payload');
    await writeFile(payload, `#!/bin/sh\ntouch ${marker}\n`);
    await chmod(payload, 0o755);
    repository = await RepositoryBuilder.create(join(root, 'source'));
    await repository.commit('First', { 'a.txt': 'one\n' });
    await repository.commit('Second', { 'a.txt': 'two\n' });
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  const plainGit = (argv: string[], env: Record<string, string> = {}): Promise<unknown> =>
    runCommand(argv, { cwd: repository.directory, env: { ...plainGitEnvironment(), TERM: 'dumb', ...env } });

  for (const attack of ATTACKS) {
    test(attack.name, async () => {
      await attack.plant(repository, payload, marker);
      await rm(marker, { force: true });
      const { manifest } = await readManifest(repository.directory);
      await mineWhole(repository.directory, join(root, 'cache')).catch(onlyMissing);
      await mineWhole(repository.gitDirectory, join(root, 'cache-bare')).catch(onlyMissing);
      assert.equal(existsSync(marker), false, 'something of the repository ran');
      assert.deepEqual((await readManifest(repository.directory)).manifest, manifest, 'the source was written to');
      await plainGit(attack.control, attack.env);
      assert.equal(existsSync(marker), true, 'control: plain git runs it');
    });
  }

  test('uploadpack.packObjectsHook of the user', async (context) => {
    const home = join(root, 'home');
    await mkdir(home);
    await writeFile(join(home, '.gitconfig'), `[uploadpack]\n\tpackObjectsHook = ${payload}\n`);
    const old = process.env['HOME'];
    process.env['HOME'] = home;
    context.after(() => {
      if (old === undefined) delete process.env['HOME'];
      else process.env['HOME'] = old;
    });
    await mineWhole(repository.directory, join(root, 'cache'));
    assert.equal(existsSync(marker), false);
    await plainGit(['git', 'clone', '--no-local', repository.directory, join(root, 'clone')], {
      HOME: home,
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    });
    assert.equal(existsSync(marker), true, 'control: a clone runs it');
  });

  test('core.worktree elsewhere', async () => {
    const victim = join(root, 'victim');
    await mkdir(victim);
    await repository.git('config', 'core.worktree', victim);
    await mineWhole(repository.directory, join(root, 'cache'));
    assert.equal(existsSync(join(victim, 'a.txt')), false);
    await plainGit(['git', 'checkout', '--force', 'main']);
    assert.equal(existsSync(join(victim, 'a.txt')), true, 'control: plain git writes there');
  });

  for (const [name, makeUrl] of [
    ['ext::', (mark: string) => `ext::touch ${mark}`],
    ['--upload-pack=', (mark: string) => `--upload-pack=touch ${mark};`],
    ['-u', (mark: string) => `-utouch ${mark};`],
  ] as const) {
    test(`${name} as URL`, async () => {
      const url = makeUrl(marker);
      await assert.rejects(
        importRepository(url, join(root, 'cache')),
        (error) => AssayError.is(error) && error.code === 'REPOSITORY_REFUSED',
      );
      assert.equal(existsSync(marker), false);
      await plainGit(['git', '-c', 'protocol.ext.allow=always', 'clone', url, `file://${repository.directory}`]);
      if (name === 'ext::')
        await plainGit(['git', '-c', 'protocol.ext.allow=always', 'clone', url, join(root, 'clone')]);
      assert.equal(existsSync(marker), true, 'control: plain git runs it');
    });
  }
});

function onlyMissing(error: unknown): void {
  if (!AssayError.is(error) || error.code !== 'MISSING_OBJECT') throw error;
}
