import { closeSync, createWriteStream, fchmodSync, fchownSync, openSync, writeSync } from 'node:fs';
import { lstat, open, readdir, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Header, Pax } from 'tar';
import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import type { Owner } from './apply-change.ts';
import { assertSafePath } from './safe-path.ts';
import { readTarEntries, type TarEntry } from './tar-entries.ts';
import { TreeWriter } from './tree-writer.ts';

const BLOCK = 512;
const EPOCH = new Date(0);
/** Takes half the time of the usual 6, and a twentieth more bytes. */
const LEVEL = 4;

/**
 * Packs a directory as a gzipped tar that depends on names, contents, executable bits and link targets only: sorted, no
 * times, no owners. Devices, FIFOs and sockets raise `UNSAFE_PATH`; so do names that are no UTF-8. The file appears
 * whole or not at all, which is so, too, when the signal ends it.
 */
export async function packDirectory(
  directory: string,
  tarGzPath: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<void> {
  const draft = `${tarGzPath}.${process.pid}.tmp`;
  try {
    await pipeline(
      Readable.from(tarBlocks(directory), { objectMode: false }),
      createGzip({ level: LEVEL }),
      createWriteStream(draft, { flags: 'wx' }),
      { signal },
    );
    await rename(draft, tarGzPath);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* tarBlocks(directory: string): AsyncGenerator<Buffer> {
  yield* directoryBlocks(directory, '');
  yield Buffer.alloc(2 * BLOCK);
}

async function* directoryBlocks(root: string, under: string): AsyncGenerator<Buffer> {
  for (const name of (await readdir(join(root, under))).sort()) {
    const path = under === '' ? name : `${under}/${name}`;
    assertSafePath(path, { git: true });
    const location = join(root, path);
    const stats = await lstat(location).catch(() => null);
    if (stats?.isDirectory()) {
      yield headerBlocks({ path: `${path}/`, type: 'Directory', mode: 0o755, size: 0 });
      yield* directoryBlocks(root, path);
    } else if (stats?.isSymbolicLink()) {
      yield headerBlocks({ path, type: 'SymbolicLink', mode: 0o777, size: 0, linkpath: await readlink(location) });
    } else if (stats?.isFile()) {
      yield headerBlocks({ path, type: 'File', mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755, size: stats.size });
      yield* contentBlocks(location, stats.size);
    } else throw new AssayError('UNSAFE_PATH', { path, detail: 'an archive cannot hold it' });
  }
}

async function* contentBlocks(location: string, size: number): AsyncGenerator<Buffer> {
  const file = await open(location);
  let left = size;
  try {
    if (size > 0) {
      for await (const chunk of file.createReadStream({ start: 0, end: size - 1, highWaterMark: 256 * 1024 })) {
        left -= chunk.length;
        yield chunk;
      }
    }
  } finally {
    await file.close();
  }
  if (left !== 0) throw new AssayError('UNSAFE_PATH', { path: location, detail: 'it changed while it was read' });
  if (size % BLOCK !== 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
}

interface Member {
  path: string;
  type: 'File' | 'Directory' | 'SymbolicLink';
  mode: number;
  size: number;
  linkpath?: string;
}

function headerBlocks(member: Member): Buffer {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({ ...member, uid: 0, gid: 0, mtime: EPOCH });
  const needsPax = header.encode(block) || member.path.length > 99 || (member.linkpath?.length ?? 0) > 99;
  if (!needsPax) return block;
  const pax = new Pax({ path: member.path, size: member.size, linkpath: member.linkpath });
  return Buffer.concat([pax.encode(), block]);
}

export interface UnpackOptions {
  /** Owner of the written files. Default: the user inside sandboxes when this process is root. */
  owner?: Owner;
  /** Default 200 000. */
  maxEntries?: number;
  /** Limit on the unpacked size of all files together. Default 4 GiB. */
  maxBytes?: number;
}

/**
 * Unpacks a gzipped tar into a new, empty directory. Only regular files, directories and symbolic links that stay
 * inside are taken; modes become 755 and 644, whatever the archive says.
 *
 * Throws `UNSAFE_PATH` on anything else: absolute or climbing paths, hard links, devices, a path twice or behind a
 * link, too many entries or bytes, a damaged archive. What was written by then is left to the caller, who made the
 * directory.
 */
export async function unpackTar(tarGzPath: string, directory: string, options: UnpackOptions = {}): Promise<void> {
  const owner = options.owner === undefined ? sandboxOwner : options.owner;
  const left = { entries: options.maxEntries ?? 200_000, bytes: options.maxBytes ?? 4 * 1024 ** 3 };
  const writer = await TreeWriter.open(directory, { git: true, owner, refuse });
  try {
    for await (const entry of readTarEntries(tarGzPath)) {
      left.entries -= 1;
      left.bytes -= entry.size;
      if (left.entries < 0 || left.bytes < 0) throw refuse(entry.path, 'the archive unpacks to more than is allowed');
      await unpackEntry(entry, writer, owner);
    }
  } catch (error) {
    // A full disk or a missing file is not the archive's fault.
    if (AssayError.is(error) || (error instanceof Error && 'syscall' in error)) throw error;
    throw new AssayError(
      'UNSAFE_PATH',
      { path: tarGzPath, detail: `the archive is damaged: ${error instanceof Error ? error.message : String(error)}` },
      { cause: error },
    );
  }
  await writer.close();
}

async function unpackEntry(entry: TarEntry, writer: TreeWriter, owner: Owner): Promise<void> {
  const path = entry.path.replace(/^\.\//, '');
  if (entry.type === 'SymbolicLink') writer.addLink(path, entry.linkTarget);
  else if (entry.type === 'Directory') {
    const directory = path.replace(/\/$/, '');
    if (directory !== '' && directory !== '.') await writer.addDirectory(directory);
  } else if (entry.type === 'File' || entry.type === 'OldFile')
    await unpackFile(entry, await writer.place(path), owner);
  else throw refuse(entry.path, `it is a ${entry.type}`);
}

async function unpackFile(entry: TarEntry, target: string, owner: Owner): Promise<void> {
  const descriptor = openSync(target, 'wx', 0o600);
  try {
    for await (const piece of entry.content()) writeAll(descriptor, piece);
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
    fchmodSync(descriptor, (entry.mode & 0o100) === 0 ? 0o644 : 0o755);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, chunk: Buffer): void {
  for (let written = 0; written < chunk.length;) written += writeSync(descriptor, chunk, written);
}

function refuse(path: string, detail: string): AssayError {
  return new AssayError('UNSAFE_PATH', { path: JSON.stringify(path.slice(0, 200)), detail });
}
