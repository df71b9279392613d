/** Weight that is kept, in bytes. */
const CAPACITY = 32 * 1024 * 1024;

/**
 * Values by name, made on first need, parallel callers sharing one; the least recently used go when their weight is too
 * much.
 */
export class Memory<T> {
  readonly #entries = new Map<string, { value: Promise<{ value: T; weight: number }>; weight: number }>();

  async get(name: string, make: () => Promise<{ value: T; weight: number }>): Promise<T> {
    const entry = this.#entries.get(name) ?? { value: make(), weight: 0 };
    // Last in insertion order is the most recently used.
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    try {
      const made = await entry.value;
      entry.weight = made.weight;
      this.#shrink(name);
      return made.value;
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  #shrink(keep: string): void {
    let total = 0;
    for (const { weight } of this.#entries.values()) total += weight;
    for (const [name, { weight }] of this.#entries) {
      if (total <= CAPACITY) return;
      if (name === keep) continue;
      this.#entries.delete(name);
      total -= weight;
    }
  }
}
