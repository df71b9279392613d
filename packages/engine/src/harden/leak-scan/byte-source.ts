import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes with random access, in memory or in a file. Reading beyond the end returns fewer bytes. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Buffer;
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + Math.max(0, length)) };
}

/** Reads from a descriptor, which stays the caller's to close. */
export function fileSource(descriptor: number, size: number): ByteSource {
  return { size, read: (offset, length) => readFully(descriptor, offset, Math.min(length, size - offset)) };
}

/** Returns bytes `from` to `to` of another source. */
export function sliceSource(source: ByteSource, from: number, to: number = source.size): ByteSource {
  const end = Math.min(Math.max(to, from), source.size);
  return {
    size: Math.max(0, end - from),
    read: (offset, length) => source.read(from + offset, Math.max(0, Math.min(length, end - from - offset))),
  };
}

function readFully(descriptor: number, offset: number, length: number): Buffer {
  if (length <= 0) return Buffer.alloc(0);
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

const IN_MEMORY = 16 * 1024 * 1024;

/** Collects bytes of unknown length: in memory at first, then in an unnamed file, which disappears on `close`. */
export class Spool {
  #chunks: Buffer[] = [];
  #descriptor: number | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#descriptor === null) {
      this.#chunks.push(chunk);
      if (this.#size > IN_MEMORY) this.#spill();
    } else {
      writeFully(this.#descriptor, chunk);
    }
  }

  #spill(): void {
    const directory = mkdtempSync(join(tmpdir(), 'assay-scan-'));
    const path = join(directory, 'spool');
    this.#descriptor = openSync(path, 'wx+', 0o600);
    rmSync(directory, { recursive: true });
    for (const chunk of this.#chunks) writeFully(this.#descriptor, chunk);
    this.#chunks = [];
  }

  source(): ByteSource {
    if (this.#descriptor !== null) return fileSource(this.#descriptor, this.#size);
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    return bufferSource(bytes ?? Buffer.alloc(0));
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
    this.#chunks = [];
  }
}

function writeFully(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
