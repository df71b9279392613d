import { z } from 'zod';
import { End, GivenTime, Labels, Login, Oid, Text, Time } from '../reading.ts';

const number = z.int().positive();

/** A pull request of the REST API. */
export const ApiPull = z.looseObject({
  number,
  title: z.string(),
  body: Text,
  merged_at: Time,
  merge_commit_sha: Oid,
  head: End,
  base: End,
  labels: Labels,
  draft: z.boolean().nullish(),
  user: Login,
  /** What no issue has, whatever it is. */
  diff_url: z.string(),
});

/** A row of `gh pr list --json …`. `mergedAt`, null or not, is what tells it from an issue. */
export const CliPull = z.looseObject({
  number,
  title: z.string(),
  body: Text,
  mergedAt: GivenTime,
  mergeCommit: z.looseObject({ oid: Oid }).nullish().catch(null),
  headRefOid: Oid,
  baseRefName: z.string().nullish(),
  headRepository: z.looseObject({ name: z.string() }).nullish().catch(null),
  headRepositoryOwner: z.looseObject({ login: z.string() }).nullish().catch(null),
  isDraft: z.boolean().nullish(),
  labels: Labels,
  author: Login,
  commits: z
    .array(z.looseObject({ messageHeadline: Text }))
    .nullish()
    .catch(null),
  closingIssuesReferences: z.array(z.looseObject({ number })).nullish().catch(null),
});
