import type { ChangeSet } from './change-set.ts';

const BLOCK = 512;

/** Packs a change's files as an uncompressed tar (ustar with pax paths), for unpacking inside a sandbox. */
export async function packChange(change: ChangeSet): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (const file of change.files) {
    const pax = paxRecord('path', file.path);
    blocks.push(header('pax', 'x', pax.length, 0o644), padded(pax));
    blocks.push(header('file', '0', file.content.length, file.executable ? 0o755 : 0o644), padded(file.content));
  }
  blocks.push(Buffer.alloc(BLOCK * 2));
  return Buffer.concat(blocks);
}

function paxRecord(key: string, value: string): Buffer {
  const body = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(body);
  while (String(length).length + Buffer.byteLength(body) !== length)
    length = String(length).length + Buffer.byteLength(body);
  return Buffer.from(`${length}${body}`);
}

function header(name: string, type: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(content: Buffer): Buffer {
  const rest = content.length % BLOCK;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(BLOCK - rest)]);
}
