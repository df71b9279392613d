import { readSync } from 'node:fs';

const CHUNK = 64 * 1024;

/** Reads a descriptor until its first line is there, and returns that with the bytes that came after it. */
export function readFirstLine(descriptor) {
  const parts = [];
  for (;;) {
    const buffer = Buffer.alloc(CHUNK);
    const piece = buffer.subarray(0, readSync(descriptor, buffer, 0, CHUNK, null));
    const end = piece.indexOf(10);
    if (end < 0 && piece.length > 0) {
      parts.push(piece);
      continue;
    }
    parts.push(piece.subarray(0, Math.max(end, 0)));
    return { line: Buffer.concat(parts).toString(), rest: piece.subarray(end + 1) };
  }
}
