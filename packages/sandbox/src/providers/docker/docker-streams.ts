import type { Duplex } from 'node:stream';

const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes the daemon's attached stream apart: frames of a header (the stream's number, three zero bytes, the length,
 * big-endian) and content. Calls back with pieces as they come. Resolves when the stream has ended or broken.
 */
export function splitStreams(
  attached: Duplex,
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void,
): Promise<void> {
  let header = Buffer.alloc(0);
  let stream: 'stdout' | 'stderr' = 'stdout';
  let left = 0;
  attached.on('data', (data: Buffer) => {
    let rest = data;
    while (rest.length > 0) {
      if (left === 0) {
        const missing = HEADER_BYTES - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER_BYTES) return;
        stream = header[0] === STDERR ? 'stderr' : 'stdout';
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const piece = rest.subarray(0, left);
      left -= piece.length;
      rest = rest.subarray(piece.length);
      onOutput(stream, piece);
    }
  });
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) attached.once(event, () => resolve());
    // Writing to a container that ended without reading its input.
    attached.on('error', () => undefined);
  });
}
