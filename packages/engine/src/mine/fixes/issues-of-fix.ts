import { readCommit, type Repository } from '../../git/repository.ts';
import type { IssueExport } from '../told/issue-export.ts';
import { issuesOf, type IssueText } from '../told/issues-of.ts';
import type { CommitData } from './commit-data.ts';

/** What an export has of a fix, by the messages of its commits and of its merge. */
export async function issuesOfFix(
  repository: Repository,
  { commit, merge, brought = [] }: Pick<CommitData, 'commit' | 'merge' | 'brought'>,
  exported: IssueExport,
): Promise<IssueText[]> {
  const names = [...new Set([commit, ...(merge === undefined ? [] : [merge]), ...brought])];
  const messages = await Promise.all(names.map(async (name) => (await readCommit(repository, name)).message));
  return issuesOf(messages, exported);
}
