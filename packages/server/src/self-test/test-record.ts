import { z } from 'zod';

const TestEnd = z.object({
  /** Titles of the suites around it, then its own. */
  path: z.array(z.string()),
  status: z.enum(['passed', 'failed', 'skipped']),
  /** Stack of a failure, or reason of a skip. */
  detail: z.string(),
});
export type TestEnd = z.infer<typeof TestEnd>;

/** One line of what `record-reporter.ts` writes: how one test ended, and last of all that there are no more. */
export const TestRecord = z.union([TestEnd, z.literal('end')]);
