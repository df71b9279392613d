import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A failed attempt. `waitMs`: the pause that the service asked for; null when a retry is useless. */
export class AttemptFailure extends Error {
  readonly waitMs: number | null;
  constructor(message: string, waitMs: number | null) {
    super(message);
    this.waitMs = waitMs;
  }
}

export interface Reply {
  status: number;
  text: string;
  retryAfter: string | null;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Some services compress answers even when they were not asked to. */
const DECODERS: Record<string, () => Duplex> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Posts once, to this address and no other, and waits `timeoutMs` milliseconds for the whole answer, if need be in
 * silence: `fetch` would give up after five minutes, and a model may think for longer. Throws {@link AttemptFailure}
 * when no whole answer comes.
 */
export async function postJson(
  url: URL,
  headers: Record<string, string>,
  body: unknown,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let begun = false;
  try {
    const answer = await post(url, headers, JSON.stringify(body), either);
    begun = true;
    return {
      status: answer.statusCode ?? 0,
      text: await readBody(answer, either),
      retryAfter: answer.headers['retry-after'] ?? null,
    };
  } catch (error) {
    if (error instanceof AttemptFailure) throw error;
    throw new AttemptFailure(
      timeout.aborted ? `no ${begun ? 'whole ' : ''}answer within ${timeoutMs / 1000} s` : reason(error),
      0,
    );
  }
}

function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    });
    request.on('response', resolve).on('error', reject).end(body);
  });
}

async function readBody(answer: http.IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new AttemptFailure(`an answer of more than ${MAX_ANSWER_BYTES} bytes`, null);
      chunks.push(chunk);
    }
  };
  const decoder = DECODERS[answer.headers['content-encoding'] ?? '']?.();
  await (decoder ? pipeline(answer, decoder, collect, { signal }) : pipeline(answer, collect, { signal }));
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns null for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns a short excerpt of a foreign answer, for a message. */
export function excerpt(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
}

/** Where a name has two addresses and neither answers, the message is empty. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
