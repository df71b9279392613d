import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import type { Owner } from '@assay/files/apply-change';
import { TreeWriter } from '@assay/files/tree-writer';
import { decodeUtf8 } from '@assay/files/walk-tree';
import { listTree, readCommit, type Repository, type TreeEntry } from './repository.ts';

/** Blobs requested at once: enough to keep git busy, few enough to keep memory small. */
const READS_AT_ONCE = 64;

export interface MaterialiseOptions {
  /** Owner of the files. Default: the sandbox user when this process is root. */
  owner?: Owner;
  /** Files and links to leave out, by blob; their directories stay. */
  without?: ReadonlySet<string>;
  signal?: AbortSignal;
}

/**
 * Writes the tree of a commit into a new, empty directory, byte for byte: no filters, no line-ending conversion, no
 * substitution. Modes are 755 and 644; submodules become empty directories. Throws `MISSING_OBJECT`, and
 * `UNSUPPORTED_ENTRY` for a name that is not UTF-8 or leads out of the tree or into git data, and for a link that
 * leaves the tree.
 */
export async function materialiseTree(
  repository: Repository,
  commit: string,
  directory: string,
  options: MaterialiseOptions = {},
): Promise<void> {
  const { tree } = await readCommit(repository, commit);
  const refuse = (path: string, detail: string): Error =>
    new AssayError('UNSUPPORTED_ENTRY', { path: JSON.stringify(path.slice(0, 200)), detail });
  // The whole tree is listed before anything is created: one that unfolds without bound must not fill the disk first.
  const entries = await Array.fromAsync(listTree(repository, tree));
  const writer = await TreeWriter.open(directory, {
    owner: options.owner === undefined ? sandboxOwner : options.owner,
    refuse,
  });
  for (const { path, kind, utf8 } of entries) {
    if (!utf8) throw refuse(path, 'its name is no valid UTF-8');
    if (kind === 'tree' || kind === 'gitlink') await writer.addDirectory(path);
  }
  const blobs = entries.filter(
    ({ kind, oid }) => kind !== 'tree' && kind !== 'gitlink' && options.without?.has(oid) !== true,
  );
  // Reads the next batch while the previous one is written.
  let ahead = readBatch(repository, blobs, 0);
  for (let start = 0; start < blobs.length; start += READS_AT_ONCE) {
    const contents = await ahead;
    options.signal?.throwIfAborted();
    ahead = readBatch(repository, blobs, start + READS_AT_ONCE);
    for (const [index, content] of contents.entries()) await writeEntry(writer, blobs[start + index], content);
  }
  await writer.close();
}

function readBatch(repository: Repository, entries: TreeEntry[], start: number): Promise<Buffer[]> {
  const batch = Promise.all(
    entries.slice(start, start + READS_AT_ONCE).map((entry) => repository.objects.readTyped(entry.oid, 'blob')),
  );
  // The caller that awaits it gets the error; if writing fails first, nobody awaits it.
  batch.catch(() => {});
  return batch;
}

async function writeEntry(writer: TreeWriter, entry: TreeEntry | undefined, content: Buffer): Promise<void> {
  if (!entry) return;
  if (entry.kind !== 'link') await writer.addFile(entry.path, content, entry.kind === 'executable');
  else writer.addLink(entry.path, decodeUtf8(content) ?? '');
}
