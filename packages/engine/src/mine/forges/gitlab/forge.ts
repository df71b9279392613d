import { z } from 'zod';
import { closedBy } from '../../told/closing.ts';
import type { Forge } from '../forge.ts';
import { firstLine, Text } from '../reading.ts';
import { ApiIssue, MergeRequest } from './rows.ts';

/** GitLab, by its REST API; and what `glab mr list --output json` gives. */
export const gitlab: Forge = {
  kind: 'gitlab',
  homes: { 'gitlab.com': ['GITLAB_TOKEN'] },
  root: '/api/v4',
  probe: {
    path: '/version',
    isKind: (status, body, headers) =>
      'x-gitlab-meta' in headers ||
      (status === 401 && z.looseObject({ message: z.string().startsWith('401') }).safeParse(body).success),
  },
  headers: (token) => ({ accept: 'application/json', ...(token !== null && { 'private-token': token }) }),
  paths: (project) => {
    const root = `/projects/${encodeURIComponent(project)}`;
    return {
      pulls: (since) =>
        `${root}/merge_requests?state=merged&order_by=updated_at&sort=desc&per_page=100` +
        (since === undefined ? '' : `&updated_after=${encodeURIComponent(since)}`),
      pull: (number) => `${root}/merge_requests/${number}`,
      commits: (number) => `${root}/merge_requests/${number}/commits?per_page=100`,
      issue: (number) => `${root}/issues/${number}`,
      closedIssues: (number) => `${root}/merge_requests/${number}/closes_issues?per_page=100`,
      closers: (issue) => `${root}/issues/${issue}/closed_by?per_page=100`,
    };
  },
  readPull: (row, own) => {
    const found = MergeRequest.safeParse(row).data;
    if (!found) return null;
    return {
      number: found.iid,
      title: found.title,
      body: found.description,
      mergedAt: found.state === 'merged' ? (found.merged_at ?? found.updated_at) : null,
      mergeCommit: found.merge_commit_sha ?? found.squash_commit_sha,
      headCommit: found.sha,
      headRepository: found.source_project_id === null ? null : `${found.source_project_id}`,
      baseBranch: found.target_branch,
      labels: found.labels,
      isDraft: found.draft ?? found.work_in_progress ?? false,
      author: found.author,
      subjects: null,
      closes: closedBy(found.description, own),
    };
  },
  readIssue: (row) => {
    const issue = ApiIssue.safeParse(row).data;
    if (!issue || MergeRequest.safeParse(row).success) return null;
    return { number: issue.iid, title: issue.title, body: issue.description, createdAt: issue.created_at };
  },
  readSubject: (row) => {
    const commit = z.looseObject({ title: Text, message: Text }).safeParse(row).data;
    return commit ? firstLine(commit.message || commit.title) : null;
  },
  readCloser: (row) => MergeRequest.safeParse(row).data?.iid ?? null,
  commitOrder: 'newest first',
};
