import { readCommit, readTree, type Repository } from './repository.ts';

/** Reads a regular file of a commit; returns null when there is none at that path. Throws `MISSING_OBJECT`. */
export async function fileAt(repository: Repository, commit: string, path: string): Promise<Buffer | null> {
  let { tree } = await readCommit(repository, commit);
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    const entry = (await readTree(repository, tree)).find((each) => each.utf8 && each.path === name);
    if (index === names.length - 1)
      return entry?.kind === 'file' || entry?.kind === 'executable'
        ? repository.objects.readTyped(entry.oid, 'blob')
        : null;
    if (entry?.kind !== 'tree') return null;
    tree = entry.oid;
  }
  return null;
}
