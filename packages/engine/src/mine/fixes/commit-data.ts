import { CommitName } from '@assay/protocol';
import { z } from 'zod';

/** What is known of a fix before it is read. */
export type CommitData = z.infer<typeof CommitData>;
export const CommitData = z.strictObject({
  /** The fix, against its first parent; the last commit of one that is a line of several. */
  commit: CommitName,
  /** The commit before the first one of a line of several, which are the fix together. */
  base: CommitName.optional(),
  /** The commits that are the fix together, oldest first: those that `commit`, a merge, brought, or those since `base`. */
  brought: z.array(CommitName).optional(),
  /** The later commit that brought the tests, where the fix has none. */
  tests: CommitName.optional(),
  /** The merge that brought it to the line of HEAD. */
  merge: CommitName.optional(),
  /** Issues and pull requests that belong to it. */
  issues: z.array(z.strictObject({ source: z.enum(['issue', 'pull request']), text: z.string() })).optional(),
});
