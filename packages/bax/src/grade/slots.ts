import { availableParallelism } from 'node:os';
import { availableMemory } from './available-memory.ts';

/** Memory that one instance may take, with its sandbox. */
const INSTANCE_BYTES = 1280 * 1024 * 1024;
/** How soon memory that others gave back is noticed. */
const LOOK_AGAIN_MS = 500;

/** Bounds how many instances run at once, over everything that is graded together. */
export interface Slots {
  use<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * As many as asked for, else one for each processor, and never more than there is memory for at the moment when one
 * starts; but always one. Those that run may still take all that they may. First come, first served. `availableBytes`
 * is asked anew each time.
 */
export function openSlots(
  wanted: number = availableParallelism(),
  availableBytes: () => number = availableMemory,
): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const startNext = (): void => {
    clearTimeout(timer);
    while (
      waiting.length > 0 &&
      (running === 0 || (running < wanted && availableBytes() >= (running + 1) * INSTANCE_BYTES))
    ) {
      running += 1;
      waiting.shift()?.();
    }
    if (waiting.length > 0 && running < wanted) timer = setTimeout(startNext, LOOK_AGAIN_MS);
  };
  return {
    use: async (work) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        startNext();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        startNext();
      }
    },
  };
}
