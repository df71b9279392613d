import { AssayError } from '@assay/protocol';

export interface Deadline {
  /** The caller's own. */
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  /** Name of the content, for the message. */
  reference: string;
}

/**
 * Runs with a signal that fires at the caller's, which raises `INTERRUPTED`, and when time is up, which raises
 * `CONTENT_UNREACHABLE`. It fires at the end, too, for what is still under way.
 */
export async function withDeadline<T>(deadline: Deadline, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, timeoutMs, reference } = deadline;
  const timeout = AbortSignal.timeout(timeoutMs);
  const done = new AbortController();
  try {
    return await run(AbortSignal.any([done.signal, timeout, ...(signal === undefined ? [] : [signal])]));
  } catch (error) {
    if (signal?.aborted === true) throw new AssayError('INTERRUPTED', {}, { cause: error });
    if (timeout.aborted)
      throw new AssayError(
        'CONTENT_UNREACHABLE',
        { reference, detail: `not complete within ${timeoutMs} ms` },
        { cause: error },
      );
    throw error;
  } finally {
    done.abort();
  }
}
