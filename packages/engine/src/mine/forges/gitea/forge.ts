import { z } from 'zod';
import { closedBy } from '../../told/closing.ts';
import type { Forge } from '../forge.ts';
import { firstLine, readNumbered, Text } from '../reading.ts';
import { ApiPull } from './rows.ts';

/** Gitea and Forgejo, by the REST API that they share. */
export const gitea: Forge = {
  kind: 'gitea',
  homes: { 'codeberg.org': ['CODEBERG_TOKEN'], 'gitea.com': ['GITEA_TOKEN'] },
  root: '/api/v1',
  probe: {
    path: '/version',
    isKind: (status, body) => status === 200 && z.looseObject({ version: z.string() }).safeParse(body).success,
  },
  headers: (token) => ({ accept: 'application/json', ...(token !== null && { authorization: `token ${token}` }) }),
  paths: (project) => {
    const repository = `/repos/${project.split('/').map(encodeURIComponent).join('/')}`;
    return {
      pulls: () => `${repository}/pulls?state=closed&sort=recentupdate&limit=50&page=1`,
      pull: (number) => `${repository}/pulls/${number}`,
      commits: (number) => `${repository}/pulls/${number}/commits?limit=50&page=1`,
      issue: (number) => `${repository}/issues/${number}`,
      closedIssues: () => null,
      closers: (issue) => `${repository}/issues/${issue}/timeline?limit=50&page=1`,
    };
  },
  readPull: (row, own) => {
    const pull = ApiPull.safeParse(row).data;
    if (!pull) return null;
    return {
      number: pull.number,
      title: pull.title,
      body: pull.body,
      mergedAt: pull.merged ? pull.merged_at : null,
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
  },
  readIssue: readNumbered,
  readSubject: (row) => {
    const commit = z.looseObject({ commit: z.looseObject({ message: Text }) }).safeParse(row).data;
    return commit ? firstLine(commit.commit.message) : null;
  },
  readCloser: (row) => {
    const Event = z.looseObject({
      type: z.enum(['pull_ref', 'issue_ref', 'comment_ref']),
      ref_issue: z.looseObject({ number: z.int().positive(), pull_request: z.looseObject({}) }),
    });
    return Event.safeParse(row).data?.ref_issue.number ?? null;
  },
  commitOrder: 'newest first',
};
