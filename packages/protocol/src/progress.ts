import { z } from 'zod';

/** Progress of long work. Reporters render these events, and nothing else depends on them. */
export const ProgressEvent = z.object({
  type: z.enum(['item-start', 'item-progress', 'item-end', 'note']),
  /** Name of the candidate, task or trial. Foreign text. */
  item: z.string(),
  text: z.string().optional(),
  ok: z.boolean().optional(),
  done: z.number().optional(),
  total: z.number().optional(),
});
export type ProgressEvent = z.infer<typeof ProgressEvent>;
export type OnProgress = (event: ProgressEvent) => void;
