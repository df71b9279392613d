import { setTimeout as sleep } from 'node:timers/promises';

const MOST = 512;
/** Overloads within this time count as one. */
const ONE_OVERLOAD_MS = 1000;

/** Outcome of a request to a service. `overload`: status 429, 503 or 529. */
export type Load = 'fine' | 'overload' | 'unknown';

/**
 * How many requests one service gets at the same time: halved by an overload, one more for every round that goes well.
 */
export class EndpointLimiter {
  #limit = MOST;
  #active = 0;
  #lastOverload = 0;
  #pausedUntil = 0;
  readonly #waiting: (() => void)[] = [];

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Resolves when a request may be sent. Rejects when the signal fires first. Each must be released. */
  async acquire(signal: AbortSignal): Promise<void> {
    while (this.#active >= this.limit) {
      await this.#turn(signal);
    }
    signal.throwIfAborted();
    this.#active += 1;
    const pause = this.#pausedUntil - Date.now();
    if (pause <= 0) return;
    try {
      await sleep(pause, undefined, { signal });
    } catch (error) {
      this.release('unknown');
      throw error;
    }
  }

  release(load: Load): void {
    this.#active -= 1;
    if (load === 'fine') this.#limit = Math.min(MOST, this.#limit + 1 / this.#limit);
    this.#wake();
  }

  /** Handles a service that reports an overload, and perhaps its duration. */
  overloaded(pauseMs: number): void {
    const now = Date.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    if (now - this.#lastOverload < ONE_OVERLOAD_MS) return;
    this.#lastOverload = now;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#active) / 2);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.push(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    const place = this.#waiting.indexOf(wake);
    if (place !== -1) this.#waiting.splice(place, 1);
    // A request that leaves passes its turn on.
    else if (signal.aborted) this.#wake();
  }

  #wake(): void {
    if (this.#active < this.limit) this.#waiting.shift()?.();
  }
}

const shared = new Map<string, { limiter: EndpointLimiter; lanes: number }>();

/** Returns the limiter that all lanes of this process to one service share. */
export function shareLimiter(origin: string): { limiter: EndpointLimiter; leave: () => void } {
  const entry = shared.get(origin) ?? { limiter: new EndpointLimiter(), lanes: 0 };
  shared.set(origin, entry);
  entry.lanes += 1;
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    entry.lanes -= 1;
    if (entry.lanes === 0) shared.delete(origin);
  };
  return { limiter: entry.limiter, leave };
}
