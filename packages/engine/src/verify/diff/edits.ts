import { diffArrays } from 'diff';

/** A stretch of the old sequence that the new one has otherwise. */
export interface Edit {
  /** Range of the old sequence, without its end. */
  from: number;
  to: number;
  added: readonly string[];
}

/** More differences than this are one edit of everything between what both begin and end with. */
const MOST_DIFFERENCES = 1500;

/**
 * Lists what turns one sequence into another, in order. Where an edit can stand in several places, it stands in the
 * first, so that equal changes are equal edits.
 */
export function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, fresh] = [before, after].map((tokens) => tokens.slice(start, tokens.length - end)) as [
    string[],
    string[],
  ];
  if (old.length + fresh.length === 0) return [];
  const parts = diffArrays(old, fresh, { maxEditLength: MOST_DIFFERENCES }) as
    | { value: string[]; added?: boolean; removed?: boolean }[]
    | undefined;
  if (parts === undefined) return [{ from: start, to: start + old.length, added: fresh }];
  const edits: Edit[] = [];
  let at = start;
  for (const { value, added, removed } of parts) {
    const last = edits.at(-1);
    const isNext = last !== undefined && last.to === at;
    if (removed) {
      if (isNext) last.to = at + value.length;
      else edits.push({ from: at, to: at + value.length, added: [] });
      at += value.length;
    } else if (added) {
      if (isNext) last.added = [...last.added, ...value];
      else edits.push({ from: at, to: at, added: value });
    } else at += value.length;
  }
  return edits.map((edit, index) => slidUp(edit, before, edits[index - 1]?.to ?? 0));
}

/** The same edit in the first place where it comes to the same; not beyond `first`. */
function slidUp({ from, to, added }: Edit, before: readonly string[], first: number): Edit {
  const isDeletion = added.length === 0;
  if (!isDeletion && to > from) return { from, to, added };
  const moving = isDeletion ? before.slice(from, to) : added;
  const { length } = moving;
  let by = 0;
  while (from - by > first && before[from - by - 1] === moving[(length - 1 - (by % length)) % length]) by += 1;
  const turned = length - (by % length);
  return {
    from: from - by,
    to: to - by,
    added: isDeletion ? [] : [...moving.slice(turned), ...moving.slice(0, turned)],
  };
}
