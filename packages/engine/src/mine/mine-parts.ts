import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { cacheDirectory } from '@assay/files/store/paths';
import {
  AssayError,
  type CandidateEnd,
  type ItemFailure,
  type MinedPart,
  type OnProgress,
  type SpecificityPolicy,
} from '@assay/protocol';
import { importRepository, type ImportedRepository } from '../git/import-repository.ts';
import { redact } from '../git/source-location.ts';
import { candidateOrders, sharedOrder } from './candidate-orders.ts';
import { readRecords } from './candidate-records.ts';
import { candidateWorker, type CandidateWorker } from './candidate-worker.ts';
import { openDataset, type Dataset } from './dataset.ts';
import { examineCandidates, timesOf, type Told } from './examine-candidates.ts';
import { FoundOnce, marked, type FoundPart } from './found-once.ts';
import type { Collect, Collected, Pipeline } from './pipelines/pipeline.ts';
import { ReadAhead } from './read-ahead.ts';

/** One pipeline of one repository. */
export interface MiningPart {
  /** Directory of a clone, or a URL. */
  source: string;
  pipeline: Pipeline;
  /** The pipeline, opened with its options. */
  collect: Collect;
  /** ISO 8601. Only fixes from then on. */
  since?: string;
  /** ISO 8601. Only fixes from before. */
  until?: string;
  /** Most candidates of this part. */
  limit?: number;
}

export interface MinePartsRequest {
  out: string;
  /** Most candidates of all parts. */
  limit: number;
  budgetMs?: number;
  specificity: SpecificityPolicy;
  require?: 'split';
  network?: 'none' | 'package-lane';
  minKilled: number;
  strengthen?: boolean;
  jobs?: number;
  model?: { name: string; endpoint: string };
  /** Tokens for all that the model is asked about candidates. */
  modelBudget?: number;
  provider?: string;
  /** ISO 8601. Candidates whose fix is older are marked. */
  cutoff?: string;
  /** Whether a part that cannot be mined is told, and the others go on; else it ends the run. */
  goesOn: boolean;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface MinedParts {
  ends: CandidateEnd[];
  parts: MinedPart[];
  /** The budget was over: candidates that were found and have no end. */
  left?: number;
}

/**
 * Mines parts one after another into one dataset. Limit and budget are for all of them: each part gets an equal share of
 * what is left, and leaves what it does not need to those after it. A candidate that several parts find is examined once.
 */
export async function mineParts(parts: readonly MiningPart[], request: MinePartsRequest): Promise<MinedParts> {
  const run = new MiningRun(request, parts.length > 1);
  try {
    for (const [index, part] of parts.entries()) await run.mine(part, parts.length - index);
    return run.result();
  } finally {
    await run.close();
  }
}

/** What became of a part. */
interface State extends FoundPart {
  /** How candidates ended, by the ids of their orders. */
  ends: Map<string, CandidateEnd>;
  isSearched: boolean;
  notes?: MinedPart['notes'];
  /** Those that were left when the budget was over. */
  left?: number;
  failure?: ItemFailure;
}

/** A search that could not begin, or broke off: its part is at fault, and no other. */
class SearchFailed extends Error {
  constructor(cause: unknown) {
    super('the search failed', { cause });
  }
}

class MiningRun {
  readonly #request: MinePartsRequest;
  readonly #once: FoundOnce;
  readonly #parts: State[] = [];
  readonly #known = new Map<string, ImportedRepository>();
  readonly #deadline: number;
  #repository: { source: string; opened: Promise<ImportedRepository> } | undefined;
  #place: { dataset: Dataset; worker: CandidateWorker } | undefined;
  #taken = 0;

  constructor(request: MinePartsRequest, isShared: boolean) {
    const changed = (part: FoundPart, label: string): void => this.#tell(part, label);
    this.#request = request;
    this.#once = new FoundOnce({ isShared, cutoff: request.cutoff, changed });
    this.#deadline = performance.now() + (request.budgetMs ?? Infinity);
  }

  /** `among`: how many parts have to share what is left, this one with them. */
  async mine(part: MiningPart, among: number): Promise<void> {
    const { limit, goesOn, signal } = this.#request;
    signal?.throwIfAborted();
    const state = stateOf(part);
    const share = {
      limit: Math.min(part.limit ?? Infinity, Math.ceil((limit - this.#taken) / among)),
      budgetMs: Math.ceil((this.#deadline - performance.now()) / among),
    };
    if (share.budgetMs <= 0) state.left = 0;
    this.#parts.push(state);
    try {
      if (share.limit > 0 && share.budgetMs > 0) await this.#mine(part, state, share);
    } catch (error) {
      if (!(error instanceof SearchFailed)) throw error;
      signal?.throwIfAborted();
      if (!goesOn || !AssayError.is(error.cause)) throw error.cause;
      const { kind, code, message } = error.cause;
      state.failure = { item: state.source, outcome: 'excluded', kind, code, message, tries: 1 };
    }
  }

  result(): MinedParts {
    const left = this.#parts.flatMap((part) => part.left ?? []);
    return {
      ends: this.#parts.flatMap(endsOf),
      parts: this.#parts.map((part) => partOf(part)),
      ...(left.length > 0 && { left: left.reduce((sum, each) => sum + each, 0) }),
    };
  }

  /** Enters once more what later parts have found too. */
  async close(): Promise<void> {
    try {
      if (this.#parts.length > 1) for (const state of this.#parts) await this.#record(state);
    } finally {
      await this.#place?.worker.close();
      await this.#place?.dataset.close();
      await this.#forget();
    }
  }

  async #mine(part: MiningPart, state: State, share: { limit: number; budgetMs: number }): Promise<void> {
    const { out, signal, jobs, onEvent } = this.#request;
    const { repository, collected } = await this.#search(part);
    Object.assign(state, { source: repository.origin, isSearched: true });
    const { worker } = await this.#open();
    const shared = sharedOrder({ ...this.#request, ...part, repository });
    this.#known.set(shared.source.repository, repository);
    await worker.prepare(shared);
    const ahead = new ReadAhead(searching(this.#once.of(state, repository, collected.found)), share.limit);
    const orders = candidateOrders(shared, ahead);
    try {
      const record = (told: Told): void => {
        state.told.set(told.candidate, { ...told, at: new Date().toISOString() });
        this.#tell(state, told.candidate);
      };
      const work = { orders, worker, ends: state.ends, record, ahead, timed: timesOf(await readRecords(out), state) };
      const budgetMs = share.budgetMs === Infinity ? undefined : share.budgetMs;
      const isOver = await examineCandidates(work, { jobs, budgetMs, signal, onEvent });
      if (isOver) state.left = ahead.count - state.ends.size;
    } finally {
      // A search that is still under way reads from the repository.
      await orders.return(undefined);
      await ahead.close();
      this.#taken += ahead.count;
      state.notes = collected.notes?.();
      await this.#record(state);
    }
  }

  async #search({
    source,
    collect,
    since,
  }: MiningPart): Promise<{ repository: ImportedRepository; collected: Collected }> {
    const { signal } = this.#request;
    if (this.#repository?.source !== source) {
      await this.#forget();
      this.#repository = { source, opened: importRepository(source, cacheDirectory(), { signal }) };
    }
    try {
      const repository = await this.#repository.opened;
      return { repository, collected: await collect({ repository, since, signal }) };
    } catch (error) {
      throw new SearchFailed(error);
    }
  }

  /** Makes the dataset with the first part that is searched, so that a run which comes to none leaves nothing. */
  async #open(): Promise<{ dataset: Dataset; worker: CandidateWorker }> {
    if (this.#place) return this.#place;
    const { out, modelBudget, jobs = availableParallelism() } = this.#request;
    const dataset = await openDataset(out);
    const worker = candidateWorker({
      cacheDirectory: cacheDirectory(),
      dataset,
      known: this.#known,
      modelBudget,
      mutantsAtOnce: Math.max(1, Math.floor(availableParallelism() / jobs)),
    });
    return (this.#place = { dataset, worker });
  }

  /** Adds a line about a candidate, with all that is known of it by now. */
  #tell(part: FoundPart, label: string): void {
    const { source, pipeline } = part;
    const told = part.told.get(label);
    if (told) this.#place?.dataset.examined({ source, pipeline, ...marked(told, part) });
  }

  async #record(state: State): Promise<void> {
    const { source, pipeline, notes, gone } = state;
    const mined = { source, pipeline, notes, cutoff: this.#request.cutoff, ends: endsOf(state), gone: [...gone] };
    if (state.isSearched) await this.#place?.dataset.record(mined);
  }

  async #forget(): Promise<void> {
    const { opened } = this.#repository ?? {};
    this.#repository = undefined;
    this.#known.clear();
    await opened?.then(
      (repository) => repository.dispose(),
      () => {},
    );
  }
}

const stateOf = ({ source, pipeline, until }: MiningPart): State => ({
  source: redact(source),
  pipeline: pipeline.name,
  until,
  ends: new Map(),
  isSearched: false,
  told: new Map(),
  marks: new Map(),
  gone: new Set(),
  foundBefore: 0,
});

async function* searching<T>(found: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* found;
  } catch (error) {
    throw new SearchFailed(error);
  }
}

/** How the candidates ended that count for a part. */
const endsOf = (state: State): CandidateEnd[] =>
  [...state.ends.values()].filter(({ candidate }) => !state.gone.has(candidate)).map((end) => marked(end, state));

function partOf(state: State): MinedPart {
  const ends = endsOf(state);
  const count = (outcome: CandidateEnd['outcome']): number => ends.filter((end) => end.outcome === outcome).length;
  const { source, pipeline, foundBefore, notes, failure } = state;
  return {
    source,
    pipeline,
    candidates: ends.length,
    admitted: count('admitted'),
    deferred: count('deferred'),
    foundBefore,
    ...(notes && { notes }),
    ...(failure && { failure }),
  };
}
