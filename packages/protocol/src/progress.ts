import { z } from 'zod';

/** What long work tells while it goes on. Reporters render it; nothing else depends on it. */
export const ProgressEvent = z.object({
  type: z.enum(['item-start', 'item-progress', 'item-end', 'note']),
  /** What it is about: a candidate, a task, a trial. Foreign text. */
  item: z.string(),
  text: z.string().optional(),
  ok: z.boolean().optional(),
  done: z.number().optional(),
  total: z.number().optional(),
});
export type ProgressEvent = z.infer<typeof ProgressEvent>;
export type OnProgress = (event: ProgressEvent) => void;
