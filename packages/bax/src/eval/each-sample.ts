import { settleEach } from '@assay/files/store/failure-policy';
import { AssayError, type ItemFailure, type OnProgress } from '@assay/protocol';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { within } from './within.ts';

export interface EachSampleOptions {
  /** Samples that were graded before, and all that there are: they are told in the events. */
  done: number;
  total: number;
  /** Samples at once. */
  parallel: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/** A sample without a grade: at fault itself, or nothing is known about it. */
export interface Ungraded<Sample> {
  sample: Sample;
  failure: ItemFailure;
  error: unknown;
}

/**
 * Works on samples by the policy for failures, and tells how each ends: no one sample ends the others. Answers those
 * that failed. Throws what every further sample would meet as well, and the signal's reason.
 * @param work - answers a grade, or one line on why there is none.
 */
export async function eachSample<Sample extends { item: string }>(
  samples: readonly Sample[],
  { done: before, total, parallel, signal, onEvent }: EachSampleOptions,
  work: (sample: Sample, onEvent?: OnProgress) => Promise<SampleGrade | { why: string }>,
): Promise<Ungraded<Sample>[]> {
  const byName = new Map(samples.map((sample) => [sample.item, sample]));
  const ungraded: Ungraded<Sample>[] = [];
  let done = before;
  const tell = (item: string, ok: boolean, text: string): void => {
    done += 1;
    onEvent?.({ type: 'item-end', item, ok, text, done, total });
  };
  const one = async (sample: Sample): Promise<void> => {
    const { item } = sample;
    onEvent?.({ type: 'item-start', item, done, total });
    const end = await work(sample, onEvent && within(item, onEvent));
    if ('why' in end) tell(item, false, end.why);
    else tell(item, end.outcome === 'pass', end.outcome);
  };
  const onFailure = (failure: ItemFailure, error: unknown): void => {
    const sample = byName.get(failure.item);
    if (sample) ungraded.push({ sample, failure, error });
    tell(failure.item, false, whyNot(failure, error));
  };
  await settleEach(samples, { parallel, place: 'verify', name: ({ item }) => item, signal, onFailure }, one);
  return ungraded;
}

/** In one line, without the sample's own path. */
export const whyNot = ({ message }: ItemFailure, error: unknown): string =>
  AssayError.is(error) && typeof error.details['detail'] === 'string' ? error.details['detail'] : message;
