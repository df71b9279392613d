import type { SplitTool } from './split-facet.ts';

/**
 * How sources of the language are compared as texts: by what its parser reads, without comments, documentation and
 * layout, so that two that differ in those alone are equal.
 */
export interface CompareFacet {
  /**
   * Returns the program that reads sources. It runs in a sandbox, since a submission may be made to break a parser,
   * reads `{ sources: [{ path, text }] }` as JSON from standard input, and writes as JSON, for each of them, the list
   * of its tokens, or null for one that does not parse.
   */
  tool(environment: Readonly<Record<string, string>>): SplitTool;
  /** Base image of tasks that are compared: it has the language's interpreter. */
  readonly image: string;
  /** The command of the program in the verifier's image, where its files lie in `/opt/compare`. */
  readonly command: readonly string[];
  /**
   * Lists those files: name to content. `classify.mjs` exports `classify`, which does what the ecosystem's does.
   */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
}
