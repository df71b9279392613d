/** How tests of the ecosystem are named and found. */
export interface TestFacet {
  /** The runners, as a `TestCommand` names them. */
  readonly runners: readonly string[];
  /** Whether a runner can be pointed at a file: it is no helper, fixture or data. */
  isTestFile(path: string): boolean;
  /** The file of a test, and the names below it, from the outermost suite to the test. */
  splitId(id: string): { file: string; names: string[] };
  /** Names and titles that a test file gives to its tests and suites, as a message might quote them. */
  titles(text: string): string[];
  /** The lines of a test with what belongs to it alone; empty when the text does not hold it. */
  bodyOf(text: string, id: string): string;
  /** Where a new test file goes so that the runner finds it: beside `example` when there is one. */
  newFile(mark: string, example: string | null): string;
}

/** Directories of what tests use; nothing in them is a test. */
export const TEST_DATA = /(^|\/)(fixtures?|__fixtures__|__snapshots__|data|helpers?)\//;

/** A text from `start` up to the next match of `next` (global) after the line of `at`. */
export function upToNext(text: string, { start, at, next }: { start: number; at: number; next: RegExp }): string {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.slice(at);
  const pattern = new RegExp(next);
  pattern.lastIndex = end + 1;
  return text.slice(start, pattern.exec(text)?.index ?? text.length);
}
