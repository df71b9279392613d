/** How tests of the ecosystem are named and found. */
export interface TestFacet {
  /** Names of the runners in a `TestCommand`. */
  readonly runners: readonly string[];
  /** Those of them that can be asked for single tests of a file. */
  readonly selects?: readonly string[];
  /** Whether a runner can be pointed at a file, that is, whether it is not a helper, fixture or data. */
  isTestFile(path: string): boolean;
  /** The test file whose expectations a file holds, such as a snapshot; null for others. */
  testOfSnapshot?(path: string): string | null;
  /** Splits an id into the file of a test and the names below it, from the outermost suite to the test. */
  splitId(id: string): { file: string; names: string[] };
  /** Lists the names and titles that a test file gives its tests and suites, as a message might quote them. */
  titles(text: string): string[];
  /** Returns the lines of a test and whatever belongs to it alone; empty when the text does not hold it. */
  bodyOf(text: string, id: string): string;
  /** Returns a path for a new test file where the runner finds it: beside `example` if there is one. */
  newFile(mark: string, example: string | null): string;
}

/** Directories of data; whatever it is called, nothing in them is a test. */
const DATA = /(^|\/)(fixtures?|__fixtures__|__snapshots__)\//;
/** Directories that hold data and helpers of tests in some repositories, and sources with their tests in others. */
const MAYBE_DATA = /(^|\/)(data|helpers?)\//;

/** Whether a file is data or a helper of tests. `isNamedAsTest`: its own name says that it is a test. */
export function isTestData(path: string, isNamedAsTest: boolean): boolean {
  return DATA.test(path) || (MAYBE_DATA.test(path) && !isNamedAsTest);
}

/** Cuts a text from `start` up to the next match of `next` (global) after the line of `at`. */
export function upToNext(text: string, { start, at, next }: { start: number; at: number; next: RegExp }): string {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.slice(at);
  const pattern = new RegExp(next);
  pattern.lastIndex = end + 1;
  return text.slice(start, pattern.exec(text)?.index ?? text.length);
}
