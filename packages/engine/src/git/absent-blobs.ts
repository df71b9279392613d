import { listTree, readCommit, readTree, type EntryKind, type Repository, type TreeEntry } from './repository.ts';
import { runGit } from './run-git.ts';

/**
 * Lists the files and links of a commit's tree whose content the repository does not hold, as in a partial clone.
 * Throws `MISSING_OBJECT` when a tree itself is missing.
 */
export async function absentBlobs(repository: Repository, commit: string): Promise<TreeEntry[]> {
  const { tree } = await readCommit(repository, commit);
  const blobs = (await Array.fromAsync(listTree(repository, tree))).filter(
    ({ kind }) => kind !== 'tree' && kind !== 'gitlink',
  );
  const asked = [...new Set(blobs.map(({ oid }) => oid))];
  const listing = await runGit(repository.gitDirectory, ['cat-file', '--batch-check=%(objectname)'], {
    stdin: `${asked.join('\n')}\n`,
  });
  const absent = new Set(
    listing
      .toString('latin1')
      .split('\n')
      .filter((line) => line.endsWith(' missing'))
      .map((line) => line.slice(0, 40)),
  );
  return blobs.filter(({ oid }) => absent.has(oid));
}

/** A tree from which some blobs were removed. */
export interface ReducedTree {
  root: string;
  /** Objects that the repository holds. */
  kept: Set<string>;
  /** Trees written anew into the target. */
  written: Set<string>;
}

/**
 * Removes blobs from a tree. Trees that change are written into another repository; a directory left empty goes too.
 */
export async function treeWithout(
  repository: Repository,
  tree: string,
  without: ReadonlySet<string>,
  targetGitDirectory: string,
): Promise<ReducedTree> {
  const result: ReducedTree = { root: tree, kept: new Set(), written: new Set() };
  const done = new Map<string, string | null>();
  const reduce = async (oid: string): Promise<string | null> => {
    const known = done.get(oid);
    if (known !== undefined) return known;
    const before = await readTree(repository, oid);
    const after: TreeEntry[] = [];
    for (const entry of before) {
      const left = entry.kind === 'tree' ? await reduce(entry.oid) : without.has(entry.oid) ? null : entry.oid;
      if (left === null) continue;
      after.push({ ...entry, oid: left });
      if (entry.kind !== 'tree' && entry.kind !== 'gitlink') result.kept.add(left);
    }
    const same = after.length === before.length && after.every((entry, index) => entry.oid === before[index]?.oid);
    const reduced = same ? oid : after.length === 0 ? null : await writeTree(after, targetGitDirectory);
    if (reduced !== null) (same ? result.kept : result.written).add(reduced);
    done.set(oid, reduced);
    return reduced;
  };
  const root = await reduce(tree);
  if (root !== null) return { ...result, root };
  const empty = await writeTree([], targetGitDirectory);
  return { ...result, root: empty, written: new Set([empty]) };
}

const MODES: Record<EntryKind, string> = {
  file: '100644',
  executable: '100755',
  link: '120000',
  gitlink: '160000',
  tree: '40000',
};

async function writeTree(entries: TreeEntry[], gitDirectory: string): Promise<string> {
  const content = Buffer.concat(
    entries.flatMap(({ kind, path, utf8, oid }) => [
      Buffer.from(`${MODES[kind]} `),
      Buffer.from(path, utf8 ? 'utf8' : 'latin1'),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]),
  );
  return (await runGit(gitDirectory, ['hash-object', '-t', 'tree', '-w', '--stdin'], { stdin: content }))
    .toString('latin1')
    .trim();
}
