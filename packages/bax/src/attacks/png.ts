import { crc32, deflateSync } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export interface Picture {
  /** In pixels. */
  width: number;
  height: number;
  /** Red, green and blue of each colour, at most 256; without it a pixel is three bytes: red, green and blue. */
  palette?: Buffer;
  /** Each row begins with the number of its filter, 0 for none. A pixel is the number of a colour, or three bytes. */
  rows: Buffer;
}

/** A PNG with 8 bits for a colour's number, or for red, green and blue each. */
export function encodePng({ width, height, palette, rows }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, palette ? 3 : 2], 8);
  const colours = palette ? [chunk('PLTE', palette)] : [];
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    ...colours,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
