/** Shorter keys are placeholders such as `none`, or occur in ordinary text. */
const MIN_KEY = 12;
const MASK = '[key]';

/** Keeps one secret out of the traffic. */
export class KeyGuard {
  readonly #key: Buffer | null;
  readonly #text: string;

  constructor(key: string | undefined) {
    this.#text = key !== undefined && key.length >= MIN_KEY ? key : '';
    this.#key = this.#text === '' ? null : Buffer.from(this.#text);
  }

  isIn(bytes: Buffer): boolean {
    return this.#key !== null && bytes.includes(this.#key);
  }

  masked(text: string): string {
    return this.#text === '' ? text : text.replaceAll(this.#text, MASK);
  }

  /** Makes the guard of one stream. */
  filter(): KeyFilter {
    return new KeyFilter(this.#key);
  }
}

/**
 * Passes the bytes of a stream on unchanged, until the secret stands in them: a piece that may be its begin waits for
 * the next.
 */
export class KeyFilter {
  readonly #key: Buffer | null;
  #held: Buffer = Buffer.alloc(0);

  constructor(key: Buffer | null) {
    this.#key = key;
  }

  /** Returns the bytes that are safe to pass on, or null when the secret was found. */
  push(chunk: Buffer): Buffer | null {
    if (this.#key === null) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (bytes.includes(this.#key)) return null;
    const kept = beginAtEnd(bytes, this.#key);
    this.#held = kept === 0 ? Buffer.alloc(0) : Buffer.from(bytes.subarray(bytes.length - kept));
    return kept === 0 ? bytes : bytes.subarray(0, bytes.length - kept);
  }

  /** Returns the bytes that were held back. */
  end(): Buffer {
    return this.#held;
  }
}

/** Returns the length of the longest proper prefix of `key` that `bytes` ends with. */
function beginAtEnd(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.at(-1) === key[length - 1] && key.subarray(0, length).equals(bytes.subarray(bytes.length - length)))
      return length;
  }
  return 0;
}
