import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { walkTree, type WalkedFile } from '@assay/files/walk-tree';
import { unreadable, withHostFile } from '../host-file.ts';
import { emitNode, importFile, type EmitBlock, type Imported } from './import-file.ts';
import { IMPORT_PARAMETERS, type CidVersion } from './import-parameters.ts';
import { UNIXFS, encodeUnixfs } from './unixfs-data.ts';
import { unsupported } from './unixfs-node.ts';

interface Branch {
  directories: Map<string, Branch>;
  files: Map<string, Imported>;
}

/**
 * Imports everything below a directory: files with hidden ones, and empty directories (as `ipfs add -r -H`). A link, a
 * device or whatever else cannot be carried raises `CONTENT_UNREADABLE`, as a CID that silently lacks it would mislead.
 * Permission bits and times are no part of a CID.
 */
export async function importDirectory(directory: string, version: CidVersion, emit: EmitBlock): Promise<Imported> {
  const root = emptyBranch();
  const stats = await lstat(directory).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  if (!stats.isDirectory())
    throw new AssayError('CONTENT_UNREADABLE', { path: directory, detail: 'it is no directory' });
  const enter = (path: string): true => {
    branchAt(root, path.split('/'));
    return true;
  };
  for await (const entry of walkTree(directory, { enter })) {
    if ('skipped' in entry)
      throw new AssayError('CONTENT_UNREADABLE', { path: join(directory, entry.path), detail: entry.skipped });
    const names = entry.path.split('/');
    branchAt(root, names.slice(0, -1)).files.set(
      names.at(-1) ?? '',
      await importFile(readWhole(entry, directory), version, emit),
    );
  }
  return importBranch(root, version, emit);
}

/** Imports one regular file of the host. */
export function importHostFile(path: string, version: CidVersion, emit: EmitBlock): Promise<Imported> {
  return withHostFile(path, (file) =>
    importFile(file.createReadStream({ highWaterMark: IMPORT_PARAMETERS.chunkBytes, autoClose: false }), version, emit),
  );
}

/** An entry of the walk must be read before the next one, so one file at a time is in memory. */
function readWhole(entry: WalkedFile, directory: string): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  // The walk's buffer is its own and reused.
  const count = entry.read((chunk) => chunks.push(Uint8Array.from(chunk)));
  if (count !== entry.size)
    throw new AssayError('CONTENT_UNREADABLE', {
      path: join(directory, entry.path),
      detail: 'it cannot be read, or changes meanwhile',
    });
  return chunks;
}

function emptyBranch(): Branch {
  return { directories: new Map(), files: new Map() };
}

function branchAt(root: Branch, names: string[]): Branch {
  let branch = root;
  for (const name of names) {
    const next = branch.directories.get(name) ?? emptyBranch();
    branch.directories.set(name, next);
    branch = next;
  }
  return branch;
}

async function importBranch(branch: Branch, version: CidVersion, emit: EmitBlock): Promise<Imported> {
  const entries = [...branch.files].map(([name, child]) => ({ name, child }));
  for (const [name, below] of branch.directories)
    entries.push({ name, child: await importBranch(below, version, emit) });
  entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const size = entries.reduce((sum, { child }) => sum + child.size, 0);
  const node = await emitNode({ data: encodeUnixfs(UNIXFS.directory), links: entries, size }, version, emit);
  const linkBytes = entries.reduce((sum, { name, child }) => sum + Buffer.byteLength(name) + child.cid.bytes.length, 0);
  if (linkBytes > IMPORT_PARAMETERS.maxDirectoryBytes)
    throw unsupported(
      node.cid,
      `a directory of ${entries.length} entries would be sharded (HAMT), which Assay does not write`,
    );
  return node;
}
