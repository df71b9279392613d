import { createReadStream } from 'node:fs';

/** An object of a file, and where it stands in it, in bytes. */
export interface JsonRow {
  text: string;
  start: number;
  length: number;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * Yields the outermost objects of a file: those of an array, of one array after another, or one a line. One object is
 * held at a time; longer ones are passed over.
 */
export async function* jsonRows(path: string, maxBytes: number): AsyncGenerator<JsonRow> {
  let [depth, inString, escaped] = [0, false, false];
  let [start, offset, held] = [0, 0, 0];
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = depth > 0;
      else if (byte === OPEN && (depth += 1) === 1) [start, from, parts, held] = [offset + at, at, [], 0];
      else if (byte === CLOSE && depth > 0 && (depth -= 1) === 0) {
        const length = offset + at + 1 - start;
        if (length <= maxBytes)
          yield { text: Buffer.concat([...parts, chunk.subarray(from, at + 1)]).toString('utf8'), start, length };
        [parts, held, from] = [[], 0, at + 1];
      }
    }
    if (depth > 0 && held <= maxBytes) {
      const rest = chunk.subarray(from);
      held += rest.length;
      parts = held > maxBytes ? [] : [...parts, rest];
    }
    offset += chunk.length;
  }
}
