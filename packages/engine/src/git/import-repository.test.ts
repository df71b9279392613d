import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { access, appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { plainGitEnvironment, RepositoryBuilder } from '@assay/testkit';
import { changedFiles, readChange } from './changed-files.ts';
import { importRepository, type ImportedRepository } from './import-repository.ts';
import { readCommit } from './repository.ts';
import { runGit } from './run-git.ts';

let root: string;
let cache: string;
let source: RepositoryBuilder;
let first: string;
let second: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-import-'));
  cache = join(root, 'cache');
  source = await RepositoryBuilder.create(join(root, 'Project.git'));
  first = await source.commit('First', { 'a.txt': 'one\n' });
  second = await source.commit('Second', { 'a.txt': 'two\n' });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const withCode =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;

async function plainGit(...args: string[]): Promise<void> {
  const result = await runCommand(['git', ...args], { cwd: root, env: plainGitEnvironment() });
  assert.equal(result.exitCode, 0, result.stderr.toString());
}

/** Imports, hands over, disposes. */
async function importing<T>(path: string, use: (repository: ImportedRepository) => Promise<T>): Promise<T> {
  const repository = await importRepository(path, cache);
  try {
    return await use(repository);
  } finally {
    await repository.dispose();
  }
}

async function assertWhole(path: string, head = second): Promise<void> {
  await importing(path, async (repository) => {
    assert.equal(repository.head, head);
    const change = await readChange(repository, await changedFiles(repository, first, second));
    assert.deepEqual(
      change.files.map((file) => file.content.toString()),
      ['two\n'],
    );
  });
}

describe('importRepository: kinds of local sources', () => {
  test('a work tree; name and origin are neutral', async () => {
    await assertWhole(source.directory);
    await importing(source.directory, async ({ name, origin }) =>
      assert.deepEqual([name, origin], ['project', 'local:project']),
    );
  });

  test('a git directory, a bare clone, a file URL', async () => {
    await assertWhole(source.gitDirectory);
    await plainGit('clone', '--quiet', '--bare', source.directory, 'bare');
    await assertWhole(join(root, 'bare'));
    await assertWhole(pathToFileURL(source.directory).href);
  });

  test('packed refs and packed objects, with a reverse index and a bitmap', async () => {
    await source.tag('v1', { message: 'One' });
    await source.git('pack-refs', '--all');
    await source.git('repack', '-q', '-a', '-d', '--write-bitmap-index');
    await assertWhole(source.directory);
    await importing(source.directory, async ({ gitDirectory }) => {
      const packs = await readdir(join(gitDirectory, 'objects/pack'));
      assert.deepEqual(packs.map((name) => name.replace(/.*\./, '')).sort(), ['idx', 'pack']);
      assert.match((await runGit(gitDirectory, ['describe', '--tags', 'HEAD'])).toString(), /^v1/);
    });
  });

  test('a detached HEAD and a linked work tree', async () => {
    await source.git('worktree', 'add', '--quiet', '--detach', join(root, 'linked'), first);
    await importing(join(root, 'linked'), async ({ head }) => assert.equal(head, first));
    await assertWhole(source.directory);
  });

  test('a separate git directory', async () => {
    await plainGit('clone', '--quiet', '--separate-git-dir', join(root, 'apart'), source.directory, 'split');
    await assertWhole(join(root, 'split'));
  });

  test('alternates, several deep and in a circle, are taken in and not kept', async () => {
    await plainGit('clone', '--quiet', '--shared', source.directory, 'middle');
    await plainGit('clone', '--quiet', '--shared', 'middle', 'top');
    await appendFile(
      join(source.gitDirectory, 'objects/info/alternates'),
      `# a circle\n${join(root, 'top/.git/objects')}\n../objects\n`,
    );
    await assertWhole(join(root, 'top'));
    await importing(join(root, 'top'), async ({ gitDirectory }) => {
      await assert.rejects(access(join(gitDirectory, 'objects/info/alternates')));
    });
  });

  test('too many alternates are refused', async () => {
    const lines: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      await mkdir(join(root, `objects${index}`));
      lines.push(join(root, `objects${index}`));
    }
    await writeFile(join(source.gitDirectory, 'objects/info/alternates'), `${lines.join('\n')}\n`);
    await assert.rejects(importRepository(source.directory, cache), withCode('UNSUPPORTED_REPOSITORY'));
  });

  test('a FIFO in the place of a file does not hold us; plain git waits at it', async () => {
    const fifo = join(source.gitDirectory, 'objects/info/alternates');
    await runCommand(['mkfifo', fifo]);
    await assertWhole(source.directory);
    const control = spawn('git', ['cat-file', '-p', 'HEAD'], {
      cwd: source.directory,
      env: plainGitEnvironment(),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => control.once('close', resolve));
    // Opening for writing succeeds once there is a reader.
    let writer: number | null = null;
    while (writer === null) {
      writer = openOrNull(fifo);
      if (writer === null) await sleep(5);
    }
    closeSync(writer);
    await ended;
  });

  test('keep and promisor marks, replaced objects, grafts and hooks stay behind', async () => {
    const other = await source.git('commit-tree', `${first}^{tree}`, '-m', 'Replaced');
    await source.git('replace', second, other);
    await writeFile(join(source.gitDirectory, 'info-grafts'), '');
    await source.git('repack', '-q', '-a', '-d');
    for (const name of await readdir(join(source.gitDirectory, 'objects/pack'))) {
      if (name.endsWith('.pack'))
        for (const mark of ['keep', 'promisor'])
          await writeFile(join(source.gitDirectory, 'objects/pack', name.replace(/pack$/, mark)), '');
    }
    await importing(source.directory, async (repository) => {
      assert.equal((await readCommit(repository, second)).message, 'Second');
      assert.deepEqual((await readdir(repository.gitDirectory)).sort(), [
        'HEAD',
        'config',
        'objects',
        'packed-refs',
        'refs',
      ]);
      assert.ok(
        (await readdir(join(repository.gitDirectory, 'objects/pack'))).every((name) => /\.(pack|idx)$/.test(name)),
      );
    });
  });
});

function openOrNull(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

describe('importRepository: errors', () => {
  test('what is no repository', async () => {
    await mkdir(join(root, 'plain/.git'), { recursive: true });
    for (const path of ['plain', 'plain/.git', 'absent', 'cache/../Project.git/a.txt']) {
      await assert.rejects(importRepository(join(root, path), cache), withCode('NOT_A_REPOSITORY'), path);
    }
    await writeFile(join(root, 'plain/.git-file'), '');
    await rm(join(root, 'plain/.git'), { recursive: true });
    for (const text of ['gitdir: /nowhere\n', 'gitdir: /proc/self/root\n', 'nonsense', 'x'.repeat(100_000)]) {
      await writeFile(join(root, 'plain/.git'), text);
      await assert.rejects(importRepository(join(root, 'plain'), cache), withCode('NOT_A_REPOSITORY'));
    }
  });

  test('no commits', async () => {
    const empty = await RepositoryBuilder.create(join(root, 'empty'));
    await assert.rejects(importRepository(empty.directory, cache), withCode('EMPTY_REPOSITORY'));
  });

  test('a HEAD that leads out of refs is nobody', async () => {
    await writeFile(join(root, 'secret'), `${second}\n`);
    await writeFile(join(source.gitDirectory, 'HEAD'), 'ref: refs/../../../secret\n');
    await assert.rejects(importRepository(source.directory, cache), withCode('EMPTY_REPOSITORY'));
  });

  test('a shallow clone', async () => {
    await plainGit('clone', '--quiet', '--depth=1', pathToFileURL(source.directory).href, 'shallow');
    await assert.rejects(importRepository(join(root, 'shallow'), cache), withCode('SHALLOW_REPOSITORY'));
  });

  test('SHA-256 and reftable', async () => {
    await plainGit('init', '--quiet', '--object-format=sha256', 'wide');
    await assert.rejects(importRepository(join(root, 'wide'), cache), withCode('UNSUPPORTED_REPOSITORY'));
    await source.git('config', 'core.repositoryformatversion', '1');
    await source.git('config', 'extensions.refStorage', 'files');
    await assertWhole(source.directory);
    await appendFile(join(source.gitDirectory, 'config'), '[Extensions] refstorage = reftable\n');
    await assert.rejects(importRepository(source.directory, cache), withCode('UNSUPPORTED_REPOSITORY'));
  });

  test('HEAD names a commit that is not there', async () => {
    await writeFile(join(source.gitDirectory, 'refs/heads/main'), `${'1'.repeat(40)}\n`);
    await assert.rejects(importRepository(source.directory, cache), withCode('MISSING_OBJECT'));
  });

  test('nothing is left behind', async () => {
    await rm(join(source.gitDirectory, 'refs/heads/main'));
    await assert.rejects(importRepository(source.directory, cache), withCode('EMPTY_REPOSITORY'));
    assert.deepEqual(await readdir(join(cache, 'repositories')), []);
  });
});

describe('importRepository: partial clones', () => {
  test('come in; what is missing shows when it is needed, and nobody fetches it', async () => {
    await source.git('config', 'uploadpack.allowFilter', 'true');
    await plainGit('clone', '--quiet', '--bare', '--filter=blob:none', pathToFileURL(source.directory).href, 'partial');
    await importing(join(root, 'partial'), async (repository) => {
      const files = await changedFiles(repository, first, second);
      assert.deepEqual(
        files.map((file) => file.path),
        ['a.txt'],
      );
      await assert.rejects(readChange(repository, files), withCode('MISSING_OBJECT'));
      const blob = await source.resolve(`${second}:a.txt`);
      await assert.rejects(runGit(repository.gitDirectory, ['cat-file', '-p', blob]), withCode('MISSING_OBJECT'));
      // The control fetches it from the promisor, into the source.
      await plainGit('--git-dir=partial', 'cat-file', '-p', blob);
      await assert.rejects(readChange(repository, files), withCode('MISSING_OBJECT'));
    });
  });
});

describe('importRepository: at the same time', () => {
  test('two imports of a source do not disturb each other, and the source may be repacked meanwhile', async () => {
    const [one, two] = await Promise.all([
      importRepository(source.directory, cache),
      importRepository(source.directory, cache),
    ]);
    assert.notEqual(one.gitDirectory, two.gitDirectory);
    await one.dispose();
    await source.git('repack', '-q', '-a', '-d');
    await source.git('prune-packed');
    const change = await readChange(two, await changedFiles(two, first, second));
    assert.equal(change.files.length, 1);
    await two.dispose();
    await assertWhole(source.directory);
    await source.git('fsck', '--strict');
  });

  test('what a killed process left is swept, what a living one holds is not', async () => {
    const held = await importRepository(source.directory, cache);
    const gone = spawn('true');
    await new Promise((resolve) => gone.once('close', resolve));
    await mkdir(join(cache, 'repositories', `${gone.pid}-0123456789abcdef`, 'own.git'), { recursive: true });
    await assertWhole(source.directory);
    assert.deepEqual(await readdir(join(cache, 'repositories')), [held.gitDirectory.split('/').at(-2)]);
    await held.dispose();
  });
});

describe('importRepository: URLs', () => {
  test('a git URL is cloned; nothing of the clone but its objects stays', async (context) => {
    await source.tag('v1');
    const url = await serveGit(context, root);
    await importing(`${url}/Project.git`, async (repository) => {
      assert.deepEqual(
        [repository.head, repository.name, repository.origin],
        [second, 'project', `${url}/Project.git`],
      );
      assert.deepEqual(await readdir(join(repository.gitDirectory, '..')), ['own.git']);
      assert.doesNotMatch(await readFile(join(repository.gitDirectory, 'config'), 'utf8'), /remote/);
    });
  });

  test('an empty remote, one that is not there, and one that does not answer', async (context) => {
    await RepositoryBuilder.create(join(root, 'empty'));
    const url = await serveGit(context, root);
    await assert.rejects(importRepository(`${url}/empty`, cache), withCode('EMPTY_REPOSITORY'));
    await assert.rejects(importRepository(`${url}/absent`, cache), withCode('REPOSITORY_UNREACHABLE'));
    await assert.rejects(importRepository('http://127.0.0.1:1/x.git', cache), withCode('REPOSITORY_UNREACHABLE'));
    assert.deepEqual(await readdir(join(cache, 'repositories')), []);
  });

  test('credentials stand in no message', async () => {
    await assert.rejects(importRepository('http://someone:hunter2@127.0.0.1:1/x.git?token=hunter3', cache), (error) => {
      assert.ok(AssayError.is(error) && error.code === 'REPOSITORY_UNREACHABLE');
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /hunter|someone/);
      return true;
    });
  });

  test('a rewrite in the configuration of the user cannot lead to a helper', async (context) => {
    const marker = join(root, 'marker');
    await writeFile(
      join(root, 'gitconfig'),
      `[url "ext::touch ${marker} "]\n\tinsteadOf = https://rewritten.invalid/\n[protocol "ext"]\n\tallow = always\n`,
    );
    const old = process.env['GIT_CONFIG_GLOBAL'];
    process.env['GIT_CONFIG_GLOBAL'] = join(root, 'gitconfig');
    context.after(() => {
      if (old === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = old;
    });
    await assert.rejects(importRepository('https://rewritten.invalid/x', cache), withCode('REPOSITORY_UNREACHABLE'));
    await assert.rejects(access(marker));
    await runCommand(['git', 'clone', 'https://rewritten.invalid/x'], {
      cwd: root,
      env: { ...plainGitEnvironment(), GIT_CONFIG_GLOBAL: join(root, 'gitconfig') },
    });
    await access(marker);
  });

  test('a link to a repository is the repository', async () => {
    await symlink(source.directory, join(root, 'alias'));
    await assertWhole(join(root, 'alias'));
  });
});

/** Serves git on a free loopback port, one `git daemon` per connection. */
async function serveGit(context: TestContext, base: string): Promise<string> {
  const daemon = ['daemon', '--inetd', '--export-all', `--base-path=${base}`, '--reuseaddr'];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const child = spawn('git', daemon, {
      stdio: [socket, socket, 'ignore'],
      env: {
        ...plainGitEnvironment(),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
      },
    });
    child.once('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return `git://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
