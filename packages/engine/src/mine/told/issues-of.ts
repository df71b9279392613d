import { AssayError } from '@assay/protocol';
import { fileAt } from '../../git/file-at.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import type { SourceText } from '../candidate.ts';
import type { ExportedIssue, IssueExport } from './issue-export.ts';

const MAX_ISSUES = 4;
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|closing|fixing|resolving)\b\s*:?\s*(?:[\w.-]+\/[\w.-]+)?(?:#|gh-)(\d{1,9})\b/gi;
const ADDRESSES = /(?:https?|git|ssh):\/\/[^\s"'<>,;)\]}]+|git@[\w.-]+:[\w./-]+/g;

/**
 * Throws `BAD_OPTION` when every address in an export is of another repository than the one that is mined: by its own
 * address, or else by those that its manifests name.
 */
export async function requireSameRepository(repository: ImportedRepository, issues: IssueExport): Promise<void> {
  if (issues.repositories.size === 0) return;
  const own = new Set([keyOf(repository.origin)].filter((key) => key !== null));
  if (own.size === 0)
    for (const path of ['package.json', 'pyproject.toml', 'setup.cfg', 'setup.py']) {
      const text = (await fileAt(repository, repository.head, path))?.toString('utf8').slice(0, 200_000) ?? '';
      for (const [address] of text.matchAll(ADDRESSES)) {
        const key = keyOf(address);
        if (key !== null) own.add(key);
      }
    }
  if (own.size === 0 || [...issues.repositories].some((key) => own.has(key))) return;
  const [theirs] = issues.repositories;
  const detail = `it is an export of ${theirs}, and ${[...own][0]} is mined`;
  throw new AssayError('BAD_OPTION', { option: '--issues', detail });
}

/** `host/owner/name` of an address, in small letters. */
function keyOf(address: string): string | null {
  const match =
    /^(?:\w+(?:\+\w+)?:\/\/(?:[^@/]*@)?(?:www\.)?([\w.-]+)(?::\d+)?\/|git@([\w.-]+):)([^/\s]+\/[^/\s#?]+)/.exec(
      address,
    );
  if (!match) return null;
  return `${match[1] ?? match[2]}/${match[3]}`.replace(/\.git$/, '').toLowerCase();
}

/** A text of an issue or a pull request. */
export interface IssueText extends SourceText {
  source: 'issue' | 'pull request';
}

/** Lists the issues and pull requests that the messages of a commit and of its merge belong to, with what those close. */
export async function issuesOf(messages: readonly string[], issues: IssueExport): Promise<IssueText[]> {
  const numbers = [...new Set(messages.flatMap(numbersIn))].slice(0, MAX_ISSUES);
  const found = new Map<number, ExportedIssue>();
  for (const number of numbers) await take(number);
  for (const { isPull, body } of found.values())
    if (isPull) for (const [, closed] of body.matchAll(CLOSING)) await take(Number(closed));
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
function numbersIn(message: string): number[] {
  const [subject = '', ...rest] = message.trim().split('\n');
  const named = [...subject.matchAll(/(?:#|\bgh-)(\d{1,9})\b/gi), ...rest.join('\n').matchAll(CLOSING)];
  return named.map(([, number]) => Number(number));
}
