import type { MutationKind } from '../../ecosystems/mutate-facet.ts';

const MAX_SIDE = 100;

/** Tells a mutant in one line, such as `if not x: -> if x:`. */
export function describeMutant(before: string, after: string, kind: MutationKind): string {
  const [old, changed] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < old.length && old[head] === changed[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, changed.length) - head;
  while (tail < most && old[old.length - 1 - tail] === changed[changed.length - 1 - tail]) tail += 1;
  const was = inOneLine(old.slice(head, old.length - tail));
  const is = inOneLine(changed.slice(head, changed.length - tail));
  if (kind === 'loop') return `${was || inOneLine(changed.slice(0, head).slice(-1))} -> its first step alone`;
  if (kind === 'hunk') return was === '' ? `left out: put back ${is}` : `${was} -> ${is || 'left out'}`;
  if (kind === 'statement') return `${was} -> left out`;
  return `${was} -> ${is}`;
}

function inOneLine(lines: readonly string[]): string {
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  return text.length > MAX_SIDE ? `${text.slice(0, MAX_SIDE)}…` : text;
}
