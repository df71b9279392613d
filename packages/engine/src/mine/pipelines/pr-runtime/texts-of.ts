import type { Issue, PullRequest, PullSource } from '../../forges/pull-request.ts';
import type { IssueText } from '../../told/issues-of.ts';

const MAX_ISSUES = 4;

/** What is told of a pull request: the issues that it closes, and then what it says itself. */
export async function textsOf(pull: PullRequest, source: PullSource, signal?: AbortSignal): Promise<IssueText[]> {
  const found = new Map<number, Issue>();
  const take = (issue: Issue | null): void => {
    if (issue && found.size < MAX_ISSUES && isEarlier(issue, pull)) found.set(issue.number, issue);
  };
  for (const issue of await source.closedIssues(pull, signal)) take(issue);
  for (const number of pull.closes)
    if (!found.has(number) && number !== pull.number && found.size < MAX_ISSUES)
      take(await source.issue(number, signal));
  return [
    ...[...found.values()].map((issue) => ({ source: 'issue' as const, text: textOf(issue) })),
    ...(pull.title.trim() === '' ? [] : [{ source: 'pull request' as const, text: textOf(pull) }]),
  ];
}

/** An issue that came after the merge tells of something else. */
const isEarlier = ({ createdAt }: Issue, { mergedAt }: PullRequest): boolean =>
  createdAt === null || mergedAt === null || new Date(createdAt).getTime() <= new Date(mergedAt).getTime();

const textOf = ({ title, body }: Pick<Issue, 'title' | 'body'>): string =>
  `${title.trim().slice(0, 300)}\n\n${body.trim().slice(0, 8000)}`.trim();
