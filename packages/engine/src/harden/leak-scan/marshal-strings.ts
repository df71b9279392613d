/**
 * Returns the text constants of Python bytecode in file order. Searches for strings of the marshal format (a type byte,
 * a length, that many printable bytes) rather than parsing code objects, whose layout differs between Python versions.
 * Null when the bytes are not a bytecode file.
 */
export function marshalStrings(bytes: Buffer): Buffer | null {
  // Every magic number of CPython 3 ends in CR LF.
  if (bytes.length < 16 || bytes[2] !== 0x0d || bytes[3] !== 0x0a) return null;
  const strings: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const header = HEADERS[bytes[at] as number] as number;
    const start = at + header;
    const end =
      header === 0 || start > bytes.length
        ? 0
        : start + (header === 2 ? (bytes[at + 1] as number) : bytes.readUInt32LE(at + 1));
    if (end - start >= 3 && end <= bytes.length && isPrintable(bytes, start, end)) {
      strings.push(bytes.subarray(start, end), NEW_LINE);
      at = end;
    } else {
      at += 1;
    }
  }
  return Buffer.concat(strings);
}

const NEW_LINE = Buffer.from('\n');
/**
 * 2 for a type byte that is followed by one byte of length, 5 for one with four. The first bit only marks a reference.
 */
const HEADERS = new Uint8Array(256);
for (const type of 'zZ') HEADERS[type.charCodeAt(0)] = HEADERS[type.charCodeAt(0) | 0x80] = 2;
for (const type of 'sutaA') HEADERS[type.charCodeAt(0)] = HEADERS[type.charCodeAt(0) | 0x80] = 5;

function isPrintable(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127) return false;
  }
  return true;
}
