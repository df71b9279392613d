import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import type { Owner } from '../files/apply-change.ts';
import { TreeWriter } from '../files/tree-writer.ts';
import { decodeUtf8 } from '../files/walk-tree.ts';
import { listTree, readCommit, type Repository, type TreeEntry } from './repository.ts';

/** Blobs that are asked for at once: enough to keep git busy, few enough to keep memory small. */
const READS_AT_ONCE = 32;

export interface MaterialiseOptions {
  /** Who shall own the files. Default: the user inside sandboxes when this process is root. */
  owner?: Owner;
}

/**
 * Writes the tree of a commit into a new, empty directory, byte for byte: no filter, no line-end conversion, no substitution. Modes are
 * 755 and 644; submodules are empty directories.
 *
 * Throws `UNSUPPORTED_ENTRY` on a name that leads out, into git data or that is no UTF-8, and on a link that leaves the tree; `MISSING_OBJECT`.
 */
export async function materialiseTree(repository: Repository, commit: string, directory: string, options: MaterialiseOptions = {}): Promise<void> {
  const { tree } = await readCommit(repository, commit);
  const refuse = (path: string, detail: string): Error => new AssayError('UNSUPPORTED_ENTRY', { path: JSON.stringify(path.slice(0, 200)), detail });
  const writer = await TreeWriter.open(directory, { owner: options.owner === undefined ? sandboxOwner : options.owner, refuse });
  let batch: TreeEntry[] = [];
  for await (const entry of listTree(repository, tree)) {
    if (!entry.utf8) throw refuse(entry.path, 'its name is no valid UTF-8');
    if (entry.kind === 'tree' || entry.kind === 'gitlink') await writer.addDirectory(entry.path);
    else batch.push(entry);
    if (batch.length < READS_AT_ONCE) continue;
    await writeBatch(repository, writer, batch);
    batch = [];
  }
  await writeBatch(repository, writer, batch);
  await writer.close();
}

async function writeBatch(repository: Repository, writer: TreeWriter, entries: TreeEntry[]): Promise<void> {
  const contents = await Promise.all(entries.map((entry) => repository.objects.readTyped(entry.oid, 'blob')));
  for (const [index, entry] of entries.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    if (entry.kind !== 'link') await writer.addFile(entry.path, content, entry.kind === 'executable');
    else writer.addLink(entry.path, decodeUtf8(content) ?? '');
  }
}
