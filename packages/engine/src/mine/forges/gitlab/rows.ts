import { z } from 'zod';
import { Labels, Oid, Text, Time } from '../reading.ts';

const iid = z.int().positive();

/** An account; null where it is gone. */
const Username = z
  .looseObject({ username: z.string() })
  .nullish()
  .catch(null)
  .transform((user) => user?.username ?? null);

export const MergeRequest = z.looseObject({
  iid,
  title: z.string(),
  description: Text,
  state: z.string(),
  merged_at: Time,
  updated_at: Time,
  merge_commit_sha: Oid,
  squash_commit_sha: Oid,
  sha: Oid,
  /** What no issue has. */
  target_branch: z.string(),
  /** Null when the fork is gone. */
  source_project_id: z
    .number()
    .nullish()
    .transform((id) => id ?? null),
  draft: z.boolean().nullish(),
  work_in_progress: z.boolean().nullish(),
  labels: Labels,
  author: Username,
});

export const ApiIssue = z.looseObject({ iid, title: z.string(), description: Text, created_at: Time });
