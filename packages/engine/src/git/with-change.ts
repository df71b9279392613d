import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeSet } from '@assay/files/change-set';
import { FRESH_AUTHOR, FRESH_CONFIG } from './fresh-repository.ts';
import { openRepository, readCommit, type Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** A repository with one more commit than another. */
export interface ChangedRepository extends Repository {
  /** Its tree is that of the base with the change, its time that of the base. */
  commit: string;
}

/**
 * Makes a repository in a new directory that holds a commit with a change on top of a base. All else it borrows from
 * the repository of the base, which is not written to. `objects.close()` ends its reader. Throws `MISSING_OBJECT`.
 */
export async function withChange(
  repository: Repository,
  { base, change, gitDirectory }: { base: string; change: ChangeSet; gitDirectory: string },
  signal?: AbortSignal,
): Promise<ChangedRepository> {
  const { time } = await readCommit(repository, base);
  for (const directory of ['objects/info', 'objects/pack', 'refs/heads'])
    await mkdir(join(gitDirectory, directory), { recursive: true });
  await writeFile(join(gitDirectory, 'config'), FRESH_CONFIG.replace('bare = false', 'bare = true'));
  await writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(gitDirectory, 'objects/info/alternates'), `${join(repository.gitDirectory, 'objects')}\n`);
  const git = async (args: string[], stdin: string | Uint8Array = ''): Promise<string> =>
    (await runGit(gitDirectory, args, { stdin, signal })).toString('latin1').trim();
  await git(['read-tree', base]);
  const lines = change.deleted.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`);
  for (const { path, content, executable } of change.files) {
    const oid = await git(['hash-object', '-w', '--stdin'], content);
    lines.push(`${executable ? '100755' : '100644'} ${oid}\t${path}\0`);
  }
  await git(['update-index', '-z', '--index-info'], lines.join(''));
  const tree = await git(['write-tree', '--missing-ok']);
  const person = `${FRESH_AUTHOR} ${Math.floor(time.getTime() / 1000)} +0000`;
  const commit = await git(
    ['hash-object', '-t', 'commit', '-w', '--stdin'],
    `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nT0\n`,
  );
  return { ...openRepository(gitDirectory), commit };
}
