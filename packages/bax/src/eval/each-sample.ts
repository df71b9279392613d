import { settle } from '@assay/files/store/failure-policy';
import { forEachParallel } from '@assay/files/store/schedule';
import { AssayError, type GradeOrder, type ItemFailure, type OnProgress } from '@assay/protocol';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { openGradeOrders } from './grade-orders.ts';
import type { GradeWorker } from './grade-worker.ts';
import { within } from './within.ts';

export interface EachSampleOptions {
  /** Samples that were graded before, and all that there are: they are told in the events. */
  done: number;
  total: number;
  /** Samples at once. */
  parallel: number;
  worker: GradeWorker;
  /** When it fires, everything ends. */
  signal?: AbortSignal;
  /** When it fires, no further sample begins; those under way are graded still. */
  enough?: AbortSignal;
  onEvent?: OnProgress;
}

/** A sample without a grade: at fault itself, or nothing is known about it. */
export interface Ungraded<Sample> {
  sample: Sample;
  failure: ItemFailure;
  error: unknown;
}

export interface SampleSteps<Sample> {
  /** Gets a sample's answer to where it is graded from, or says in one line why there is none. */
  order: (sample: Sample, onEvent?: OnProgress) => Promise<GradeOrder | { why: string }>;
  onGrade: (sample: Sample, grade: SampleGrade) => void;
}

/**
 * Orders the grade of every sample and waits for it, by the policy for failures, and tells how each ends: no one sample
 * ends the others. Answers those that failed. Throws what every further sample would meet as well, and the signals'
 * reason.
 */
export async function eachSample<Sample extends { item: string }>(
  samples: readonly Sample[],
  { done: before, total, parallel, worker, signal, enough, onEvent }: EachSampleOptions,
  { order, onGrade }: SampleSteps<Sample>,
): Promise<Ungraded<Sample>[]> {
  const ungraded: Ungraded<Sample>[] = [];
  const stop = signal && enough ? AbortSignal.any([signal, enough]) : (signal ?? enough);
  let done = before;
  const tell = (item: string, ok: boolean, text: string): void => {
    done += 1;
    onEvent?.({ type: 'item-end', item, ok, text, done, total });
  };
  const fail = (sample: Sample, failure: ItemFailure, error: unknown): void => {
    ungraded.push({ sample, failure, error });
    tell(sample.item, false, whyNot(failure, error));
  };
  const orders = openGradeOrders(worker, { parallel, signal });
  const one = async (sample: Sample): Promise<void> => {
    const { item } = sample;
    const told = onEvent && within(item, onEvent);
    onEvent?.({ type: 'item-start', item, done, total });
    const ordered = await settle({ place: 'verify', item, signal: stop }, () => order(sample, told));
    if ('failure' in ordered) return fail(sample, ordered.failure, ordered.error);
    if ('why' in ordered.value) return tell(item, false, ordered.value.why);
    const end = await orders.grade(ordered.value, told);
    if ('failure' in end) return fail(sample, end.failure, end.error);
    onGrade(sample, end.grade);
    tell(item, end.grade.outcome === 'pass', end.grade.outcome);
  };
  try {
    await forEachParallel(samples, parallel, one, stop);
  } finally {
    await orders.close();
  }
  return ungraded;
}

/** In one line, without the sample's own path. */
export const whyNot = ({ message }: ItemFailure, error: unknown): string =>
  AssayError.is(error) && typeof error.details['detail'] === 'string' ? error.details['detail'] : message;
