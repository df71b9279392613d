import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { cacheDirectory } from '@assay/files/store/paths';
import {
  AssayError,
  type CandidateEnd,
  type MineResult,
  type OnProgress,
  type SpecificityPolicy,
} from '@assay/protocol';
import { importRepository } from '../git/import-repository.ts';
import { candidateOrders, sharedOrder } from '../mine/candidate-orders.ts';
import { readRecords } from '../mine/candidate-records.ts';
import { candidateWorker } from '../mine/candidate-worker.ts';
import { openDataset, requireDataset } from '../mine/dataset.ts';
import { examineCandidates, timesOf, type Told } from '../mine/examine-candidates.ts';
import { summarise } from '../mine/ledger.ts';
import { DEFAULT_MIN_KILLED } from '../mine/require-strong-tests.ts';
import { pipelineNamed } from '../mine/pipelines/index.ts';
import { ReadAhead } from '../mine/read-ahead.ts';
import { tryBlind } from './measure-blind.ts';

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
  /** Tokens for all that the model is asked about candidates, tries of `blind` aside. Needs `model`. Default: no limit. */
  modelBudget?: number;
  /** Tries of a solver at each admitted task, with the instruction alone. Needs `model`. Default 0. */
  blind?: number;
  provider?: string;
  /**
   * Time for all candidates. When it is over, those under way are let go, and the next run takes up what is left.
   * Default: no limit.
   */
  budgetMs?: number;
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
  if (pipeline.needsModel === true && !options.model)
    throw new AssayError('BAD_OPTION', { option: `--pipeline ${pipeline.name}`, detail: 'it needs --model' });
  const out = resolve(options.out);
  // Fails on a bad dataset or bad options before anything is cloned or made.
  await requireDataset(out);
  const collect = await pipeline.open(options.pipelineOptions ?? {}, signal);
  const repository = await importRepository(options.source, cacheDirectory(), { signal });
  try {
    const { found, notes } = await collect({ repository, since: options.since, signal });
    const dataset = await openDataset(out);
    const { specificity = 'tell', minKilled = DEFAULT_MIN_KILLED } = options;
    const shared = sharedOrder({ ...options, pipeline, repository, specificity, minKilled });
    const known = new Map([[shared.source.repository, repository]]);
    const worker = candidateWorker({
      cacheDirectory: cacheDirectory(),
      dataset,
      known,
      modelBudget: options.modelBudget,
      mutantsAtOnce: Math.max(1, Math.floor(availableParallelism() / (options.jobs ?? availableParallelism()))),
    });
    try {
      await worker.prepare(shared);
      const ends = new Map<string, CandidateEnd>();
      const ahead = new ReadAhead(found, options.limit ?? 50);
      const orders = candidateOrders(shared, ahead);
      let stopped = false;
      try {
        const told = { source: repository.origin, pipeline: pipeline.name };
        const record = (candidate: Told): void =>
          dataset.examined({ ...told, at: new Date().toISOString(), ...candidate });
        const timed = timesOf(await readRecords(out), told);
        stopped = await examineCandidates({ orders, worker, ends, record, ahead, timed }, options);
      } finally {
        // A search that is still under way reads from the repository.
        await orders.return(undefined);
        await ahead.close();
        const mined = { source: repository.origin, pipeline: pipeline.name, notes: notes?.() };
        await dataset.record({ ...mined, ends: [...ends.values()] });
      }
      const summary = summarise([...ends.values()], notes?.());
      return {
        ...summary,
        blind: await tryBlind(out, summary.tasks, options),
        ...(stopped ? { left: ahead.count - ends.size } : {}),
        elapsedMs: Math.round(performance.now() - start),
      };
    } finally {
      await worker.close();
      await dataset.close();
    }
  } finally {
    await repository.dispose();
  }
}
