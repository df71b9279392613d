import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { plainGitEnvironment, RepositoryBuilder, type FileContent } from '@assay/testkit';
import { changedFiles, readChange, type ChangedFile } from './changed-files.ts';
import { openRepository, type Repository } from './repository.ts';
import { unifiedDiff } from './unified-diff.ts';
import { walkCandidates } from './walk-candidates.ts';

let root: string;
let source: RepositoryBuilder;
let repository: Repository;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-changes-'));
  source = await RepositoryBuilder.create(join(root, 'source'));
  // The builder's own repository has no configuration that matters, so it is read in place.
  repository = openRepository(source.gitDirectory);
});

after(async () => {
  await repository.objects.close();
  await rm(root, { recursive: true, force: true });
});

/** Replaces the whole tree. */
async function commitTree(files: Record<string, FileContent>): Promise<string> {
  await source.git('rm', '-r', '-q', '-f', '--ignore-unmatch', '.');
  return source.commit('Change', files);
}

async function change(
  old: Record<string, FileContent>,
  now: Record<string, FileContent>,
): Promise<{ parent: string; commit: string; files: ChangedFile[] }> {
  const parent = await commitTree(old);
  const commit = await commitTree(now);
  return { parent, commit, files: await changedFiles(repository, parent, commit) };
}

const summary = (files: ChangedFile[]): string[] =>
  files.map((file) => `${file.status} ${file.oldPath === undefined ? '' : `${file.oldPath} -> `}${file.path}`);
const unsupported = (error: unknown): boolean =>
  AssayError.is(error) && error.code === 'UNSUPPORTED_ENTRY' && error.kind === 'task';
const numbered = (from: number, to: number, changed: Record<number, string> = {}): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${changed[from + index] ?? `line ${from + index}`}\n`).join('');

describe('changedFiles and readChange', () => {
  test('added, modified, deleted, renamed, executable bit', async () => {
    const { files } = await change(
      {
        'mod.py': 'a\n',
        'gone.py': 'g\n',
        'old/name.py': 'n\n',
        tool: 't\n',
        same: 's\n',
        'edited-move.py': numbered(1, 50),
      },
      {
        'mod.py': 'b\n',
        'new/name.py': 'n\n',
        tool: { executable: 't\n' },
        same: 's\n',
        'added.py': 'x\n',
        'moved.py': numbered(1, 50, { 20: 'other' }),
      },
    );
    assert.deepEqual(
      summary(files),
      [
        'added added.py',
        'deleted edited-move.py',
        'deleted gone.py',
        'modified mod.py',
        'added moved.py',
        'renamed old/name.py -> new/name.py',
        'modified tool',
      ].sort((a, b) => ((a.split(' ').at(-1) ?? '') < (b.split(' ').at(-1) ?? '') ? -1 : 1)),
    );
    const set = await readChange(repository, files);
    assert.deepEqual(set.deleted, ['edited-move.py', 'gone.py', 'old/name.py']);
    assert.deepEqual(
      set.files.map((file) => [file.path, file.executable]),
      [
        ['added.py', false],
        ['mod.py', false],
        ['moved.py', false],
        ['new/name.py', false],
        ['tool', true],
      ],
    );
  });

  test('agrees with git on a change of many kinds', async () => {
    const old: Record<string, FileContent> = {};
    const now: Record<string, FileContent> = {};
    for (let index = 0; index < 60; index += 1) {
      const path = `d${index % 7}/e${index % 3}/f${index}`;
      if (index % 5 !== 0) old[path] = `${index}\n`;
      if (index % 4 !== 0) now[path] = index % 3 === 0 ? `changed ${index}\n` : `${index}\n`;
    }
    Object.assign(old, { swap: 'file\n', 'dir/inner': 'x\n', a: 'a\n', 'a.b/c': 'c\n' });
    Object.assign(now, { 'swap/inner': 'file in directory\n', dir: 'was a directory\n', 'a/x': 'x\n', 'a.b/c': 'd\n' });
    const { parent, commit, files } = await change(old, now);
    const listing = await source.git('diff-tree', '-r', '--no-renames', '--name-status', parent, commit);
    const letters = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' };
    const ours = files.flatMap((file) =>
      file.status === 'renamed' ? [`A\t${file.path}`, `D\t${file.oldPath}`] : [`${letters[file.status]}\t${file.path}`],
    );
    assert.deepEqual(ours.sort(), listing.split('\n').sort());
  });

  test('content crosses byte for byte: binary, CRLF, latin1, many MB, odd paths', async () => {
    const contents: Record<string, Buffer> = {
      'image.png': Buffer.from([0x89, 0x50, 0, 0xff, 13, 10]),
      'crlf.txt': Buffer.from('one\r\ntwo\r\n'),
      'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
      'large.bin': Buffer.alloc(9_000_000, 'abc\0'),
      'no-newline': Buffer.from('end'),
      'tab\tquote"back\\slash ü\nline.txt': Buffer.from('odd\n'),
      '"quoted"': Buffer.from(''),
    };
    const { files } = await change(
      { '.gitattributes': '* text=auto\n', 'crlf.txt': 'x\n' },
      { '.gitattributes': '* -text\n', ...contents },
    );
    const set = await readChange(repository, files);
    for (const [path, content] of Object.entries(contents))
      assert.ok(set.files.find((file) => file.path === path)?.content.equals(content), path);
  });

  test('too much content is refused', async () => {
    const { files } = await change({ a: 'x' }, { a: 'y'.repeat(600), b: 'z'.repeat(600) });
    await assert.rejects(
      readChange(repository, files, { maxBytes: 1_000 }),
      (error) => AssayError.is(error) && error.code === 'OBJECT_TOO_LARGE',
    );
    assert.equal((await readChange(repository, files, { maxBytes: 1_200 })).files.length, 2);
  });

  for (const [what, old, now] of [
    ['an added link', {}, { link: { link: 'a' } }],
    ['a file that becomes a link', { x: 'x' }, { x: { link: 'a' } }],
    ['a link that becomes a file', { x: { link: 'a' } }, { x: 'x' }],
    ['a deleted link', { x: { link: 'a' } }, {}],
  ] as [string, Record<string, FileContent>, Record<string, FileContent>][]) {
    test(`${what} cannot be carried`, async () => {
      const { files } = await change({ keep: 'k', ...old }, { keep: 'k', ...now });
      assert.equal(files.length, 1);
      await assert.rejects(readChange(repository, files), unsupported);
    });
  }

  test('a submodule cannot be carried', async () => {
    const parent = await commitTree({ a: 'a' });
    await source.git('update-index', '--add', '--cacheinfo', `160000,${parent},sub`);
    const commit = await source.commit('Submodule', {}, { onlyStaged: true });
    await assert.rejects(readChange(repository, await changedFiles(repository, parent, commit)), unsupported);
  });

  test('a name that is no UTF-8 cannot be carried, nor one below such a directory', async () => {
    const parent = await commitTree({ a: 'a' });
    const blob = await source.resolve('HEAD:a');
    for (const name of [Buffer.from([0x62, 0xff]), Buffer.concat([Buffer.from([0xe9]), Buffer.from('/inner')])]) {
      await commitTree({ a: 'a' });
      const line = Buffer.concat([Buffer.from(`100644 ${blob}\t`), name, Buffer.from([0])]);
      await runCommand(['git', 'update-index', '-z', '--index-info'], {
        cwd: source.directory,
        env: plainGitEnvironment(),
        stdin: line,
      });
      const commit = await source.commit('Odd', {}, { onlyStaged: true });
      const files = await changedFiles(repository, parent, commit);
      assert.deepEqual(
        files.map((file) => file.utf8),
        [false],
      );
      await assert.rejects(readChange(repository, files), unsupported);
    }
  });
});

describe('unifiedDiff', () => {
  test('can be applied to the parent, binary files and odd paths included', async () => {
    const old = { 'a.txt': 'a\n', 'b.bin': Buffer.from([0, 1]), 'quote"d ü.txt': 'x\n', '*': 'star\n', other: 'o\n' };
    const now = {
      'a.txt': 'A\n',
      'b.bin': Buffer.from([0, 2]),
      'quote"d ü.txt': 'y\n',
      '*': 'STAR\n',
      other: 'changed too\n',
    };
    const { parent, commit } = await change(old, now);
    const diff = await unifiedDiff(repository, parent, commit, ['a.txt', 'b.bin', 'quote"d ü.txt', '*']);
    await source.git('checkout', '--quiet', '--detach', parent);
    const applied = await runCommand(['git', 'apply', '--index'], {
      cwd: source.directory,
      env: plainGitEnvironment(),
      stdin: diff,
    });
    assert.equal(applied.exitCode, 0, applied.stderr.toString());
    assert.deepEqual(
      (await source.git('diff-index', '--cached', '--name-only', '-z', commit)).split('\0').filter(Boolean),
      ['other'],
    );
    await source.git('checkout', '--quiet', '--force', 'main');
  });
});

describe('walkCandidates', () => {
  test('commits with one parent, newest first, T0 of the parent, messages decoded', async () => {
    const builder = await RepositoryBuilder.create(join(root, 'walked'));
    const day = (number: number): Date => new Date(Date.UTC(2022, 0, number));
    const rootCommit = await builder.commit('Root', { a: '1' }, { date: day(1) });
    const plain = await builder.commit('Grüße\n\nBody\n', { a: '2' }, { date: day(2) });
    const latin = await builder.commit('Caf\xe9', { a: '3' }, { date: day(3), encoding: 'ISO-8859-1' });
    await builder.branch('side', plain);
    await builder.checkout('side');
    const side = await builder.commit('Side', { b: '1' }, { date: day(4) });
    await builder.checkout('main');
    await builder.merge('side', 'Merged', { date: day(5) });
    const last = await builder.commit('Last', { a: '4' }, { date: day(6) });
    await builder.branch('elsewhere');
    await builder.checkout('elsewhere');
    await builder.commit('Not reachable', { c: '1' }, { date: day(7) });
    const imported = {
      ...openRepository(builder.gitDirectory),
      head: last,
      name: '',
      origin: '',
      dispose: async () => {},
    };
    const all = await Array.fromAsync(walkCandidates(imported));
    assert.deepEqual(
      all.map(({ commit, message }) => [commit, message]),
      [
        [last, 'Last'],
        [side, 'Side'],
        [latin, 'Café'],
        [plain, 'Grüße\n\nBody\n'],
      ],
    );
    assert.deepEqual(all.at(-1)?.parent, rootCommit);
    assert.deepEqual(all.at(-1)?.time, day(1));
    assert.deepEqual(
      (await Array.fromAsync(walkCandidates(imported, { since: '2022-01-03', limit: 2 }))).map(({ commit }) => commit),
      [last, side],
    );
    assert.deepEqual((await Array.fromAsync(walkCandidates(imported, { since: day(3) }))).length, 3);
    await assert.rejects(
      Array.fromAsync(walkCandidates(imported, { since: 'yesteryear' })),
      (error) => AssayError.is(error) && error.code === 'BAD_OPTION',
    );
    await imported.objects.close();
  });
});
