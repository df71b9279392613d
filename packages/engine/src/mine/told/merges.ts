import type { ImportedRepository } from '../../git/import-repository.ts';
import { runGit } from '../../git/run-git.ts';

/** Longer histories are not looked at for merges. */
const MAX_COMMITS = 400_000;
/** A merge of more commits tells of their sum. */
const MAX_BROUGHT = 6;

/** A merge, and all commits that it brought to the line of first parents of HEAD. */
export interface Merge {
  merge: string;
  brought: readonly string[];
}

/** Returns the merges that brought a few commits, by the commits that they brought. */
export async function mergesByCommit({ gitDirectory, head }: ImportedRepository): Promise<ReadonlyMap<string, Merge>> {
  const args = ['rev-list', '--parents', `--max-count=${MAX_COMMITS + 1}`, head];
  const lines = (await runGit(gitDirectory, args)).toString('latin1').trim().split('\n');
  if (lines.length > MAX_COMMITS) return new Map();
  const parents = new Map(lines.map((line) => [line.slice(0, 40), line.slice(41).split(' ')]));
  const line: string[] = [];
  for (let commit: string | undefined = head; commit && parents.has(commit); commit = parents.get(commit)?.[0])
    line.push(commit);
  const seen = new Set(line);
  const merges = new Map<string, Merge>();
  for (const merge of line.reverse()) {
    const brought: string[] = [];
    const pending = (parents.get(merge) ?? []).slice(1);
    while (pending.length > 0) {
      const commit = pending.pop() ?? '';
      if (seen.has(commit) || !parents.has(commit)) continue;
      seen.add(commit);
      brought.push(commit);
      pending.push(...(parents.get(commit) ?? []));
    }
    if (brought.length <= MAX_BROUGHT) for (const commit of brought) merges.set(commit, { merge, brought });
  }
  return merges;
}

/** The title that a merge gives to what it brought, as code hosts write it below the first line; null without one. */
export function mergeTitle(message: string): string | null {
  const [first = '', ...rest] = message.trim().split('\n');
  if (!/^Merge (?:pull request|branch|PR|MR|change)\b/i.test(first)) return null;
  const title = rest.find((line) => line.trim() !== '')?.trim() ?? '';
  return title === '' || /^(?:see merge request|\* |# ?conflicts|conflicts:)/i.test(title) ? null : title;
}
