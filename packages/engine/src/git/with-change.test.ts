import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RepositoryBuilder } from '@assay/testkit';
import { freshRepository } from './fresh-repository.ts';
import { importRepository, type ImportedRepository } from './import-repository.ts';
import { materialiseTree } from './materialise-tree.ts';
import { readCommit } from './repository.ts';
import { runGit } from './run-git.ts';
import { withChange } from './with-change.ts';

describe('a commit on top of a base', () => {
  let directory = '';
  let repository: ImportedRepository;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-with-change-'));
    const builder = await RepositoryBuilder.create(join(directory, 'source'));
    await builder.commit('First', { 'a.py': 'the secret\n', 'b c.py': 'kept\n', 'gone.py': 'gone\n' });
    repository = await importRepository(builder.directory, join(directory, 'cache'));
  });
  after(async () => {
    await repository.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  test('shows the change, at the time of the base, and a repository made of it holds nothing that the change took away', async () => {
    const file = { path: 'a.py', content: Buffer.from('a stub\n'), executable: false };
    const changed = await withChange(repository, {
      base: repository.head,
      change: { files: [file], deleted: ['gone.py'] },
      gitDirectory: join(directory, 'changed.git'),
    });
    const tree = join(directory, 'tree');
    await materialiseTree(changed, changed.commit, tree);
    await freshRepository(changed, changed.commit, join(tree, '.git'));
    const [own, base] = [await readCommit(changed, changed.commit), await readCommit(repository, repository.head)];
    await changed.objects.close();

    assert.equal(own.time.getTime(), base.time.getTime());
    assert.equal(await readFile(join(tree, 'a.py'), 'utf8'), 'a stub\n');
    const listed = await runGit(join(tree, '.git'), ['ls-tree', '-r', '--name-only', 'HEAD']);
    assert.deepEqual(listed.toString().trim().split('\n'), ['a.py', 'b c.py']);
    const objects = await runGit(join(tree, '.git'), [
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objectname)',
    ]);
    const contents = await runGit(join(tree, '.git'), ['cat-file', '--batch'], { stdin: objects });
    assert.ok(contents.includes('a stub') && !contents.includes('the secret') && !contents.includes('gone'));
  });
});
