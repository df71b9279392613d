/** Bytes that all requests of a lane may hold together. */
export class Allowance {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether so many were left; they are taken then. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}
