/** Texts for one reader, who waits for the next. */
export class StringQueue implements AsyncIterable<string> {
  readonly #texts: string[] = [];
  #closed = false;
  #wake: (() => void) | null = null;

  push(text: string): void {
    this.#texts.push(text);
    this.#wake?.();
  }

  /** Takes no more texts. Those in the queue are still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const text = this.#texts.shift();
      if (text !== undefined) yield text;
      else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
