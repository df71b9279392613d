import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError, type ErrorCode, type ErrorKind, type FailureOutcome, type ItemFailure } from '@assay/protocol';
import { forEachParallel } from './schedule.ts';

/**
 * The one policy for failures: what an error does to the work around it, by its kind and by where it happened.
 *
 * - `setup`: before the first item (options, the list of items, the provider, a clone).
 * - `item`: an item is read, opened, built or mined.
 * - `agent`: an agent works on it, and may be paid for it.
 * - `verify`: a submission is verified or judged.
 *
 * How to use it:
 *
 * - A job over many items calls {@link settleEach} in place of `forEachParallel`. Its `work` may throw whatever it
 *   likes: the item is retried, quarantined or excluded, the others go on, and the answer lists the failures. Call
 *   {@link throwIfNothingDone} afterwards where a job without any answer is an error and not an empty result.
 * - One step that may hiccup is wrapped in {@link settle}, which answers `{ value }` or `{ failure, error }`. It throws
 *   only what ends the whole job.
 * - To look up a single error, call {@link decide}.
 *
 * Whoever remembers results remembers `quarantined` and never `excluded`.
 */
export type FailurePlace = 'setup' | 'item' | 'agent' | 'verify';

export interface FailureDecision {
  /** Number of retries before `outcome` counts. */
  retries: number;
  outcome: FailureOutcome | 'end';
}

const END: FailureDecision = { retries: 0, outcome: 'end' };
const QUARANTINE: FailureDecision = { retries: 0, outcome: 'quarantined' };
const EXCLUDE: FailureDecision = { retries: 0, outcome: 'excluded' };
const FAIL: FailureDecision = { retries: 0, outcome: 'failed' };
const RETRY_THEN_END: FailureDecision = { retries: 2, outcome: 'end' };
const RETRY_THEN_EXCLUDE: FailureDecision = { retries: 2, outcome: 'excluded' };

const POLICY: Readonly<Record<ErrorKind, Readonly<Record<FailurePlace, FailureDecision>>>> = {
  user: { setup: END, item: END, agent: END, verify: END },
  // A submission is not to blame for its task: nothing is known about it.
  task: { setup: END, item: QUARANTINE, agent: QUARANTINE, verify: EXCLUDE },
  agent: { setup: END, item: EXCLUDE, agent: FAIL, verify: FAIL },
  infrastructure: {
    setup: RETRY_THEN_END,
    item: RETRY_THEN_EXCLUDE,
    agent: RETRY_THEN_EXCLUDE,
    verify: RETRY_THEN_EXCLUDE,
  },
  machine: { setup: END, item: EXCLUDE, agent: EXCLUDE, verify: EXCLUDE },
  bug: { setup: END, item: EXCLUDE, agent: EXCLUDE, verify: EXCLUDE },
};

/** User errors that are about one item and not about the whole job. */
const ABOUT_THE_ITEM: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNSAFE_PATH',
  'ADVISORY_INVALID',
  'ANSWER_UNREADABLE',
  'ANSWERS_INVALID',
  'CONTENT_CORRUPT',
  'CONTENT_NOT_FOUND',
  'CONTENT_TOO_LARGE',
  'CONTENT_UNREADABLE',
  'CONTENT_UNSUPPORTED',
  'NOT_GRADABLE',
  'STANDARD_INVALID',
  'SUBMISSION_REFUSED',
  'TASK_ALTERED',
  'TASK_INVALID',
  'TASK_KIND',
  'TASK_NOT_FOUND',
  'TASK_OUTDATED',
  'TASK_UNPROVEN',
  'TASK_UNSAFE',
  'UNKNOWN_FRAMEWORK',
  'UNKNOWN_SCENARIO',
]);

/** Errors of the machine that every further item would meet as well. */
const ABOUT_EVERY_ITEM: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DISK_FULL',
  'LIMITS_UNAVAILABLE',
  'NO_PROVIDER',
  'PROVIDER_UNAVAILABLE',
]);

/** Error codes of the operating system: those that may pass, and those that stay. */
const SYSTEM_KINDS: Readonly<Record<string, ErrorKind>> = {
  EAGAIN: 'infrastructure',
  EMFILE: 'infrastructure',
  ENFILE: 'infrastructure',
  ENOMEM: 'infrastructure',
  EACCES: 'machine',
  EPERM: 'machine',
  EROFS: 'machine',
  ENOSPC: 'machine',
  EDQUOT: 'machine',
};
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

export interface FailureWords {
  kind: ErrorKind;
  /** A code of the catalogue, of the system, or `UNEXPECTED`. */
  code: string;
  message: string;
}

/** Returns the kind, code and message of anything that was thrown. */
export function describeFailure(error: unknown): FailureWords {
  if (AssayError.is(error)) return { kind: error.kind, code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : 'UNEXPECTED';
  return { kind: SYSTEM_KINDS[code] ?? 'bug', code, message };
}

/** Looks up what to do about an error. An interruption always ends the job. */
export function decide(error: unknown, place: FailurePlace): FailureDecision {
  if (place !== 'setup' && AssayError.is(error)) {
    if (error.kind === 'user' && ABOUT_THE_ITEM.has(error.code)) return QUARANTINE;
    if (ABOUT_EVERY_ITEM.has(error.code)) return END;
  }
  if (error instanceof Error && error.name === 'AbortError') return END;
  const { kind, code } = describeFailure(error);
  return FULL.has(code) ? END : POLICY[kind][place];
}

/**
 * The failure of an item whose error was caught elsewhere, tried once. Throws the error when the policy says that it
 * ends the job.
 */
export function failureOf(item: string, error: unknown, place: FailurePlace = 'item'): ItemFailure {
  const { outcome } = decide(error, place);
  if (outcome === 'end') throw error;
  return { item, outcome, ...describeFailure(error), tries: 1 };
}

export interface SettleOptions {
  place: FailurePlace;
  /** Name of what is worked on, for the failure. */
  item: string;
  signal?: AbortSignal;
  /** Whether it may be tried again. Default true. */
  retry?: boolean;
  /** Called before each retry. */
  onRetry?: (failure: ItemFailure) => void;
}

/** The value, or why there is none. `error` is what was thrown last. */
export type Settled<T> = { value: T } | { failure: ItemFailure; error: unknown };

/** Milliseconds before the first retry. Doubled before each further one. */
const PAUSE_MS = 100;

/**
 * Does one piece of work by the policy. `work` gets the number of the try, from 1. Throws what ends the job, and the
 * signal's reason.
 */
export async function settle<T>(
  { place, item, signal, retry = true, onRetry }: SettleOptions,
  work: (attempt: number) => Promise<T>,
): Promise<Settled<T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { value: await work(tries) };
    } catch (error) {
      signal?.throwIfAborted();
      const { retries, outcome } = decide(error, place);
      if (retry && tries <= retries) {
        onRetry?.({ item, outcome: 'excluded', ...describeFailure(error), tries });
        await sleep(PAUSE_MS * 2 ** (tries - 1), undefined, { signal }).catch(() => signal?.throwIfAborted());
        continue;
      }
      if (outcome === 'end') throw error;
      return { failure: { item, outcome, ...describeFailure(error), tries }, error };
    }
  }
}

export interface SettleEachOptions<T> {
  /** Items at work at once. */
  parallel: number;
  /** Default `item`. */
  place?: FailurePlace;
  name: (item: T) => string;
  signal?: AbortSignal;
  onRetry?: (failure: ItemFailure) => void;
  onFailure?: (failure: ItemFailure, error: unknown) => void;
}

export interface SettledEach {
  /** Number of items that came to an answer. */
  done: number;
  /** The others, in the order in which they ended. */
  failures: ItemFailure[];
  /** Error of the first failure. */
  firstError: unknown;
}

/**
 * Works on every item by the policy: no one item ends the others. Throws what ends the job, and the signal's reason,
 * once everything under way has ended.
 */
export async function settleEach<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { parallel, place = 'item', name, signal, onRetry, onFailure }: SettleEachOptions<T>,
  work: (item: T) => Promise<void>,
): Promise<SettledEach> {
  const ended: SettledEach = { done: 0, failures: [], firstError: undefined };
  const one = async (item: T): Promise<void> => {
    const settled = await settle({ place, item: name(item), signal, onRetry }, () => work(item));
    if ('value' in settled) {
      ended.done += 1;
      return;
    }
    if (ended.failures.length === 0) ended.firstError = settled.error;
    ended.failures.push(settled.failure);
    onFailure?.(settled.failure, settled.error);
  };
  await forEachParallel(items, parallel, one, signal);
  return ended;
}

/** Throws the first failure when no item came to an answer: a job of one broken task ends as that task does. */
export function throwIfNothingDone({ done, failures, firstError }: SettledEach): void {
  if (done === 0 && failures.length > 0) throw firstError;
}
