import { z } from 'zod';
import { closedBy } from '../../told/closing.ts';
import type { Forge } from '../forge.ts';
import type { PullRequest } from '../pull-request.ts';
import { firstLine, readNumbered, Text } from '../reading.ts';
import { ApiPull, CliPull } from './rows.ts';

/** GitHub and GitHub Enterprise, by the REST API; and what `gh pr list --json …` gives. */
export const github: Forge = {
  kind: 'github',
  homes: { 'github.com': ['GITHUB_TOKEN', 'GH_TOKEN'] },
  root: '/api/v3',
  rootOf: (host) => (host === 'github.com' ? 'https://api.github.com' : null),
  probe: {
    path: '/meta',
    isKind: (_status, _body, headers) => 'x-github-request-id' in headers || 'x-github-enterprise-version' in headers,
  },
  headers: (token) => ({
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  }),
  paths: (project) => {
    const repository = `/repos/${project.split('/').map(encodeURIComponent).join('/')}`;
    return {
      pulls: () => `${repository}/pulls?state=closed&sort=updated&direction=desc&per_page=100`,
      pull: (number) => `${repository}/pulls/${number}`,
      commits: (number) => `${repository}/pulls/${number}/commits?per_page=100`,
      issue: (number) => `${repository}/issues/${number}`,
      closedIssues: () => null,
      closers: (issue) => `${repository}/issues/${issue}/timeline?per_page=100`,
    };
  },
  readPull: (row, own) => readApiPull(row, own) ?? readCliPull(row, own),
  readIssue: readNumbered,
  readSubject: (row) => {
    const commit = z.looseObject({ commit: z.looseObject({ message: Text }) }).safeParse(row).data;
    return commit ? firstLine(commit.commit.message) : null;
  },
  readCloser: (row) => {
    const Event = z.looseObject({
      event: z.literal('cross-referenced'),
      source: z.looseObject({ issue: z.looseObject({ number: z.int().positive(), pull_request: z.looseObject({}) }) }),
    });
    return Event.safeParse(row).data?.source.issue.number ?? null;
  },
  commitOrder: 'oldest first',
};

function readApiPull(row: unknown, own: string | null): PullRequest | null {
  const pull = ApiPull.safeParse(row).data;
  if (!pull) return null;
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body,
    mergedAt: pull.merged_at,
    mergeCommit: pull.merge_commit_sha,
    headCommit: pull.head?.sha ?? null,
    headRepository: pull.head?.repo?.full_name ?? null,
    baseBranch: pull.base?.ref ?? null,
    labels: pull.labels,
    isDraft: pull.draft ?? false,
    author: pull.user,
    subjects: null,
    closes: closedBy(pull.body, own),
  };
}

function readCliPull(row: unknown, own: string | null): PullRequest | null {
  const pull = CliPull.safeParse(row).data;
  if (!pull) return null;
  const { headRepository: fork, headRepositoryOwner: owner } = pull;
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body,
    mergedAt: pull.mergedAt,
    mergeCommit: pull.mergeCommit?.oid ?? null,
    headCommit: pull.headRefOid,
    headRepository: fork && owner ? `${owner.login}/${fork.name}` : null,
    baseBranch: pull.baseRefName ?? null,
    labels: pull.labels,
    isDraft: pull.isDraft ?? false,
    author: pull.author,
    subjects: pull.commits?.map(({ messageHeadline }) => messageHeadline.trim()) ?? null,
    closes: [
      ...new Set([...(pull.closingIssuesReferences ?? []).map(({ number }) => number), ...closedBy(pull.body, own)]),
    ],
  };
}
