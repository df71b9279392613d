import { readCapped } from './read-capped.ts';

/** A failed attempt. `waitMs`: how long the service asked to wait; null when trying again is of no use. */
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

/** Posts once, to this address and no other. Throws {@link AttemptFailure} when no whole answer comes. */
export async function postJson(url: URL, headers: Record<string, string>, body: unknown, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      // The key is for this address and no other.
      redirect: 'error',
      signal,
    });
    const text = await readCapped(response, MAX_ANSWER_BYTES);
    if (text === null) throw new AttemptFailure(`an answer of more than ${MAX_ANSWER_BYTES} bytes`, null);
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    if (error instanceof AttemptFailure) throw error;
    throw new AttemptFailure(signal.aborted ? 'no answer in time' : reason(error), 0);
  }
}

/** Null when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A short piece of a foreign answer, for a message. */
export function excerpt(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').trim().slice(0, 200);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
