/** Keeps the first `limit` bytes of a stream and counts the rest as lost. */
export class OutputCollector {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    const room = this.#limit - this.#length;
    if (chunk.length > room) this.#truncated = true;
    if (room <= 0) return;
    // A copy of the part: a slice would keep the whole chunk alive.
    const kept = chunk.length > room ? Buffer.from(chunk.subarray(0, room)) : chunk;
    this.#chunks.push(kept);
    this.#length += kept.length;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.#length);
  }
}
