import { z } from 'zod';

/** One line of what `record-reporter.ts` writes: how one test ended. */
export const TestRecord = z.object({
  /** Titles of the suites around it, then its own. */
  path: z.array(z.string()),
  status: z.enum(['passed', 'failed', 'skipped']),
  /** Stack of a failure, or reason of a skip. */
  detail: z.string(),
});
export type TestRecord = z.infer<typeof TestRecord>;
