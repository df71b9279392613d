import { availableParallelism, freemem } from 'node:os';

/** What one instance may take, with its sandbox. */
const INSTANCE_BYTES = 1280 * 1024 * 1024;

/** Bounds how many instances run at once, over everything that is graded together. */
export interface Slots {
  use<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** As many as asked for, else one for each processor, and never more than there is memory for. First come, first served. */
export function openSlots(wanted: number = availableParallelism(), memoryBytes: number = freemem()): Slots {
  let free = Math.max(1, Math.min(wanted, Math.floor(memoryBytes / INSTANCE_BYTES)));
  const waiting: (() => void)[] = [];
  return {
    use: async (work) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
