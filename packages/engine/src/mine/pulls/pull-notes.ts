import type { PipelineNotes } from '@assay/protocol';

/** What becomes of pull requests that are no candidates, in the words of the notes. */
const ENDS = {
  unmerged: 'not merged',
  draft: 'drafts',
  early: 'too early',
  absent: 'whose commits the clone lacks',
  elsewhere: 'merged to another line than HEAD',
  several: 'of maintained lines or several pull requests',
  untested: 'without code and tests of a known language',
  repeated: 'with the change of another',
} as const;
export type PullEnd = keyof typeof ENDS;

/** Ends that are told one by one, at most so many. */
const TOLD: ReadonlySet<PullEnd> = new Set(['absent', 'elsewhere']);
const MOST_TOLD = 20;

/** Counts what becomes of pull requests. */
export class PullNotes {
  #read = 0;
  #found = 0;
  readonly #ends = new Map<PullEnd, number>();
  readonly #leftOut: string[] = [];

  /** Counts one that was looked at. */
  read(): void {
    this.#read += 1;
  }

  found(): void {
    this.#found += 1;
  }

  ended(end: PullEnd, name: string): void {
    const count = (this.#ends.get(end) ?? 0) + 1;
    this.#ends.set(end, count);
    if (TOLD.has(end) && count <= MOST_TOLD) this.leaveOut(`${name}: ${ENDS[end]}`);
  }

  /** Tells one that was asked for and is no candidate. */
  leaveOut(line: string): void {
    this.#leftOut.push(line);
  }

  toPipelineNotes(): PipelineNotes {
    const parts = Object.entries(ENDS).flatMap(([end, words]) => {
      const count = this.#ends.get(end as PullEnd) ?? 0;
      return count === 0 ? [] : [`${count.toLocaleString('en')} ${words}`];
    });
    const read = `${this.#read.toLocaleString('en')} pull ${this.#read === 1 ? 'request' : 'requests'} looked at`;
    return {
      text: [read, `${this.#found.toLocaleString('en')} with code and tests of a known language`, ...parts].join(', '),
      counts: { read: this.#read, found: this.#found, ...Object.fromEntries(this.#ends) },
      leftOut: this.#leftOut,
    };
  }
}
