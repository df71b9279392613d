import type { ImportedRepository } from './import-repository.ts';
import { runGit } from './run-git.ts';

/** Longer histories are not looked at for merges. */
const MAX_COMMITS = 400_000;
/** Merges within branches within branches. */
const MAX_DEPTH = 8;

/** A merge, and what it brought to the line of first parents that it lies on. */
export interface Merge {
  merge: string;
  /** Every commit that it brought, merges too. */
  brought: readonly string[];
  /**
   * The commits that it brought, without merges and oldest first, where they follow each other in one line; else null.
   * Such a line may have taken up what the other had already, and nothing else.
   */
  branch: readonly string[] | null;
}

export interface Merges {
  /** First parents of HEAD, newest first. */
  line: readonly string[];
  /** By their own names. */
  byName: ReadonlyMap<string, Merge>;
  /** By the commits that they brought; of merges within branches the innermost. */
  byCommit: ReadonlyMap<string, Merge>;
}

type Parents = ReadonlyMap<string, readonly string[]>;
type Members = Pick<ReadonlySet<string>, 'has'>;

/** Finds out what each merge brought: those on the line of HEAD, and those on the lines that were merged there. */
export async function readMerges({
  gitDirectory,
  head,
}: Pick<ImportedRepository, 'gitDirectory' | 'head'>): Promise<Merges> {
  const args = ['rev-list', '--parents', `--max-count=${MAX_COMMITS + 1}`, head];
  const rows = (await runGit(gitDirectory, args)).toString('latin1').trim().split('\n');
  if (rows.length > MAX_COMMITS) return { line: [], byName: new Map(), byCommit: new Map() };
  const parents = new Map(rows.map((row) => [row.slice(0, 40), row.slice(41).split(' ').filter(Boolean)]));
  const byName = new Map<string, Merge>();
  const byCommit = new Map<string, Merge>();
  const whole = { line: lineFrom(head, parents, parents), within: parents as Members, depth: 0 };
  const pending = [whole];
  for (const { line, within, depth } of pending) {
    const seen = new Set(line);
    for (const merge of line.toReversed()) {
      const tips = (parents.get(merge) ?? []).slice(1);
      const brought = broughtBy(tips, { seen, within, parents });
      if (brought.length === 0) continue;
      const found = { merge, brought, branch: tips.length === 1 ? branchOf(brought, parents) : null };
      byName.set(merge, found);
      for (const commit of brought) byCommit.set(commit, found);
      const members = new Set(brought);
      if (found.branch === null && depth < MAX_DEPTH)
        for (const tip of tips)
          if (members.has(tip))
            pending.push({ line: lineFrom(tip, members, parents), within: members, depth: depth + 1 });
    }
  }
  return { line: whole.line, byName, byCommit };
}

function lineFrom(tip: string, within: Members, parents: Parents): string[] {
  const line: string[] = [];
  for (
    let commit: string | undefined = tip;
    commit !== undefined && within.has(commit);
    commit = parents.get(commit)?.[0]
  )
    line.push(commit);
  return line;
}

/** Lists the commits behind some tips that were not seen before, and marks them as seen. */
function broughtBy(
  tips: readonly string[],
  { seen, within, parents }: { seen: Set<string>; within: Members; parents: Parents },
): string[] {
  const brought: string[] = [];
  const pending = [...tips];
  while (pending.length > 0) {
    const commit = pending.pop() ?? '';
    if (seen.has(commit) || !within.has(commit)) continue;
    seen.add(commit);
    brought.push(commit);
    pending.push(...(parents.get(commit) ?? []));
  }
  return brought;
}

/** The commits of a line, of which each has at most one parent there. A walk from its tip meets them in their order. */
function branchOf(brought: readonly string[], parents: Parents): string[] | null {
  const members = new Set(brought);
  const parentsOf = (commit: string): readonly string[] => parents.get(commit) ?? [];
  if (brought.some((commit) => parentsOf(commit).filter((parent) => members.has(parent)).length > 1)) return null;
  return brought.filter((commit) => parentsOf(commit).length < 2).toReversed();
}
