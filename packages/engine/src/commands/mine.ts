import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { memoryQueue } from '@assay/files/queue/memory-queue';
import { workQueue } from '@assay/files/queue/work-queue';
import { cacheDirectory } from '@assay/files/store/paths';
import type { CandidateEnd, CandidateOrder, MineResult, OnProgress, SpecificityPolicy } from '@assay/protocol';
import { importRepository } from '../git/import-repository.ts';
import { candidateOrders, sharedOrder } from '../mine/candidate-orders.ts';
import { candidateWorker, type CandidateWorker } from '../mine/candidate-worker.ts';
import { openDataset, requireDataset } from '../mine/dataset.ts';
import { summarise } from '../mine/ledger.ts';
import { DEFAULT_MIN_KILLED } from '../mine/require-strong-tests.ts';
import { pipelineNamed } from '../mine/pipelines/index.ts';

export interface MineOptions {
  /** Directory of a clone, or a URL. */
  source: string;
  /** Name of one that comes with Assay or was registered. */
  pipeline: string;
  /** The pipeline's own options, by the names of its schema. */
  pipelineOptions?: Readonly<Record<string, unknown>>;
  /** Where the tasks go: new, empty, or a dataset that `mine` made. */
  out: string;
  /** Most candidates to examine. Default 50. */
  limit?: number;
  /** ISO 8601. Only fixes after this date. */
  since?: string;
  /** What becomes of demands of hidden tests beyond the instruction and T0. Default `tell`. */
  specificity?: SpecificityPolicy;
  /** `split`: admit only tasks with a test of the fix that is compared outside and cannot be guessed. */
  require?: 'split';
  /**
   * Share of small changes of a reference that its hidden tests have to tell, from 0 to 1; with 0 nobody looks. Default
   * {@link DEFAULT_MIN_KILLED}.
   */
  minKilled?: number;
  /** Have the model write hidden tests for mutants which those of a fix let pass. Needs `model`. Default false. */
  strengthen?: boolean;
  /** Candidates at work at once. Default: the number of processors. */
  jobs?: number;
  model?: { name: string; endpoint: string };
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Mines a repository's problems into proven tasks. What is wrong with a candidate is in the ledger; so is what the
 * machine was at fault for, which the next run tries again. Every other end is remembered, so that a killed run goes on
 * where it was and a second run answers at once. Throws what the user can mend, and what would end every candidate.
 */
export async function mineRepository(options: MineOptions): Promise<MineResult> {
  const start = performance.now();
  const { signal } = options;
  const pipeline = pipelineNamed(options.pipeline);
  const out = resolve(options.out);
  // Fails on a bad dataset or bad options before anything is cloned or made.
  await requireDataset(out);
  const collect = await pipeline.open(options.pipelineOptions ?? {}, signal);
  const repository = await importRepository(options.source, cacheDirectory(), { signal });
  try {
    const { found, notes } = await collect({ repository, since: options.since, signal });
    const dataset = await openDataset(out);
    const { source, model, provider, require, specificity = 'tell' } = options;
    const { minKilled = DEFAULT_MIN_KILLED, strengthen } = options;
    const shared = sharedOrder({
      pipeline,
      source,
      repository,
      specificity,
      require,
      minKilled,
      strengthen,
      model,
      provider,
    });
    const known = new Map([[shared.source.repository, repository]]);
    const worker = candidateWorker({
      cacheDirectory: cacheDirectory(),
      dataset,
      known,
      mutantsAtOnce: Math.max(1, Math.floor(availableParallelism() / (options.jobs ?? availableParallelism()))),
    });
    try {
      await worker.prepare(shared);
      const ends = new Map<string, CandidateEnd>();
      const orders = candidateOrders(shared, takeFirst(found, options.limit ?? 50));
      try {
        await examine({ orders, worker, ends }, options);
      } finally {
        // A search that is still under way reads from the repository.
        await orders.return(undefined);
        const mined = { source: repository.origin, pipeline: pipeline.name, notes: notes?.() };
        await dataset.record({ ...mined, ends: [...ends.values()] });
      }
      return { ...summarise([...ends.values()], notes?.()), elapsedMs: Math.round(performance.now() - start) };
    } finally {
      await worker.close();
      await dataset.close();
    }
  } finally {
    await repository.dispose();
  }
}

interface Work {
  /** Made as candidates are found, which is when a worker is free. */
  orders: AsyncIterable<CandidateOrder>;
  worker: CandidateWorker;
  /** How candidates ended, by the ids of their orders. */
  ends: Map<string, CandidateEnd>;
}

/** Works on every candidate by the policy for failures, so that no one ends the others. */
async function examine(
  { orders, worker, ends }: Work,
  { jobs = availableParallelism(), signal, onEvent }: MineOptions,
): Promise<void> {
  const started = new Set<string>();
  const tell = (item: string, text: string): void => onEvent?.({ type: 'item-progress', item, text });
  const end = (id: string, ended: CandidateEnd): void => {
    ends.set(id, ended);
    const { candidate: item, outcome } = ended;
    onEvent?.({ type: 'item-end', item, ok: outcome === 'admitted', text: textOf(ended), done: ends.size });
  };
  await workQueue(
    memoryQueue<CandidateOrder>(),
    {
      parallel: jobs,
      name: ({ label }) => label,
      signal,
      coming: orders,
      onRetry: ({ label }, { code, tries }) => tell(label, `again, after ${code} (try ${tries})`),
      onFailure: ({ id, label }, { kind, code, message }) =>
        end(id, { candidate: label, outcome: 'deferred', kind, code, detail: message }),
    },
    async (order, held) => {
      const { id, label: candidate } = order;
      if (!started.has(id)) onEvent?.({ type: 'item-start', item: candidate, done: ends.size });
      started.add(id);
      const result = await worker.run(order, { signal: held, tell: (text) => tell(candidate, text) });
      end(
        id,
        result.outcome === 'admitted'
          ? { candidate, outcome: 'admitted', task: result.task }
          : { candidate, ...result },
      );
    },
  );
}

async function* takeFirst<T>(items: AsyncIterable<T> | Iterable<T>, count: number): AsyncGenerator<T> {
  let taken = 0;
  if (count <= 0) return;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}

function textOf(end: CandidateEnd): string {
  if (end.outcome === 'admitted') return end.task;
  return end.outcome === 'rejected' ? `${end.reason}: ${end.detail}` : `deferred, ${end.code}: ${end.detail ?? ''}`;
}
