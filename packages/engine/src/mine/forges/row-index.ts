import type { Place } from '../told/export-rows.ts';

/** Where rows stand, by their numbers, and when they were merged. Little is kept of each: there may be millions. */
export class RowIndex {
  readonly #indexes = new Map<number, number>();
  readonly #files: number[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #times: number[] = [];

  get size(): number {
    return this.#indexes.size;
  }

  /** Of several rows with a number the last one counts. */
  add(number: number, { file, start, length }: Place, time = 0): void {
    this.#indexes.set(number, this.#files.length);
    this.#files.push(file);
    this.#starts.push(start);
    this.#lengths.push(length);
    this.#times.push(time);
  }

  at(number: number): Place | null {
    const index = this.#indexes.get(number);
    if (index === undefined) return null;
    return { file: this.#files[index] ?? 0, start: this.#starts[index] ?? 0, length: this.#lengths[index] ?? 0 };
  }

  /** The numbers, latest time first. */
  newestFirst(): number[] {
    const timeOf = (number: number): number => this.#times[this.#indexes.get(number) ?? -1] ?? 0;
    return [...this.#indexes.keys()].sort((a, b) => timeOf(b) - timeOf(a));
  }
}
