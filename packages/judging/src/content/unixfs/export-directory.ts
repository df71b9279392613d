import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import { TreeWriter } from '@assay/files/tree-writer';
import type { DirectoryNode } from './unixfs-node.ts';
import { unsupported } from './unixfs-node.ts';
import type { NodeReader } from './read-file.ts';

const MAX_DEPTH = 100;

export interface ExportedDirectory {
  root: CID;
  /** The decoded block of `root`. */
  node: DirectoryNode;
  /** Limit on files and directories. */
  maxEntries: number;
  reader: NodeReader;
}

export interface ExportedTree {
  files: number;
  bytes: number;
}

/**
 * Writes a directory's content into an empty directory of the host. Names are foreign: a path that is not safe raises
 * `UNSAFE_PATH`. No more than `maxEntries` files and directories are made.
 */
export async function exportDirectory(
  directory: string,
  { root, node, maxEntries, reader }: ExportedDirectory,
): Promise<ExportedTree> {
  const refuse = (path: string, detail: string): AssayError =>
    new AssayError('UNSAFE_PATH', { path: JSON.stringify(path.slice(0, 200)), detail });
  const writer = await TreeWriter.open(directory, { owner: null, refuse });
  const tree = { files: 0, bytes: 0 };
  let entriesLeft = maxEntries;

  const write = async (path: string, cid: CID, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw unsupported(root, `its directories are nested more than ${MAX_DEPTH} deep`);
    if (--entriesLeft < 0) throw unsupported(root, `it holds more than ${maxEntries} entries`);
    const found = await reader.node(cid);
    if (found.kind === 'directory') {
      await writer.addDirectory(path);
      for (const entry of found.entries) await write(joinName(path, entry.name, refuse), entry.cid, depth + 1);
      return;
    }
    const bytes = Buffer.concat(await Array.fromAsync(reader.file(cid, found)));
    await writer.addFile(path, bytes, false);
    tree.files += 1;
    tree.bytes += bytes.length;
  };

  for (const entry of node.entries) await write(joinName('', entry.name, refuse), entry.cid, 1);
  await writer.close();
  return tree;
}

/** Joins a path and a name. A name with a slash would reach into another directory. */
function joinName(parent: string, name: string, refuse: (path: string, detail: string) => AssayError): string {
  if (name.includes('/')) throw refuse(name, 'a name with a slash');
  return parent === '' ? name : `${parent}/${name}`;
}
