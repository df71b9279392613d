import { z } from 'zod';
import { End, Labels, Login, Oid, Text, Time } from '../reading.ts';

const number = z.int().positive();

export const ApiPull = z.looseObject({
  number,
  title: z.string(),
  body: Text,
  /** What tells it from rows of other forges, and from issues. */
  merged: z.boolean(),
  merged_at: Time,
  merge_commit_sha: Oid,
  head: End,
  base: End,
  labels: Labels,
  draft: z.boolean().nullish(),
  user: Login,
});
