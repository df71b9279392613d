import { randomBytes } from 'node:crypto';

import { pythonJson, pythonText, type JsonValue, type PythonScalar } from './python-values.ts';
import { encodeParameters, type Parameters } from './request-target.ts';

/** Bytes to send. Big ones are never in memory at once: a piece repeated, or a stream whose length is known before. */
export type Content =
  | string
  | Uint8Array
  | { readonly repeat: Uint8Array; readonly times: number }
  | { readonly bytes: number; readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array> };

/** One file of a form. Without a `type` its part says none, as python-requests does it. */
export type FilePart = {
  readonly field: string;
  readonly name: string;
  readonly content: Content;
  readonly type?: string;
};

/** Content of a request: at most one of json, body, and fields with files. */
export type Payload = {
  /** A document; null is none, as `json=None`. */
  readonly json?: JsonValue;
  /** Raw bytes or text without a content type. Empty is none. */
  readonly body?: string | Uint8Array;
  /** Fields of a form: before the files, or URL-encoded where there are none. */
  readonly fields?: Parameters;
  readonly files?: readonly FilePart[];
};

/** A body with its length, that can be sent more than once. */
export type RequestBody = {
  readonly bytes: number;
  readonly type: string | null;
  readonly open: () => AsyncIterable<Uint8Array>;
};

const PIECE_BYTES = 256 * 1024;

function contentBytes(content: Content): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (content instanceof Uint8Array) return content.byteLength;
  return 'repeat' in content ? content.repeat.byteLength * content.times : content.bytes;
}

async function* contentPieces(content: Content): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content);
  else if (content instanceof Uint8Array) yield content;
  else if ('repeat' in content) yield* repeated(content.repeat, content.times);
  else yield* content.open();
}

function* repeated(piece: Uint8Array, times: number): Generator<Uint8Array> {
  const together = Math.min(times, Math.max(1, Math.floor(PIECE_BYTES / Math.max(1, piece.byteLength))));
  const block = together > 1 ? Buffer.alloc(together * piece.byteLength, piece) : piece;
  let left = times;
  for (; left >= together && left > 0; left -= together) yield block;
  if (left > 0) yield block.subarray(0, left * piece.byteLength);
}

/** A piece of at most 256 KiB at a time, so that time limits see progress. */
async function* slices(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
  }
}

function bodyOf(parts: readonly Content[], type: string | null): RequestBody {
  return {
    bytes: parts.reduce((sum, part) => sum + contentBytes(part), 0),
    type,
    open: () =>
      slices(
        (async function* all(): AsyncGenerator<Uint8Array> {
          for (const part of parts) yield* contentPieces(part);
        })(),
      ),
  };
}

const QUOTED: Readonly<Record<string, string>> = { '\n': '%0A', '\r': '%0D', '"': '%22' };

function parameter(name: string, value: string): string {
  return `${name}="${value.replace(/[\n\r"]/g, (character) => QUOTED[character] ?? character)}"`;
}

function fieldParts(fields: Parameters): [name: string, text: string][] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const values: readonly (PythonScalar | undefined)[] = Array.isArray(value)
      ? value
      : [value as PythonScalar | undefined];
    return values.flatMap((each): [string, string][] => (each === undefined ? [] : [[name, pythonText(each)]]));
  });
}

function multipart(fields: Parameters, files: readonly FilePart[]): RequestBody {
  const boundary = randomBytes(16).toString('hex');
  const parts: Content[] = [];
  const add = (disposition: string, type: string | undefined, content: Content): void => {
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${typed}\r\n`, content, '\r\n');
  };
  for (const [name, text] of fieldParts(fields)) add(parameter('name', name), undefined, text);
  for (const { field, name, type, content } of files) {
    add(`${parameter('name', field)}; ${parameter('filename', name)}`, type, content);
  }
  parts.push(`--${boundary}--\r\n`);
  return bodyOf(parts, `multipart/form-data; boundary=${boundary}`);
}

/** The body of a request; null when it carries none. */
export function requestBody({ json, body, fields = {}, files = [] }: Payload): RequestBody | null {
  if (files.length > 0) return multipart(fields, files);
  if (Object.keys(fields).length > 0) return bodyOf([encodeParameters(fields)], 'application/x-www-form-urlencoded');
  if (body !== undefined && body.length > 0) return bodyOf([body], null);
  if (json === undefined || json === null) return null;
  return bodyOf([pythonJson(json)], 'application/json');
}
