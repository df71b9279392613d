import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, sandboxOwner } from '@assay/sandbox';
import { runGit } from '../../../git/run-git.ts';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

const IDENTITY = ['-c', 'user.name=Upstream', '-c', 'user.email=upstream@localhost'];

/**
 * The seal `history` off: a layer with the repository as a clone leaves it. The fix is at origin/main and at a tag, and
 * its objects lie in a promisor pack, which no scrub of refs and no garbage collection takes away.
 */
export async function plantHistory(
  { t0Directory, reference, hidden }: OpenRepositoryTask,
  directory: string,
): Promise<string> {
  const git = join(directory, '.git');
  await mkdir(directory, { recursive: true });
  await cp(join(t0Directory, '.git'), git, { recursive: true });
  const index = { GIT_INDEX_FILE: join(directory, 'index.planted') };
  const run = async (args: string[], stdin?: string | Buffer): Promise<string> =>
    (await runGit(git, [...IDENTITY, ...args], { env: index, stdin })).toString('utf8').trim();
  await run(['read-tree', 'HEAD']);
  for (const file of [...reference.files, ...hidden.files]) {
    const blob = await run(['hash-object', '-w', '--stdin'], file.content);
    await run([
      'update-index',
      '--add',
      '--cacheinfo',
      `${file.executable ? '100755' : '100644'},${blob},${file.path}`,
    ]);
  }
  for (const path of [...reference.deleted, ...hidden.deleted]) await run(['update-index', '--force-remove', path]);
  const fix = await run(['commit-tree', await run(['write-tree']), '-p', 'HEAD', '-m', 'Fix']);
  const objects = await run(['rev-list', '--objects', fix, '--not', 'HEAD']);
  const name = await run(
    ['pack-objects', '-q', join(directory, 'pack')],
    `${objects
      .split('\n')
      .map((line) => line.split(' ')[0])
      .join('\n')}\n`,
  );
  for (const end of ['pack', 'idx'])
    await rename(join(directory, `pack-${name}.${end}`), join(git, 'objects', 'pack', `pack-${name}.${end}`));
  await writeFile(join(git, 'objects', 'pack', `pack-${name}.promisor`), '');
  await run(['update-ref', 'refs/remotes/origin/main', fix]);
  await run(['update-ref', 'refs/tags/next', fix]);
  await run(['prune-packed']);
  await runCommand(['rm', '-f', index.GIT_INDEX_FILE]);
  if (sandboxOwner) await runCommand(['chown', '-R', `${sandboxOwner.uid}:${sandboxOwner.gid}`, directory]);
  return directory;
}
