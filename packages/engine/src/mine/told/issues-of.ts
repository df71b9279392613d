import type { SourceText } from '../candidate.ts';
import { closedBy } from './closing.ts';
import type { ExportedIssue, IssueExport } from './issue-export.ts';

const MAX_ISSUES = 4;

/** A text of an issue or a pull request. */
export interface IssueText extends SourceText {
  source: 'issue' | 'pull request';
}

/** Lists the issues and pull requests that the messages of a commit and of its merge belong to, with what those close. */
export async function issuesOf(messages: readonly string[], issues: IssueExport): Promise<IssueText[]> {
  const [own = null] = issues.repositories;
  const numbers = [...new Set(messages.flatMap((message) => numbersIn(message, own)))].slice(0, MAX_ISSUES);
  const found = new Map<number, ExportedIssue>();
  for (const number of numbers) await take(number);
  for (const { isPull, body } of found.values())
    if (isPull) for (const closed of closedBy(body, own)) await take(closed);
  return [...found.values()].map(({ isPull, title, body }) => ({
    source: isPull ? 'pull request' : 'issue',
    text: `${title}\n\n${body}`.trim(),
  }));

  async function take(number: number): Promise<void> {
    if (found.has(number) || found.size >= MAX_ISSUES) return;
    const issue = await issues.read(number);
    if (issue) found.set(number, issue);
  }
}

/** Every number in the subject, and in the rest those that are closed. */
function numbersIn(message: string, own: string | null): number[] {
  const [subject = '', ...rest] = message.trim().split('\n');
  const named = [...subject.matchAll(/(?:#|\bgh-)(\d{1,9})\b/gi)].map(([, number]) => Number(number));
  return [...named, ...closedBy(rest.join('\n'), own)];
}
