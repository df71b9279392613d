import type { DiffMetadata } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { Comparison } from './compare-changes.ts';
import { diffOfChange } from './diff-of-change.ts';
import { repo2RlEnvScore } from './repo2rlenv-score.ts';

export interface ComparedChanges {
  comparison: Comparison;
  reference: ChangeSet;
  submission: ChangeSet;
  /** Returns a file of T0; null where there is none. */
  before: (path: string) => Buffer | null;
}

export interface ScoredDiff {
  /** From 0 to 1. */
  reward: number;
  /** What it was made from. */
  components: Record<string, number>;
}

/** Scores a comparison by a profile; `judge` is what a model says, from 0 to 1, where one was asked. */
export function scoreByProfile(
  profile: DiffMetadata['profile'],
  { comparison, reference, submission, before }: ComparedChanges,
  judge: number | null,
): ScoredDiff {
  const { parts, extra, broken, score } = comparison;
  const counts = {
    parts_equal: parts.filter(({ isEqual }) => isEqual).length,
    parts_total: parts.length,
    tokens_beside: extra,
    files_broken: broken.length,
    equal_share: score,
  };
  const judged: Record<string, number> = judge === null ? {} : { judge };
  if (profile === 'strict')
    return { reward: broken.length > 0 ? 0 : Math.max(score, judge ?? 0), components: { ...counts, ...judged } };
  const [oracle, predicted] = [reference, submission].map((change) => diffTextOf(change, before)) as [string, string];
  const theirs = repo2RlEnvScore(oracle, predicted, judge);
  const named = Object.entries(theirs.parts).filter((entry): entry is [string, number] => entry[1] !== null);
  return { reward: theirs.score, components: { ...counts, ...Object.fromEntries(named) } };
}

/** A change as people and models read it. */
export function diffTextOf({ files, deleted }: ChangeSet, before: (path: string) => Buffer | null): string {
  return diffOfChange([
    ...files.map((file) => ({ path: file.path, before: before(file.path), after: file })),
    ...deleted.map((path) => ({ path, before: before(path), after: null })),
  ]);
}
