/**
 * The text constants of Python bytecode, one after the other, in the order of the file. Written by looking for the strings of the
 * marshal format (a type byte, a length, that many printable bytes) and not by parsing code objects, whose layout differs from
 * one Python to the next. Null when the bytes are no bytecode file.
 */
export function marshalStrings(bytes: Buffer): Buffer | null {
  // Every magic number of CPython 3 ends in CR LF.
  if (bytes.length < 16 || bytes[2] !== 0x0d || bytes[3] !== 0x0a) return null;
  const strings: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = stringLength(bytes, at);
    if (length === null) {
      at += 1;
      continue;
    }
    const start = at + length.header;
    const end = start + length.size;
    if (end <= bytes.length && isPrintable(bytes, start, end)) {
      strings.push(bytes.subarray(start, end), NEW_LINE);
      at = end;
    } else {
      at += 1;
    }
  }
  return Buffer.concat(strings);
}

const NEW_LINE = Buffer.from('\n');
const SHORT = new Set(['z', 'Z'].map((type) => type.charCodeAt(0)));
const LONG = new Set(['s', 'u', 't', 'a', 'A'].map((type) => type.charCodeAt(0)));

function stringLength(bytes: Buffer, at: number): { header: number; size: number } | null {
  const type = (bytes[at] ?? 0) & 0x7f;
  if (SHORT.has(type)) return { header: 2, size: bytes[at + 1] ?? 0 };
  if (LONG.has(type) && at + 5 <= bytes.length) return { header: 5, size: bytes.readUInt32LE(at + 1) };
  return null;
}

function isPrintable(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127) return false;
  }
  return true;
}
