import type { CandidateEnd } from '@assay/protocol';
import { readCommit, type Repository } from '../git/repository.ts';
import type { Told } from './examine-candidates.ts';
import { patchOfFix } from './fixes/patch-of-fix.ts';
import { rejectionOf } from './candidate.ts';
import type { Found } from './pipelines/pipeline.ts';

/** What several parts of a run may find. */
interface Known {
  /** The part that examines it, and its name there. */
  part: FoundPart;
  label: string;
  /** Names of the pipelines that found it, in the order of the run. */
  foundBy: Set<string>;
}

/** One pipeline of one repository, as far as it matters here. */
export interface FoundPart {
  /** URL without credentials, or `local:<name>`. */
  source: string;
  pipeline: string;
  /** ISO 8601. Only fixes from before count. */
  until?: string;
  /** How candidates ended, by their names. */
  told: Map<string, Told & { at: string }>;
  /** What is told of candidates beside their end, by their names. */
  marks: Map<string, Marks>;
  /** Candidates that another part has taken over. */
  gone: Set<string>;
  /** How many it found that another part examines. */
  foundBefore: number;
}

interface Marks {
  known: Known | null;
  beforeCutoff: boolean;
}

/** Ends that rest on the words of a pipeline: another one may tell the same change better. */
const WORDS: ReadonlySet<string> = new Set(['thin_statement', 'chore', 'no_fix_commit']);

export interface FoundOnceOptions {
  /** Whether there are several parts; of one, no candidate is looked up. */
  isShared: boolean;
  /** ISO 8601. */
  cutoff?: string;
  /** Called when another pipeline has found a candidate whose end is told already. */
  changed: (part: FoundPart, label: string) => void;
}

/**
 * Lets each change through once, whoever finds it: candidates with the same base and the same patch are one. The first
 * pipeline that finds it examines it; where its words were what it fell for, the next one does, and it counts for that.
 */
export class FoundOnce {
  readonly #options: FoundOnceOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: FoundOnceOptions) {
    this.#options = options;
  }

  async *of(
    part: FoundPart,
    repository: Repository,
    found: AsyncIterable<Found> | Iterable<Found>,
  ): AsyncGenerator<Found> {
    const { cutoff } = this.#options;
    for await (const each of found) {
      const time = await timeOf(repository, each);
      if (time !== null && part.until !== undefined && time >= new Date(part.until).getTime()) continue;
      const known = this.#options.isShared ? await this.#knownAs(part, repository, each) : null;
      if (known === 'elsewhere') continue;
      const beforeCutoff = time !== null && cutoff !== undefined && time < new Date(cutoff).getTime();
      part.marks.set(each.label, { known, beforeCutoff });
      yield each;
    }
  }

  async #knownAs(part: FoundPart, repository: Repository, each: Found): Promise<Known | null | 'elsewhere'> {
    const key = await keyOf(repository, each);
    if (key === null) return null;
    const known = this.#known.get(key);
    if (known === undefined) {
      const first = { part, label: each.label, foundBy: new Set([part.pipeline]) };
      this.#known.set(key, first);
      return first;
    }
    known.foundBy.add(part.pipeline);
    const end = known.part.told.get(known.label);
    const isAnother = known.part.pipeline !== part.pipeline;
    if (isAnother && end?.outcome === 'rejected' && WORDS.has(end.reason)) {
      known.part.gone.add(known.label);
      Object.assign(known, { part, label: each.label });
      return known;
    }
    part.foundBefore += 1;
    if (isAnother && end) this.#options.changed(known.part, known.label);
    return 'elsewhere';
  }
}

/** An end with what else is told of its candidate. */
export function marked<End extends CandidateEnd>(end: End, { marks }: FoundPart): End {
  const { known = null, beforeCutoff = false } = marks.get(end.candidate) ?? {};
  return {
    ...end,
    ...(known && known.foundBy.size > 1 && { foundBy: [...known.foundBy] }),
    ...(beforeCutoff && { beforeCutoff: true as const }),
  };
}

/** Null where no commit holds the fix, or the repository lacks it. */
async function timeOf(repository: Repository, { commit }: Found): Promise<number | null> {
  if (commit === undefined) return null;
  return readCommit(repository, commit).then(
    ({ time }) => time.getTime(),
    (error: unknown) => {
      if (rejectionOf(error)?.reason === 'missing_objects') return null;
      throw error;
    },
  );
}

/** Names a change by the commit that it starts from and what it changes; null for one that no commit holds. */
async function keyOf(repository: Repository, { base, commit }: Found): Promise<string | null> {
  if (commit === undefined) return null;
  const parent = base ?? (await readCommit(repository, commit).catch(() => null))?.parents[0];
  if (parent === undefined) return null;
  return `${parent} ${(await patchOfFix(repository, { parent, commit })) ?? commit}`;
}
