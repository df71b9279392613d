import { isRecord } from './rules.ts';

/** Limit on one line. Longer ones are skipped. */
const MAX_LINE = 8 * 1024 * 1024;
/** After so many malformed events the rest is only counted: each costs the time of an exception. */
const MAX_MALFORMED = 10_000;
/** The first letter of `data:`. */
const LETTER_D = 100;

/** Reads the JSON events of a server-sent stream beside it, in pieces of any size, holding no more than one line. */
export class EventReader {
  malformed = 0;
  #pieces: Buffer[] = [];
  #size = 0;
  #skipping = false;
  readonly #onEvent: (event: Record<string, unknown>) => void;

  constructor(onEvent: (event: Record<string, unknown>) => void) {
    this.#onEvent = onEvent;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      // Lines that cannot be events are not even copied: a stream may hold millions of empty ones.
      const whole = this.#size === 0 && !this.#skipping;
      if (!whole || (end - start > 'data:'.length && chunk[start] === LETTER_D)) {
        this.#collect(chunk.subarray(start, end));
        this.#endLine();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#collect(chunk.subarray(start));
  }

  end(): void {
    if (this.#size > 0) this.#endLine();
  }

  #collect(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > MAX_LINE) {
      this.#skipping = true;
      this.#pieces = [];
    } else if (piece.length > 0) {
      // A copy: a small piece must not keep a large chunk.
      this.#pieces.push(Buffer.from(piece));
    }
  }

  #endLine(): void {
    const line = this.#skipping ? null : Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    this.#skipping = false;
    if (line === null) this.malformed += 1;
    else if (line.startsWith('data:')) this.#read(line.slice(5).trim());
  }

  #read(data: string): void {
    if (data === '' || data === '[DONE]') return;
    if (this.malformed >= MAX_MALFORMED) {
      this.malformed += 1;
      return;
    }
    try {
      const event: unknown = JSON.parse(data);
      if (isRecord(event)) this.#onEvent(event);
      else this.malformed += 1;
    } catch {
      this.malformed += 1;
    }
  }
}
