import { choreOf } from '../../../harden/chore.ts';
import type { ChangedFile } from '../../../git/changed-files.ts';
import { readCommit, type Repository } from '../../../git/repository.ts';
import { Rejection, type SourceText } from '../../candidate.ts';
import { mergeTitle } from '../../told/merges.ts';
import { toldBeside } from '../../told/told-beside.ts';

export interface ToldCommit {
  message: string;
  files: readonly ChangedFile[];
  /** The merge that brought it. */
  merge?: string;
  /** Issues and pull requests that belong to it. */
  issues?: readonly SourceText[];
}

/**
 * Collects what is told of a commit, best first: issues, its message, pull requests, what it says to users, the title of
 * its merge. Throws `chore` for a commit that says it changes nothing which a user observes.
 */
export async function tellCommit(
  repository: Repository,
  { message, files, merge, issues = [] }: ToldCommit,
): Promise<SourceText[]> {
  const chore = choreOf(message);
  const reject = (kind: string): Rejection =>
    new Rejection('chore', `${kind}: ${message.trim().split('\n')[0]?.slice(0, 80)}`);
  if (chore?.certain) throw reject(chore.kind);
  const beside = await toldBeside(repository, files);
  const noticed = beside.filter(({ text }) => choreOf(text) === null);
  if (chore && noticed.length === 0 && issues.length === 0) throw reject(chore.kind);
  const title = merge === undefined ? null : mergeTitle((await readCommit(repository, merge)).message);
  return [
    ...issues.filter(({ source }) => source === 'issue'),
    ...(chore ? [] : [{ source: 'message' as const, text: message }]),
    ...issues.filter(({ source }) => source !== 'issue'),
    ...(chore ? noticed : beside),
    ...(title === null || choreOf(title) ? [] : [{ source: 'merge title' as const, text: title }]),
  ];
}
