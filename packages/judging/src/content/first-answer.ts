import { setTimeout as sleep } from 'node:timers/promises';

export interface FirstAnswerOptions {
  /** Time that one attempt may be silent before the next one starts beside it. */
  delayMs: number;
  signal: AbortSignal;
}

/**
 * The first value that is not null, from attempts that start one after the other: when one before is done without a
 * value, or is silent for `delayMs`. The others are aborted then. Null when none has a value; an attempt that throws
 * ends it all.
 */
export async function firstAnswer<T>(
  attempts: ((signal: AbortSignal) => Promise<T | null>)[],
  options: FirstAnswerOptions,
): Promise<T | null> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const running = new Set<Promise<T | null>>();
  try {
    for (const [index, attempt] of attempts.entries()) {
      const promise = attempt(signal).finally(() => running.delete(promise));
      // The race below may be over when a loser fails.
      promise.catch(() => {});
      running.add(promise);
      const last = index === attempts.length - 1;
      const value = await nextValue(running, last ? null : options.delayMs, signal);
      if (value !== null) return value;
    }
    return null;
  } finally {
    stop.abort();
  }
}

/**
 * Waits for a value; null when an attempt ended without one or time is up, so that another may start. Without a time it
 * waits for all.
 */
async function nextValue<T>(
  running: Set<Promise<T | null>>,
  delayMs: number | null,
  signal: AbortSignal,
): Promise<T | null> {
  if (delayMs === null) {
    while (running.size > 0) {
      const value = await Promise.race(running);
      if (value !== null) return value;
    }
    return null;
  }
  const timer = new AbortController();
  try {
    return await Promise.race([...running, sleep(delayMs, null, { signal: AbortSignal.any([signal, timer.signal]) })]);
  } finally {
    timer.abort();
  }
}
