import type { TestHistory } from './test-history.ts';

/** Files that take less come first of all, as they tell most for their time. */
const QUICK_SECONDS = 3;
/** Assumed of a file that has never run here. */
const UNKNOWN = { quick: 1, slow: 60 };
/** Where slow files stand: they start processes, sandboxes and servers by the dozen. */
const SLOW =
  /^test\/|^packages\/sandbox\/src\/(providers|languages)\/|^packages\/bax\/src\/(check|grade|frameworks)\/|-(attacks|runner|environment|mirror|lane)\.test\.ts$/;

/**
 * The order in which test files start: first those likely to fail (they failed the last time, or were changed), then
 * the quick ones, then the slow ones. The slow ones begin with the slowest, so that no long file runs alone at the end.
 */
export function orderTestFiles(
  files: readonly string[],
  { history, changed }: { history: TestHistory; changed: ReadonlySet<string> },
): string[] {
  const seconds = (file: string): number => history[file]?.seconds ?? (SLOW.test(file) ? UNKNOWN.slow : UNKNOWN.quick);
  const suspect = (file: string): boolean => history[file]?.failed === true || changed.has(file);
  const quickFirst = (one: string, other: string): number => seconds(one) - seconds(other);
  const suspects = files.filter(suspect).sort(quickFirst);
  const others = files.filter((file) => !suspect(file));
  const quick = others.filter((file) => seconds(file) < QUICK_SECONDS).sort(quickFirst);
  const slow = others.filter((file) => seconds(file) >= QUICK_SECONDS).sort((one, other) => quickFirst(other, one));
  return [...suspects, ...quick, ...slow];
}
