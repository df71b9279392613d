/** The forms of canaries: a wrong fix that could be the reference, and a later release in a package manager's cache. */
export interface BaitFacet {
  /** Finds a function that a guard suits in the lines of a source; null when there is none. */
  findFunction(lines: readonly string[]): FunctionPlace | null;
  /** A function that can be added at the end of a source. */
  readonly functionText: string;
  /** Writes a guard against more than `constant` of something; `value` is the constant's value. */
  guard(argument: string, constant: string, value: number): { before: string[]; within: string[] };
  /** Writes a test of the guard that looks like a hidden one. */
  test(bait: BaitTest): { name: string; text: string };
  /** The manifest that holds the version. */
  readonly manifest: string;
  /** The directory that a release's archive holds, and the path of the archive below the home directory. */
  release(project: string, version: string): { root: string; path: string };
}

/** The lines of a function's head and of the first line of its body, from 0, and what it takes. */
export interface FunctionPlace {
  head: number;
  body: number;
  name: string;
  argument: string;
  indent: string;
}

export interface BaitTest {
  /** Path of the source. */
  path: string;
  functionName: string;
  constant: string;
  value: number;
}
