const MOST = 3;
const LEAST_PART = 3;

/** Details of an error about an unknown name. */
export function unknownName(
  name: string,
  known: readonly { id: string }[],
): { name: string; hint: string; known: string } {
  const ids = known.map(({ id }) => id);
  return { name: name.slice(0, 100), hint: didYouMean(name, ids), known: ids.join(', ') };
}

/**
 * ` Did you mean A or B?` for a name that there is not, or nothing when no known name is near: another case, a part of
 * one, or a slip of the keys.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestNames(name.slice(0, 100), known);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}

function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = plain(name);
  const parts = wanted.length < LEAST_PART ? [] : known.filter((one) => plain(one).includes(wanted));
  if (parts.length > 0) return parts.slice(0, MOST);
  const distances = known.map((one) => ({ one, distance: editDistance(wanted, plain(one)) }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  return least > Math.max(wanted.length < 4 ? 1 : 2, wanted.length / 3)
    ? []
    : distances
        .filter(({ distance }) => distance === least)
        .map(({ one }) => one)
        .slice(0, MOST);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** How many letters have to be put in, left out or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
