import type { SourceToken } from './source-tokens.ts';

/**
 * How a name comes into being. `local` can be seen by nobody outside; `parameter` is one that callers can name, where a
 * language has these.
 */
export type DefinitionKind = 'global' | 'member' | 'parameter' | 'local' | 'import';

export interface Definition {
  name: string;
  kind: DefinitionKind;
  line: number;
}

/** How a source of the ecosystem is read: lightly, without a parser, and never failing. */
export interface SourceFacet {
  tokens(text: string): SourceToken[];
  /** What a source defines, roughly: functions, classes, variables, attributes, parameters, imported names. */
  definitions(tokens: readonly SourceToken[]): Definition[];
  /** Stands between the name of an argument and its value. */
  readonly keywordSign: string;
}
