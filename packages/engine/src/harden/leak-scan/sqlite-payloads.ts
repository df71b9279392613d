import type { ByteSource } from './byte-source.ts';

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
const INDEX_INTERIOR = 0x02;
const MAX_PAYLOAD = 64 * 1024 * 1024;

/**
 * Yields the cells of an SQLite file that are too long for one page, reassembled. All others are in the file in one
 * piece. Nothing in the file is trusted: every chain is bounded by the length it declares.
 */
export function* sqliteOverflows(source: ByteSource): Generator<Buffer> {
  const header = source.read(0, 100);
  if (header.length < 100 || header.toString('latin1', 0, 15) !== 'SQLite format 3') return;
  const told = header.readUInt16BE(16);
  const pageSize = told === 1 ? 65_536 : told;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return;
  const usable = pageSize - (header[20] ?? 0);
  const pages = Math.ceil(source.size / pageSize);
  for (let index = 0; index < pages; index += 1) {
    const page = source.read(index * pageSize, pageSize);
    for (const cell of longCells(page, index === 0 ? 100 : 0, usable)) {
      const payload = follow(source, cell, { pageSize, usable, pages });
      if (payload !== null) yield payload;
    }
  }
}

interface Layout {
  pageSize: number;
  /** Bytes of a page that cells may use. */
  usable: number;
  pages: number;
}

interface LongCell {
  local: Buffer;
  size: number;
  next: number;
}

function* longCells(page: Buffer, start: number, usable: number): Generator<LongCell> {
  const type = page[start];
  if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INTERIOR) return;
  const pointers = start + (type === INDEX_INTERIOR ? 12 : 8);
  if (pointers > page.length) return;
  const count = page.readUInt16BE(start + 3);
  const most = type === TABLE_LEAF ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  for (let index = 0; index < count && pointers + 2 * index + 2 <= page.length; index += 1) {
    let at = page.readUInt16BE(pointers + 2 * index) + (type === INDEX_INTERIOR ? 4 : 0);
    const size = variable(page, at);
    at = size.end;
    if (type === TABLE_LEAF) at = variable(page, at).end;
    if (size.value <= most || size.value > MAX_PAYLOAD) continue;
    const kept = least + ((size.value - least) % (usable - 4));
    const local = kept <= most ? kept : least;
    if (at + local + 4 > page.length) continue;
    yield { local: page.subarray(at, at + local), size: size.value, next: page.readUInt32BE(at + local) };
  }
}

/** Joins the parts of a cell; null when its chain of pages is broken. */
function follow(source: ByteSource, cell: LongCell, { pageSize, usable, pages }: Layout): Buffer | null {
  const parts = [cell.local];
  let left = cell.size - cell.local.length;
  for (let next = cell.next; left > 0;) {
    if (next === 0 || next > pages) return null;
    const page = source.read((next - 1) * pageSize, usable);
    if (page.length < 8) return null;
    parts.push(page.subarray(4, 4 + left));
    left -= usable - 4;
    next = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function variable(page: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const byte = page[start + index] ?? 0;
    if (index === 8) return { value: value * 256 + byte, end: start + 9 };
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, end: start + index + 1 };
  }
  return { value, end: start + 9 };
}
