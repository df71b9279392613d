import { chown, lchown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import { assertEmptyDirectory, type Owner } from '@assay/files/apply-change';
import { listTree, readCommit, type Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { treeWithout } from './absent-blobs.ts';

/** The whole configuration of a fresh repository, the same everywhere. */
export const FRESH_CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';
export const FRESH_AUTHOR = 'Assay <assay@localhost>';
export const FRESH_MESSAGE = 'Initial commit';
export const FRESH_BRANCH = 'main';

const SECONDS_A_DAY = 86_400;

export interface FreshOptions {
  /** Files and links to leave out, by blob. The tree then differs from the commit's. */
  without?: ReadonlySet<string>;
  /** Owner of the files. Default: the sandbox user when this process is root. */
  owner?: Owner;
  signal?: AbortSignal;
}

/**
 * Writes a new `.git` for the tree of a commit. Nothing is scrubbed: the repository holds one root commit (neutral
 * author, dated midnight UTC of the commit's day) and the objects of its tree. It has one branch and an index, but no
 * tags, remotes, logs, hooks or stashes. Returns the root commit. Throws `MISSING_OBJECT`, and `UNSUPPORTED_ENTRY` as
 * `listTree` does.
 */
export async function freshRepository(
  repository: Repository,
  commit: string,
  targetGitDirectory: string,
  options: FreshOptions = {},
): Promise<string> {
  const { tree, time } = await readCommit(repository, commit);
  await assertEmptyDirectory(targetGitDirectory);
  for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    await mkdir(join(targetGitDirectory, directory), { recursive: true });
  await writeFile(join(targetGitDirectory, 'config'), FRESH_CONFIG);
  await writeFile(join(targetGitDirectory, 'HEAD'), `ref: refs/heads/${FRESH_BRANCH}\n`);
  const placed = await copyTree(repository, tree, targetGitDirectory, options);
  const root = await writeRootCommit(targetGitDirectory, placed, time);
  await writeFile(join(targetGitDirectory, 'refs', 'heads', FRESH_BRANCH), `${root}\n`);
  await runGit(targetGitDirectory, ['read-tree', root], { signal: options.signal });
  const owner = options.owner === undefined ? sandboxOwner : options.owner;
  if (owner) await giveTo(targetGitDirectory, owner);
  return root;
}

/**
 * Packs exactly the objects of the tree, without the blobs to leave out, and returns the tree's name. The source's
 * packs are not reused, so the pack depends on the tree alone, and the target computes every object name itself: an
 * object stored under a wrong name does not get through.
 */
async function copyTree(
  repository: Repository,
  tree: string,
  targetGitDirectory: string,
  { without = new Set(), signal }: FreshOptions,
): Promise<string> {
  const reduced =
    without.size === 0
      ? { root: tree, kept: await objectsOf(repository, tree), written: new Set<string>() }
      : await treeWithout(repository, tree, without, targetGitDirectory);
  const objects = reduced.kept;
  const pack = await runGit(
    repository.gitDirectory,
    ['pack-objects', '--stdout', '--quiet', '--threads=1', '--window=0', '--no-reuse-delta', '--no-reuse-object'],
    { stdin: [...objects].map((oid) => `${oid}\n`).join(''), signal },
  );
  await runGit(targetGitDirectory, ['index-pack', '--stdin', '--threads=1'], { stdin: pack, signal });
  const listing = await runGit(targetGitDirectory, [
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objectname)',
    '--unordered',
  ]);
  const arrived = new Set(listing.toString('latin1').trim().split('\n'));
  const absent = [...objects].find((oid) => !arrived.has(oid));
  if (absent !== undefined || arrived.size !== new Set([...objects, ...reduced.written]).size)
    throw new AssayError('MISSING_OBJECT', { detail: `${absent ?? tree} is not what its name says` });
  return reduced.root;
}

async function objectsOf(repository: Repository, tree: string): Promise<Set<string>> {
  const objects = new Set([tree]);
  for await (const entry of listTree(repository, tree)) if (entry.kind !== 'gitlink') objects.add(entry.oid);
  return objects;
}

async function writeRootCommit(targetGitDirectory: string, tree: string, time: Date): Promise<string> {
  const seconds = Math.floor(time.getTime() / 1000);
  const person = `${FRESH_AUTHOR} ${seconds - (seconds % SECONDS_A_DAY)} +0000`;
  const content = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${FRESH_MESSAGE}\n`;
  return (await runGit(targetGitDirectory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { stdin: content }))
    .toString('latin1')
    .trim();
}

async function giveTo(directory: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
  await chown(directory, owner.uid, owner.gid);
}
