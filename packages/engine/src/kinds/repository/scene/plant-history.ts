import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, sandboxOwner, type Mount } from '@assay/sandbox';
import { writeChange } from '@assay/files/apply-change';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';
import { PlantedGit } from './planted-git.ts';

/** Where the repository lies that the agent's one borrows objects from. */
const REFERENCE_REPOSITORY = '/srv/git/reference.git';

export interface PlantedHistory {
  /** A directory that lies over the tree of T0. */
  layer: string;
  mounts: Mount[];
}

/**
 * The seal `history` off: a layer with the repository as clones, builds and people leave it. The fix is in each of the
 * places that a scrub of branches and tags forgets, everywhere as a commit of its own.
 */
export async function plantHistory(
  task: OpenRepositoryTask,
  { project, codeHost, marker, directory }: { project: string; codeHost: string; marker: string; directory: string },
): Promise<PlantedHistory> {
  const layer = join(directory, 'layer');
  const git = new PlantedGit(join(layer, '.git'));
  await mkdir(layer, { recursive: true });
  await cp(join(task.t0Directory, '.git'), git.directory, { recursive: true });
  await git.writeFixedTree(task);
  await plantPacks(git);
  await plantRefs(git);
  await plantSideFiles(git);
  await plantAncestor(git);
  const upstream = codeHost.replace('://', `://token:${marker}@`);
  await appendFile(join(git.directory, 'config'), `[remote "upstream"]\n\turl = ${upstream}/${project}.git\n`);
  const reference = await plantReferenceRepository(git, join(directory, 'reference.git'));
  await writeChange(task.reference, join(layer, 'third_party', project));
  await runCommand(['rm', '-f', join(git.directory, 'index.planted')]);
  if (sandboxOwner) await runCommand(['chown', '-R', `${sandboxOwner.uid}:${sandboxOwner.gid}`, directory]);
  return { layer, mounts: [{ kind: 'read-only', source: reference, target: REFERENCE_REPOSITORY }] };
}

/** Packs that garbage collection takes for wanted. */
async function plantPacks(git: PlantedGit): Promise<void> {
  const fetched = await git.commitFix('Fix');
  await writeFile(`${await git.pack(fetched)}.promisor`, '');
  await writeFile(`${await git.pack(await git.commitFix('Fix that was kept'))}.keep`, '');
  await git.run(['prune-packed']);
  await git.run(['update-ref', 'refs/remotes/origin/main', fetched]);
  await git.run(['update-ref', 'refs/tags/next', fetched]);
}

async function plantRefs(git: PlantedGit): Promise<void> {
  const old = '2001-02-03T04:05:06Z';
  await git.run(['update-ref', 'refs/heads/maintenance', await git.commitFix('Fix of long ago', { date: old })]);
  for (const name of ['stash', 'pull/1/head', 'notes/review'])
    await git.run(['update-ref', `refs/${name}`, await git.commitFix(`Fix at ${name}`)]);
  // No ref and no log leads to this one.
  await git.commitFix('Fix that was lost');
}

/** Files of git beside refs and objects. */
async function plantSideFiles(git: PlantedGit): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    const file = join(git.directory, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  };
  await write('ORIG_HEAD', `${await git.commitFix('Fix that was reset')}\n`);
  await write('worktrees/next/HEAD', `${await git.commitFix('Fix in a worktree')}\n`);
  await write('worktrees/next/commondir', '../..\n');
  await write('worktrees/next/gitdir', '/srv/next/.git\n');
  await git.run(['update-ref', 'refs/heads/bundled', await git.commitFix('Fix in a bundle')]);
  await git.run(['bundle', 'create', '-q', join(git.directory, 'next.bundle'), 'refs/heads/bundled', '^HEAD']);
  await git.run(['update-ref', '-d', 'refs/heads/bundled']);
}

/** HEAD becomes the revert of a fix, with the same tree as before. */
async function plantAncestor(git: PlantedGit): Promise<void> {
  const parent = await git.commitFix('Fix that was reverted');
  await git.run(['update-ref', 'HEAD', await git.commitFix('Revert the fix', { tree: 'HEAD^{tree}', parent })]);
}

/** A bare repository with another commit of the fix, and the note that objects are to be looked for there, too. */
async function plantReferenceRepository(git: PlantedGit, directory: string): Promise<string> {
  const reference = new PlantedGit(directory);
  await cp(git.directory, directory, { recursive: true });
  await reference.run([
    'update-ref',
    'refs/heads/borrowed',
    await reference.commitFix('Fix in a reference', { tree: 'refs/tags/next^{tree}' }),
  ]);
  await mkdir(join(git.directory, 'objects', 'info'), { recursive: true });
  await writeFile(join(git.directory, 'objects', 'info', 'alternates'), `${REFERENCE_REPOSITORY}/objects\n`);
  return directory;
}
