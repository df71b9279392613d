/**
 * The first items of a search, which goes on while they are worked on: so that it is known soon how many there are. An
 * error of the search is thrown to whoever waits for the next item.
 */
export class ReadAhead<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #count = 0;
  #state: 'reading' | 'ended' | 'closed' = 'reading';
  #error: { thrown: unknown } | undefined;
  #news = Promise.withResolvers<void>();
  readonly #reading: Promise<void>;

  /** Starts to read, and reads no more than `limit`. */
  constructor(items: AsyncIterable<T> | Iterable<T>, limit: number) {
    this.#reading = this.#read(items, limit);
  }

  /** Items found until now. */
  get count(): number {
    return this.#count;
  }

  /** How many there are; undefined while the search goes on. */
  get total(): number | undefined {
    return this.#state === 'ended' ? this.#count : undefined;
  }

  /** Resolves when the search has ended, however it did. */
  get ended(): Promise<void> {
    return this.#reading;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#items.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#error) throw this.#error.thrown;
      if (this.#state !== 'reading') return;
      await this.#news.promise;
    }
  }

  /** Ends the search, once the item that it looks for is found. */
  async close(): Promise<void> {
    if (this.#state === 'reading') this.#state = 'closed';
    await this.#reading;
  }

  async #read(items: AsyncIterable<T> | Iterable<T>, limit: number): Promise<void> {
    try {
      if (limit > 0)
        for await (const item of items) {
          if (this.#state === 'closed') return;
          this.#items.push(item);
          this.#count += 1;
          this.#tell();
          if (this.#count >= limit) break;
        }
    } catch (thrown) {
      this.#error = { thrown };
    }
    if (this.#state === 'reading') this.#state = 'ended';
    this.#tell();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}
