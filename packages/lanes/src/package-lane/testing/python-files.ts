import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const metadataOf = (name: string, version: string, requires: string[] = []): string =>
  [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...requires.map((line) => `Requires-Dist: ${line}`),
    '',
  ].join('\n');

/** A pure Python wheel that pip and uv install; `module` is the text of its one module. */
export function makeWheel(
  name: string,
  version: string,
  options: { module?: string; requires?: string[] } = {},
): Buffer {
  const information = `${name}-${version}.dist-info`;
  return makeZip({
    [`${name}.py`]: options.module ?? `VERSION = '${version}'\n`,
    [`${information}/METADATA`]: metadataOf(name, version, options.requires),
    [`${information}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${information}/RECORD`]: `${name}.py,,\n${information}/METADATA,,\n${information}/WHEEL,,\n${information}/RECORD,,\n`,
  });
}

/** A zip archive of uncompressed files. */
export function makeZip(files: Record<string, string | Buffer>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name));
    bodies.push(body);
    offset += body.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}
