import { editsBetween, type Edit } from './edits.ts';

/** The tokens of one file; null where there is no file. */
export type Tokens = readonly string[] | null;

/** A part of the reference in one file. */
export interface HunkResult {
  /** Tokens that it removes and adds. */
  size: number;
  /** Whether the submission has the same there, token by token. */
  isEqual: boolean;
}

export interface FileResult {
  hunks: HunkResult[];
  /** Tokens that the submission removes and adds, and the reference does not. */
  extra: number;
}

/** Edits with fewer tokens between them are one part: what makes sense only together counts only together. */
const NEAR = 8;

/**
 * Compares a submission's version of a file with the reference's, by what each makes of the version before. A part of
 * the reference is there or is not: nearness to it counts nothing, since a wrong change in the right place is near.
 */
export function compareFile({
  before,
  reference,
  submission,
}: Record<'before' | 'reference' | 'submission', Tokens>): FileResult {
  const base = before ?? [];
  const wanted = hunksOf(editsBetween(base, reference ?? []));
  const made = editsBetween(base, submission ?? []);
  const isThere = (reference === null) === (submission === null);
  const isWhole = isThere && areEqual(reference ?? [], submission ?? []);
  // A file may hold nothing that is a token, and yet be added or removed.
  if (wanted.length === 0 && (before === null) !== (reference === null)) wanted.push({ from: 0, to: 0, edits: [] });
  const results = wanted.map((hunk) => {
    const own = made.filter((edit) => edit.to > hunk.from - NEAR && edit.from < hunk.to + NEAR);
    const isPart =
      isThere && hunk.edits.length > 0 && areSame(applied(base, hunk, own), applied(base, hunk, hunk.edits));
    return { hunk, own, isEqual: isWhole || isPart };
  });
  const matched = new Set(results.flatMap(({ own, isEqual }) => (isEqual ? own : [])));
  return {
    hunks: results.map(({ hunk, isEqual }) => ({ size: Math.max(1, sizeOf(hunk.edits)), isEqual })),
    extra: isWhole ? 0 : sizeOf(made.filter((edit) => !matched.has(edit))),
  };
}

interface Hunk {
  from: number;
  to: number;
  edits: Edit[];
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const edit of edits) {
    const last = hunks.at(-1);
    if (last && edit.from - last.to < NEAR) {
      last.to = edit.to;
      last.edits.push(edit);
    } else hunks.push({ from: edit.from, to: edit.to, edits: [edit] });
  }
  return hunks;
}

/** What stands in the range of a hunk after some edits; null where one of them reaches beyond it. */
function applied(base: readonly string[], { from, to }: Hunk, edits: readonly Edit[]): string[] | null {
  if (edits.some((edit) => edit.from < from || edit.to > to)) return null;
  const parts = edits.map((edit, index) => [...base.slice(edits[index - 1]?.to ?? from, edit.from), ...edit.added]);
  return [...parts, base.slice(edits.at(-1)?.to ?? from, to)].flat();
}

const areSame = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one !== null && other !== null && areEqual(one, other);

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((token, index) => token === other[index]);

const sizeOf = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { from, to, added }) => sum + to - from + added.length, 0);
