import type { ChangeSet, FileChange } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { AssayError } from '@assay/protocol';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { readCommit, readTree, type TreeEntry } from '../../git/repository.ts';
import { runGit } from '../../git/run-git.ts';

/** Commits to read at most; each is a walk to a few files. */
const MAX_COMMITS = 100;

export interface VersionsRequest {
  repository: Pick<ImportedRepository, 'gitDirectory' | 'objects' | 'head'>;
  /** The commit from which the task starts. */
  base: string;
  reference: ChangeSet;
  /** Versions to return at most. */
  most: number;
  signal?: AbortSignal;
}

/**
 * Returns what became of the files of a reference later, up to the head: solutions that people wrote, the next, the
 * last and some between. None where the history does not hold the reference.
 */
export async function laterVersions(request: VersionsRequest): Promise<ChangeSet[]> {
  const { repository, base, reference, most, signal } = request;
  if (reference.files.length === 0) return [];
  const paths = reference.files.map(({ path }) => path);
  const range = ['--first-parent', '--reverse', '--format=%H', `${base}..${repository.head}`];
  const listed = await runGit(repository.gitDirectory, ['log', ...range, '--', ...paths], { signal });
  const commits = listed.toString('utf8').split('\n').filter(Boolean).slice(0, MAX_COMMITS);
  const own = digestChange(reference);
  const later: ChangeSet[] = [];
  const seen = new Set([own]);
  let isLater = false;
  for (const commit of commits) {
    const version = await versionAt(commit, request);
    const digest = version && digestChange(version);
    isLater ||= digest === own;
    if (!isLater || !version || digest === null || seen.has(digest)) continue;
    seen.add(digest);
    later.push(version);
  }
  return spread(later, most);
}

function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, index) =>
    items.slice(Math.round((index * (items.length - 1)) / Math.max(1, most - 1))).slice(0, 1),
  ).flat();
}

/** Null where a file is gone by then, or not there to be read. */
async function versionAt(commit: string, { repository, reference }: VersionsRequest): Promise<ChangeSet | null> {
  try {
    const { tree } = await readCommit(repository, commit);
    const files: FileChange[] = [];
    for (const { path } of reference.files) {
      const entry = await entryAt(repository, tree, path);
      if (entry?.kind !== 'file' && entry?.kind !== 'executable') return null;
      const content = await repository.objects.readTyped(entry.oid, 'blob');
      files.push({ path, content, executable: entry.kind === 'executable' });
    }
    return { ...reference, files };
  } catch (error) {
    if (AssayError.is(error) && error.code === 'MISSING_OBJECT') return null;
    throw error;
  }
}

async function entryAt(
  repository: VersionsRequest['repository'],
  root: string,
  path: string,
): Promise<TreeEntry | undefined> {
  const names = path.split('/');
  let tree = root;
  for (const name of names.slice(0, -1)) {
    const next = (await readTree(repository, tree)).find((entry) => entry.path === name);
    if (next?.kind !== 'tree') return undefined;
    tree = next.oid;
  }
  return (await readTree(repository, tree)).find((entry) => entry.path === names.at(-1));
}
