import { AssayError, type Leak } from '@assay/protocol';
import type { ByteMatcher } from './matcher.ts';
import type { Unreadable } from './scan-report.ts';

export interface ScanLimits {
  /** Limit on the size of a file, in bytes; larger ones are not read. */
  fileBytes: number;
  /** Limit on what one file of a root may expand to, all nested members together, in bytes. */
  expandedBytes: number;
  /** Limit on members, objects and streams in one file of a root. */
  members: number;
  /** Limit on containers within containers. */
  depth: number;
}

export const DEFAULT_SCAN_LIMITS: ScanLimits = {
  fileBytes: 4 * 1024 ** 3,
  expandedBytes: 2 * 1024 ** 3,
  members: 500_000,
  depth: 8,
};

/** State shared by all parts of a scan: the matcher, the remaining budget of the current file, and the findings. */
export class ScanContext {
  readonly matcher: ByteMatcher;
  readonly limits: ScanLimits;
  readonly signal: AbortSignal | undefined;
  readonly unreadable: Unreadable[] = [];
  readonly #leaks = new Map<string, { leak: Leak; needles: Set<number> }>();
  readonly #found = new Set<number>();
  #expanded = 0;
  #members = 0;
  #root = '';
  #lastPause = performance.now();

  constructor(matcher: ByteMatcher, limits: ScanLimits, signal?: AbortSignal) {
    this.matcher = matcher;
    this.limits = limits;
    this.signal = signal;
  }

  /** Begins a file of a root and resets its budgets. */
  beginFile(where: string): void {
    this.#expanded = 0;
    this.#members = 0;
    this.#root = where;
  }

  /** Bytes that the current file may still expand to. */
  get expansionLeft(): number {
    return Math.max(0, this.limits.expandedBytes - this.#expanded);
  }

  /** Spends bytes and a member of the budget. Returns false, with a finding, when the current file holds too much. */
  spend(bytes: number): boolean {
    const had = this.#expanded <= this.limits.expandedBytes && this.#members <= this.limits.members;
    this.#expanded += bytes;
    this.#members += 1;
    if (this.#expanded <= this.limits.expandedBytes && this.#members <= this.limits.members) return true;
    if (had)
      this.noteUnreadable(
        this.#root,
        this.#members > this.limits.members
          ? `holds more than ${this.limits.members} members`
          : `expands beyond ${this.limits.expandedBytes} bytes`,
      );
    return false;
  }

  noteLeak(where: string, index: number): void {
    const needle = this.matcher.needles[index];
    if (needle === undefined) return;
    this.#found.add(index);
    const key = `${where}\0${needle.origin}`;
    const known = this.#leaks.get(key);
    if (known === undefined) {
      this.#leaks.set(key, {
        leak: { where, origin: needle.origin, lines: [...needle.lines], runs: 1 },
        needles: new Set([index]),
      });
    } else if (!known.needles.has(index)) {
      known.needles.add(index);
      known.leak.runs += 1;
    }
  }

  noteUnreadable(where: string, reason: string): void {
    this.unreadable.push({ where, reason });
  }

  /** Indexes of the needles that were found anywhere. */
  get foundNeedles(): ReadonlySet<number> {
    return this.#found;
  }

  /** Returns one leak per place and origin. A container is left out when one of its members has the same leak. */
  leaks(): Leak[] {
    const inner = new Set<string>();
    for (const { leak } of this.#leaks.values()) {
      for (let cut = leak.where.lastIndexOf('!'); cut > 0; cut = leak.where.lastIndexOf('!', cut - 1))
        inner.add(`${leak.where.slice(0, cut)}\0${leak.origin}`);
    }
    return [...this.#leaks.entries()].filter(([key]) => !inner.has(key)).map(([, { leak }]) => leak);
  }

  /** Lets other work of this process run now and then. Throws `INTERRUPTED`. */
  async pause(): Promise<void> {
    if (this.signal?.aborted) throw new AssayError('INTERRUPTED', {}, { cause: this.signal.reason });
    if (performance.now() - this.#lastPause < 20) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#lastPause = performance.now();
  }
}
