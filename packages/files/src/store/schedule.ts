/**
 * Calls `work` for every item, at most `parallel` at once, in order of start. The first failure stops further starts,
 * waits for those under way, and is rethrown; so does an abort. Nothing is kept of items that are done.
 */
export async function forEachParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  let failure: unknown;
  // An async generator takes one `next` at a time, so workers queue for it.
  let turn: Promise<unknown> = Promise.resolve();
  const take = (): Promise<IteratorResult<T>> => {
    const next = turn.then(() => iterator.next());
    turn = next.catch(() => undefined);
    return next;
  };
  const worker = async (): Promise<void> => {
    while (!failed && !signal?.aborted) {
      try {
        const next = await take();
        if (next.done || failed) return;
        await work(next.value);
      } catch (error) {
        if (!failed) failure = error;
        failed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, parallel) }, worker));
  await iterator.return?.();
  signal?.throwIfAborted();
  if (failed) throw failure;
}
