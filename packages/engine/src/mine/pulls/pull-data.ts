import { z } from 'zod';
import { CommitData } from '../fixes/commit-data.ts';

/** What is known of a pull request before its change is read. */
export type PullData = z.infer<typeof PullData>;
export const PullData = z.strictObject({
  /** Its number; absent for a commit that was named by its address. */
  pull: z.int().positive().optional(),
  /** What it changed, and what is told of it. */
  fix: CommitData,
});
