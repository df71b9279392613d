import type { SourceToken } from './source-tokens.ts';

/**
 * How a name is defined. `local` cannot be seen from outside; `parameter` can be named by callers, in languages that
 * allow it.
 */
export type DefinitionKind = 'global' | 'member' | 'parameter' | 'local' | 'import';

export interface Definition {
  name: string;
  kind: DefinitionKind;
  line: number;
}

/** How to read a source: lightly, without a parser, and without ever failing. */
export interface SourceFacet {
  tokens(text: string): SourceToken[];
  /** Finds what a source defines, roughly: functions, classes, variables, attributes, parameters, imported names. */
  definitions(tokens: readonly SourceToken[]): Definition[];
  /** Stands between the name of an argument and its value. */
  readonly keywordSign: string;
}
