const DAY_MS = 24 * 60 * 60 * 1000;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
/** What of an id is another in every run: times of day, dates, seconds since 1970, addresses, random ids. */
const CHANGING =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|0x[0-9a-f]{6,}|\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?|\b1\d{9}(?:\d{3}){0,3}(?:\.\d+)?\b/gi;
const SECONDS = /\b(1\d{9})(?:\d{3}){0,3}\b/g;

/**
 * Pairs ids of two runs of the same tests that differ in a time, a date, an address or a random id alone: those of the
 * first that the second lacks with those of the second that the first lacks, in their order.
 */
export function movedIds(first: Iterable<string>, second: Iterable<string>): Map<string, string> {
  const [known, others] = [new Set(first), new Set(second)];
  const waiting = new Map<string, string[]>();
  for (const id of others) if (!known.has(id)) waiting.set(shapeOf(id), [...(waiting.get(shapeOf(id)) ?? []), id]);
  const found = new Map<string, string>();
  for (const id of known) {
    const partner = others.has(id) || shapeOf(id) === id ? undefined : waiting.get(shapeOf(id))?.shift();
    if (partner !== undefined) found.set(id, partner);
  }
  return found;
}

/** Whether an id holds the day of a run, so that tests of another day do not know it. */
export function tellsTheDay(id: string, now: Date): boolean {
  if (formsOf(now).some((form) => id.includes(form))) return true;
  return [...id.matchAll(SECONDS)].some(([, seconds]) => Math.abs(Number(seconds) * 1000 - now.getTime()) < 2 * DAY_MS);
}

const shapeOf = (id: string): string => id.replaceAll(CHANGING, '\0');

/** How people write a day; of the days before and after it too, since the tests may be in another zone. */
function formsOf(now: Date): string[] {
  return [-1, 0, 1].flatMap((days) => {
    const date = new Date(now.getTime() + days * DAY_MS);
    const [year, month, day] = date.toISOString().slice(0, 10).split('-');
    const name = MONTHS[date.getUTCMonth()] ?? '';
    const orders = [
      [year, month, day],
      [day, month, year],
      [month, day, year],
    ];
    const named = [name, name.slice(0, 3)].flatMap((word) => [
      `${word} ${date.getUTCDate()}, ${year}`,
      `${word} ${day}, ${year}`,
      `${word} ${date.getUTCDate()} ${year}`,
      `${word} ${day} ${year}`,
      `${date.getUTCDate()} ${word} ${year}`,
    ]);
    return [
      ...orders.flatMap((parts) => ['-', '/', '.'].map((mark) => parts.join(mark))),
      `${year}${month}${day}`,
      ...named,
    ];
  });
}
