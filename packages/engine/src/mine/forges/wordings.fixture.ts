import type { ForgeKind } from './forge.ts';
import type { FakePull, Things, Wording } from './fake-forge.fixture.ts';

const HEAD = 'b'.repeat(40);
const time = (number: number): string => `2024-01-${String(10 + number).padStart(2, '0')}T00:00:00Z`;
const CREATED = '2023-12-01T00:00:00Z';

/** Answers by patterns of paths; the number of the path comes with them. */
function byPath(
  routes: readonly (readonly [RegExp, (number: number, things: Things) => ReturnType<Wording['answer']>])[],
): Wording['answer'] {
  return (path, things) => {
    for (const [pattern, answer] of routes) {
      const match = pattern.exec(path);
      if (match) return answer(Number(match[1] ?? 0), things);
    }
    return null;
  };
}

const one = <T extends { number: number }>(
  of: readonly T[],
  number: number,
  row: (each: T) => unknown,
): ReturnType<Wording['answer']> => {
  const found = of.find((each) => each.number === number);
  return found ? { row: row(found) } : null;
};

/** The account is suspended, and the fork is gone. */
const githubPull = ({ number, title, body, merged, mergeCommit }: FakePull): Record<string, unknown> => ({
  id: 1000 + number,
  number,
  state: 'closed',
  title,
  body,
  user: null,
  labels: [{ id: 1, name: 'bug' }],
  draft: false,
  created_at: CREATED,
  updated_at: time(number),
  merged_at: merged ? time(number) : null,
  merge_commit_sha: mergeCommit,
  head: { ref: 'rows', sha: HEAD, repo: null },
  base: { ref: 'master', sha: HEAD, repo: { full_name: 'ink/pot' } },
  html_url: `https://code.example/ink/pot/pull/${number}`,
  diff_url: `https://code.example/ink/pot/pull/${number}.diff`,
});

const gitlabPull = ({ number, title, body, merged, mergeCommit }: FakePull): Record<string, unknown> => ({
  id: 1000 + number,
  iid: number,
  project_id: 5,
  title,
  description: body,
  state: merged ? 'merged' : 'closed',
  author: null,
  labels: ['bug'],
  draft: false,
  created_at: CREATED,
  updated_at: time(number),
  merged_at: merged ? time(number) : null,
  merge_commit_sha: null,
  squash_commit_sha: mergeCommit,
  sha: HEAD,
  source_branch: 'rows',
  target_branch: 'master',
  source_project_id: null,
  target_project_id: 5,
  web_url: `https://code.example/ink/pot/-/merge_requests/${number}`,
});

const closes = ({ body }: FakePull, issue: number): boolean => new RegExp(`#${issue}\\b`).test(body);
const numbered = (each: { number: number; title: string; body: string }): Record<string, unknown> => ({
  ...each,
  id: 2000 + each.number,
  state: 'closed',
  user: null,
  created_at: CREATED,
});
const pullAsIssue = (pull: FakePull): Record<string, unknown> => ({ ...numbered(pull), pull_request: { url: 'x' } });

/** Each kind as it answers by its published description. */
export const WORDINGS: Readonly<Record<ForgeKind, Wording>> = {
  github: {
    root: '/api/v3',
    etags: true,
    headers: { 'x-github-request-id': '1', 'x-ratelimit-remaining': '59' },
    hasToken: (headers, token) => headers.authorization === `Bearer ${token}`,
    error: (message) => ({ message, documentation_url: 'https://docs.example' }),
    answer: byPath([
      [/^\/repos\/ink\/pot\/pulls$/, (_, { pulls }) => ({ rows: pulls.map(githubPull) })],
      [/^\/repos\/ink\/pot\/pulls\/(\d+)$/, (number, { pulls }) => one(pulls, number, githubPull)],
      [
        /^\/repos\/ink\/pot\/pulls\/(\d+)\/commits$/,
        (number, { pulls }) => ({
          rows: pulls
            .filter((each) => each.number === number)
            .flatMap(({ commits }) => commits.map((message) => ({ sha: HEAD, commit: { message, author: null } }))),
        }),
      ],
      [
        /^\/repos\/ink\/pot\/issues\/(\d+)$/,
        (number, { issues, pulls }) => one(issues, number, numbered) ?? one(pulls, number, pullAsIssue),
      ],
      [
        /^\/repos\/ink\/pot\/issues\/(\d+)\/timeline$/,
        (number, { pulls }) => ({
          rows: [
            { event: 'labeled', actor: null },
            ...pulls
              .filter((pull) => closes(pull, number))
              .map((pull) => ({ event: 'cross-referenced', source: { type: 'issue', issue: pullAsIssue(pull) } })),
          ],
        }),
      ],
    ]),
  },
  gitlab: {
    root: '/api/v4',
    etags: true,
    headers: { 'x-gitlab-meta': '{"version":"1"}' },
    hasToken: (headers, token) => headers['private-token'] === token,
    error: (message) => ({ message: `401 ${message}` }),
    answer: byPath([
      [
        /^\/projects\/ink\/pot\/merge_requests$/,
        (_, { pulls }) => ({ rows: pulls.filter(({ merged }) => merged).map(gitlabPull) }),
      ],
      [/^\/projects\/ink\/pot\/merge_requests\/(\d+)$/, (number, { pulls }) => one(pulls, number, gitlabPull)],
      [
        /^\/projects\/ink\/pot\/merge_requests\/(\d+)\/commits$/,
        (number, { pulls }) => ({
          rows: pulls
            .filter((each) => each.number === number)
            .flatMap(({ commits }) => commits.toReversed().map((message) => ({ id: HEAD, title: message, message }))),
        }),
      ],
      [
        /^\/projects\/ink\/pot\/merge_requests\/(\d+)\/closes_issues$/,
        (number, { pulls, issues }) => ({
          rows: issues
            .filter((issue) => pulls.some((pull) => pull.number === number && closes(pull, issue.number)))
            .map(gitlabIssue),
        }),
      ],
      [/^\/projects\/ink\/pot\/issues\/(\d+)$/, (number, { issues }) => one(issues, number, gitlabIssue)],
      [
        /^\/projects\/ink\/pot\/issues\/(\d+)\/closed_by$/,
        (number, { pulls }) => ({ rows: pulls.filter((pull) => closes(pull, number)).map(gitlabPull) }),
      ],
    ]),
  },
  gitea: {
    root: '/api/v1',
    etags: false,
    headers: {},
    hasToken: (headers, token) => headers.authorization === `token ${token}`,
    error: (message) => ({ message, url: 'https://docs.example' }),
    answer: byPath([
      [/^\/version$/, () => ({ row: { version: '1.22.0' } })],
      [/^\/repos\/ink\/pot\/pulls$/, (_, { pulls }) => ({ rows: pulls.map(giteaPull) })],
      [/^\/repos\/ink\/pot\/pulls\/(\d+)$/, (number, { pulls }) => one(pulls, number, giteaPull)],
      [
        /^\/repos\/ink\/pot\/pulls\/(\d+)\/commits$/,
        (number, { pulls }) => ({
          rows: pulls
            .filter((each) => each.number === number)
            .flatMap(({ commits }) => commits.toReversed().map((message) => ({ sha: HEAD, commit: { message } }))),
        }),
      ],
      [
        /^\/repos\/ink\/pot\/issues\/(\d+)$/,
        (number, { issues, pulls }) => one(issues, number, numbered) ?? one(pulls, number, pullAsIssue),
      ],
      [
        /^\/repos\/ink\/pot\/issues\/(\d+)\/timeline$/,
        (number, { pulls }) => ({
          rows: [
            { type: 'comment', body: 'x' },
            ...pulls
              .filter((pull) => closes(pull, number))
              .map((pull) => ({ type: 'pull_ref', ref_issue: pullAsIssue(pull) })),
          ],
        }),
      ],
    ]),
  },
};

function giteaPull(pull: FakePull): Record<string, unknown> {
  const { diff_url: _url, ...row } = githubPull(pull);
  return { ...row, merged: pull.merged, merge_base: HEAD };
}

function gitlabIssue({
  number,
  title,
  body,
}: {
  number: number;
  title: string;
  body: string;
}): Record<string, unknown> {
  return {
    id: 2000 + number,
    iid: number,
    title,
    description: body,
    state: 'closed',
    created_at: CREATED,
    author: null,
  };
}
