import { availableParallelism } from 'node:os';
import { memoryQueue } from '@assay/files/queue/memory-queue';
import { workQueue } from '@assay/files/queue/work-queue';
import {
  FixCommits,
  type CandidateEnd,
  type CandidateOrder,
  type CandidateRecord,
  type Examination,
  type OnProgress,
} from '@assay/protocol';
import type { CandidateResult } from './candidate.ts';
import type { CandidateWorker } from './candidate-worker.ts';
import type { ReadAhead } from './read-ahead.ts';

/** A candidate's end, and how it came to it. */
export type Told = CandidateEnd & Partial<Examination> & { recalled: boolean };

export interface Work {
  orders: AsyncIterable<CandidateOrder>;
  worker: Pick<CandidateWorker, 'run'>;
  /** How candidates ended, by the ids of their orders. */
  ends: Map<string, CandidateEnd>;
  record: (candidate: Told) => void;
  /** Tells how many candidates there are. */
  ahead: Pick<ReadAhead<unknown>, 'total' | 'ended'>;
  timed: Times;
}

export interface ExamineOptions {
  jobs?: number;
  budgetMs?: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/** What earlier runs know of the time that candidates take. */
export interface Times {
  /** Candidates that ended, which the cache may answer for. */
  known: number;
  /** Mean of those that were examined; undefined when there is none. */
  meanMs: number | undefined;
}

/** The times of one source and pipeline. */
export function timesOf(
  records: readonly CandidateRecord[],
  { source, pipeline }: Pick<CandidateRecord, 'source' | 'pipeline'>,
): Times {
  const own = records.filter((each) => each.source === source && each.pipeline === pipeline);
  const spent = own.flatMap(({ seconds = {} }) => {
    const sum = Object.values(seconds).reduce((total, each) => total + each, 0);
    return sum > 0 ? [sum * 1000] : [];
  });
  return {
    known: own.filter(({ outcome }) => outcome !== 'deferred').length,
    meanMs: spent.length === 0 ? undefined : spent.reduce((total, each) => total + each, 0) / spent.length,
  };
}

/**
 * Works on every candidate by the policy for failures, so that no one ends the others. Returns whether the budget ended
 * it: then candidates that were under way have no end.
 */
export async function examineCandidates(work: Work, options: ExamineOptions): Promise<boolean> {
  const { signal, budgetMs } = options;
  if (budgetMs === undefined) {
    await examine(work, options);
    return false;
  }
  const deadline = AbortSignal.timeout(budgetMs);
  try {
    await examine(work, { ...options, signal: signal ? AbortSignal.any([signal, deadline]) : deadline });
    return false;
  } catch (error) {
    if (!deadline.aborted || signal?.aborted) throw error;
    return true;
  }
}

async function examine(
  { orders, worker, ends, record, ahead, timed }: Work,
  { jobs = availableParallelism(), signal, onEvent }: ExamineOptions,
): Promise<void> {
  const started = new Set<string>();
  const failed = new Map<string, Examination>();
  const tell = (item: string, text: string): void => onEvent?.({ type: 'item-progress', item, text });
  const end = (id: string, ended: CandidateEnd, more: Partial<Examination> & { recalled: boolean }): void => {
    ends.set(id, ended);
    record({ ...ended, ...more });
    const { candidate: item, outcome } = ended;
    const counts = { done: ends.size, total: ahead.total };
    onEvent?.({ type: 'item-end', item, ok: outcome === 'admitted', text: textOf(ended), ...counts });
  };
  const tellEstimate = async (): Promise<void> => {
    await ahead.ended;
    const { total } = ahead;
    if (total === undefined || total === 0 || signal?.aborted) return;
    onEvent?.({ type: 'note', item: '', text: estimate(total, timed, jobs), done: ends.size, total });
  };
  void tellEstimate();
  await workQueue(
    memoryQueue<CandidateOrder>(),
    {
      parallel: jobs,
      name: ({ label }) => label,
      signal,
      coming: orders,
      onRetry: ({ label }, { code, tries }) => tell(label, `again, after ${code} (try ${tries})`),
      onFailure: (order, { kind, code, message }) =>
        end(
          order.id,
          { candidate: order.label, ...commitsOf(order), outcome: 'deferred', kind, code, detail: message },
          { ...failed.get(order.id), recalled: false },
        ),
    },
    async (order, held) => {
      const { id, label: candidate } = order;
      if (!started.has(id)) onEvent?.({ type: 'item-start', item: candidate, done: ends.size, total: ahead.total });
      started.add(id);
      let recalled = false;
      const result = await worker.run(order, {
        signal: held,
        tell: (text) => tell(candidate, text),
        recalled: () => (recalled = true),
        failed: (examination) => failed.set(id, examination),
      });
      end(id, { candidate, ...commitsOf(order), ...endOf(result) }, { ...result.examination, recalled });
    },
  );
}

/** Those that there are. */
const commitsOf = (order: CandidateOrder): FixCommits => FixCommits.parse(order);

type Ended = { outcome: 'admitted'; task: string } | Extract<CandidateResult, { outcome: 'rejected' }>;

function endOf(result: CandidateResult): Ended {
  const { examination: _examination, ...rest } = result;
  return rest.outcome === 'admitted' ? { outcome: 'admitted', task: rest.task } : rest;
}

/** What is known, before the most of it is done, of the time that it takes. */
function estimate(total: number, { known, meanMs }: Times, jobs: number): string {
  const found = `${total} ${total === 1 ? 'candidate' : 'candidates'}`;
  if (meanMs === undefined) return `${found}; how long one takes is known once the first has ended`;
  const fresh = Math.max(0, total - known);
  const minutes = Math.ceil((fresh * meanMs) / jobs / 60_000);
  const each = `${Math.round(meanMs / 1000)} s each in earlier runs`;
  return `${found}, ${Math.min(total, known)} of them with an end already; ${each}: about ${minutes} min`;
}

function textOf(end: CandidateEnd): string {
  if (end.outcome === 'admitted') return end.task;
  return end.outcome === 'rejected' ? `${end.reason}: ${end.detail}` : `deferred, ${end.code}: ${end.detail ?? ''}`;
}
