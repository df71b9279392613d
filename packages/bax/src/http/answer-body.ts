import { type AnswerHead, pythonInteger } from './answer-head.ts';
import { HttpFailure } from './http-failure.ts';
import { type Wire } from './wire.ts';

const PIECE_BYTES = 64 * 1024;
const LINE_BYTES = 65_536;

function tooLarge(limit: number): HttpFailure {
  return new HttpFailure('too-large', `the answer is longer than ${limit} bytes`);
}

/** `int(line, 16)` of Python; null for what it refuses. */
function hexadecimal(text: string): number | null {
  const [, sign = '', digits] = /^\s*([-+]?)(?:0[xX]_?)?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)\s*$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = Number.parseInt(digits.replaceAll('_', ''), 16);
  return sign === '-' ? -value : value;
}

async function chunkSize(wire: Wire): Promise<number> {
  const line = await wire.line(LINE_BYTES);
  if (line.length === LINE_BYTES)
    throw new HttpFailure('too-large', `the line of a chunk is longer than ${LINE_BYTES} bytes`);
  const size = hexadecimal(line.toString('latin1').split(';')[0] ?? '');
  if (size === null || size < 0)
    throw new HttpFailure(
      'incomplete',
      line.length === 0 ? 'the answer ended before its last chunk' : 'a chunk without a length',
    );
  return size;
}

async function exactly(wire: Wire, count: number): Promise<Buffer> {
  const bytes = await wire.exactly(count);
  if (bytes.length < count) throw new HttpFailure('incomplete', 'the answer ended within a chunk');
  return bytes;
}

async function readChunked(wire: Wire, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (let size = await chunkSize(wire); size > 0; size = await chunkSize(wire)) {
    total += size;
    if (total > limit) throw tooLarge(limit);
    chunks.push(await exactly(wire, size));
    await exactly(wire, 2);
  }
  let trailers = 0;
  for (
    let line = await wire.line(LINE_BYTES);
    line.length > 0 && !line.equals(Buffer.from('\r\n'));
    line = await wire.line(LINE_BYTES)
  ) {
    trailers += line.length;
    if (trailers > limit) throw tooLarge(limit);
  }
  return Buffer.concat(chunks, total);
}

/** Up to so many bytes, or to the end of the connection. */
async function readPlain(wire: Wire, length: number | null, limit: number): Promise<Buffer> {
  if ((length ?? 0) > limit) throw tooLarge(limit);
  const pieces: Buffer[] = [];
  let total = 0;
  while (length === null || total < length) {
    const piece = await wire.exactly(Math.min(PIECE_BYTES, (length ?? Infinity) - total));
    if (piece.length === 0) break;
    total += piece.length;
    if (total > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, total);
}

/** The length by all headers together, and by the first alone: two layers of Python each look at one of them. */
function declaredLengths(
  { status, headers }: AnswerHead,
  method: string,
): { first: number | null; all: number | null } {
  if (status === 204 || status === 304 || status < 200 || method === 'HEAD') return { first: 0, all: 0 };
  const lengths = headers.all('content-length');
  const positive = (value: number | null): number | null => (value === null || value < 0 ? null : value);
  const each = lengths.join(', ').split(',').map(pythonInteger);
  if (!each.includes(null) && new Set(each).size > 1) throw new HttpFailure('garbage', 'two different lengths', 'head');
  return {
    first: positive(pythonInteger(lengths[0] ?? '')),
    all: each.includes(null) ? null : positive(each[0] ?? null),
  };
}

/**
 * The body as it came over the wire, still compressed.
 * @throws HttpFailure `incomplete` when the connection ends before the length or the last chunk, `garbage` for two
 * lengths.
 */
export async function readBody(wire: Wire, head: AnswerHead, method: string, limit: number): Promise<Buffer> {
  const codings = (head.headers.get('transfer-encoding') ?? '').toLowerCase().split(',');
  const chunked = codings.some((coding) => coding.trim() === 'chunked');
  const { first, all } = chunked ? { first: null, all: null } : declaredLengths(head, method);
  wire.phase = 'body';
  if (chunked) return method === 'HEAD' ? Buffer.alloc(0) : readChunked(wire, limit);
  const body = await readPlain(wire, first, limit);
  if (all !== null && body.length !== all && body.length !== first)
    throw new HttpFailure('incomplete', `${body.length} of ${all} bytes came`);
  return body;
}
