import type { Repository } from '../../git/repository.ts';
import type { CommitData } from '../fixes/commit-data.ts';
import { issuesOfFix } from '../fixes/issues-of-fix.ts';
import type { Issue, PullRequest, PullSource } from '../forges/pull-request.ts';
import type { IssueExport } from '../told/issue-export.ts';
import type { IssueText } from '../told/issues-of.ts';
import type { Merged } from './merged-pulls.ts';

const MAX_ISSUES = 4;

export interface TextSources {
  repository: Repository;
  source: PullSource | null;
  issues: IssueExport | null;
  signal?: AbortSignal;
}

/** What is told of a pull request beside its commits: the issues that it closes, and then what it says itself. */
export async function textsOf(
  { pull, issue }: Merged,
  change: Pick<CommitData, 'commit' | 'merge' | 'brought'>,
  { repository, source, issues, signal }: TextSources,
): Promise<IssueText[]> {
  const found = new Map<number, Issue>();
  const take = (each: Issue | null): void => {
    if (each && found.size < MAX_ISSUES && isEarlier(each, pull)) found.set(each.number, each);
  };
  const read = async (number: number): Promise<void> => {
    if (found.has(number) || number === pull?.number || found.size >= MAX_ISSUES) return;
    take((await source?.issue(number, signal)) ?? (await exportedIssue(number)));
  };
  if (issue !== undefined) await read(issue);
  if (pull) {
    for (const each of (await source?.closedIssues(pull, signal)) ?? []) take(each);
    for (const number of pull.closes) await read(number);
  }
  const told = [
    ...[...found.values()].map((each) => ({ source: 'issue' as const, text: textOf(each) })),
    ...(pull && pull.title.trim() !== '' ? [{ source: 'pull request' as const, text: textOf(pull) }] : []),
  ];
  const joined = issues ? await issuesOfFix(repository, change, issues) : [];
  return [...told, ...joined.filter(({ text }) => !told.some((each) => each.text === text))];

  async function exportedIssue(number: number): Promise<Issue | null> {
    const row = await issues?.read(number);
    return row && !row.isPull ? { ...row, createdAt: null } : null;
  }
}

/** An issue that came after the merge tells of something else. */
const isEarlier = ({ createdAt }: Issue, pull: PullRequest | null): boolean =>
  createdAt === null || !pull?.mergedAt || new Date(createdAt).getTime() <= new Date(pull.mergedAt).getTime();

const textOf = ({ title, body }: Pick<Issue, 'title' | 'body'>): string =>
  `${title.trim().slice(0, 300)}\n\n${body.trim().slice(0, 8000)}`.trim();
