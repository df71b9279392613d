import { PassThrough } from 'node:stream';
import { memoryQueue } from '@assay/files/queue/memory-queue';
import { workQueue } from '@assay/files/queue/work-queue';
import { decide } from '@assay/files/store/failure-policy';
import type { GradeOrder, ItemFailure, OnProgress } from '@assay/protocol';
import type { SampleGrade } from '../grade/sample-grade.ts';
import type { GradeWorker } from './grade-worker.ts';

/** The grade of an order, or why there is none. */
export type OrderEnd = { grade: SampleGrade } | { failure: ItemFailure; error: unknown };

export interface GradeOrders {
  /**
   * Puts an order into the queue and waits for its end. One whose id is known is not graded again. Rejects with what
   * ends the whole evaluation.
   */
  grade(order: GradeOrder, onEvent?: OnProgress): Promise<OrderEnd>;
  /** Call it when no order waits for its end. */
  close(): Promise<void>;
}

interface Awaited {
  end: PromiseWithResolvers<OrderEnd>;
  onEvent?: OnProgress;
}

/** Opens a queue of grades, with a worker of this process on it that works on `parallel` orders at once. */
export function openGradeOrders(
  worker: GradeWorker,
  { parallel, signal }: { parallel: number; signal?: AbortSignal },
): GradeOrders {
  const place = 'verify';
  const awaited = new Map<string, Awaited>();
  const coming = new PassThrough({ objectMode: true });
  const working = workQueue(
    memoryQueue<GradeOrder>(),
    {
      parallel,
      place,
      name: ({ id }) => id,
      coming,
      signal,
      onFailure: ({ id }, failure, error) => awaited.get(id)?.end.resolve({ failure, error }),
    },
    async (order, held) => {
      const waiting = awaited.get(order.id);
      try {
        const grade = await worker.run(order, { signal: held, onEvent: waiting?.onEvent });
        waiting?.end.resolve({ grade });
      } catch (error) {
        // At once, so that no model is asked in vain while other grades are under way.
        if (!held.aborted && decide(error, place).outcome === 'end') waiting?.end.reject(error);
        throw error;
      }
    },
  );
  let stopped: { error: unknown } | undefined;
  const ended = working.catch((error: unknown) => {
    stopped = { error };
    for (const { end } of awaited.values()) end.reject(error);
  });
  return {
    grade: async (order, onEvent) => {
      if (stopped) throw stopped.error;
      const known = awaited.get(order.id);
      if (known) return await known.end.promise;
      const end = Promise.withResolvers<OrderEnd>();
      awaited.set(order.id, { end, onEvent });
      coming.write(order);
      return await end.promise;
    },
    close: async () => {
      coming.end();
      await ended;
    },
  };
}
