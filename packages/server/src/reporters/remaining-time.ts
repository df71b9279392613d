import type { ProgressEvent } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';

/** Tells from the items that are done how long the others will take. */
export interface RemainingTime {
  onEvent(event: ProgressEvent): void;
  /** `about 3 min 05 s left`, or nothing while that is not known. */
  text(): string;
}

/** Counts from the first event that says how many items there are; what was done by then took no time. */
export function estimateRemainingTime(now: () => number = () => performance.now()): RemainingTime {
  let start: { at: number; done: number } | undefined;
  let done = 0;
  let total = 0;
  return {
    onEvent(event) {
      if (event.total === undefined) return;
      start ??= { at: now(), done: event.type === 'item-end' ? Math.max(0, (event.done ?? 1) - 1) : (event.done ?? 0) };
      done = Math.max(done, event.done ?? 0);
      total = event.total;
    },
    text() {
      if (start === undefined || done <= start.done || done >= total) return '';
      return `about ${formatDuration(((now() - start.at) / (done - start.done)) * (total - done))} left`;
    },
  };
}
