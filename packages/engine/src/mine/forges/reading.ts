import { z } from 'zod';
import type { Issue } from './pull-request.ts';

/** A commit's name; null for anything else that stands there. */
export const Oid = z
  .string()
  .nullish()
  .transform((text) => (text && /^[0-9a-f]{40}$/.test(text) ? text : null));

const timeOf = (text: string | null | undefined): string | null =>
  text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : null;

/** A time as ISO 8601; null for anything else. */
export const Time = z.string().nullish().transform(timeOf);
/** A time or null, which has to stand there. */
export const GivenTime = z.string().nullable().transform(timeOf);

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Names of labels, as objects or as strings. */
export const Labels = z
  .array(z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]))
  .nullish()
  .catch(null)
  .transform((labels) => labels ?? []);

/** An account; null where it is gone. */
export const Login = z
  .looseObject({ login: z.string() })
  .nullish()
  .catch(null)
  .transform((user) => user?.login ?? null);

/** One end of a pull request. Its repository is null when that is gone. */
export const End = z
  .looseObject({
    sha: Oid,
    ref: z.string().nullish(),
    repo: z.looseObject({ full_name: z.string() }).nullish().catch(null),
  })
  .nullish()
  .catch(null);

/** An issue as GitHub, its command line, Gitea and Forgejo give it; null for a pull request that is one of their issues. */
export function readNumbered(row: unknown): Issue | null {
  const issue = NumberedIssue.safeParse(row).data;
  if (!issue || (issue.pull_request ?? null) !== null) return null;
  const { number, title, body, created_at: created, createdAt } = issue;
  return { number, title, body, createdAt: created ?? createdAt };
}

const NumberedIssue = z.looseObject({
  number: z.int().positive(),
  title: z.string(),
  body: Text,
  created_at: Time,
  createdAt: Time,
  pull_request: z.unknown().optional(),
});

export const firstLine = (message: string): string => message.trimStart().split('\n', 1)[0]?.trim() ?? '';
