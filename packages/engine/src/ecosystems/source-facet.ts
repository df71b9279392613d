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
  /** The parts of a string that depend on no value: what is left around its placeholders. */
  fixedParts(token: SourceToken): string[];
  /** Names of calls and keywords, beside the {@link MESSAGE_NAMES}, after which a text or a pattern is a message. */
  readonly messageCalls: RegExp;
  /** Those after which a string is the source of a regular expression. */
  readonly patternCalls: RegExp;
}

/** Names that hold or take messages in any language. */
export const MESSAGE_NAMES = /^(?:message|msg|err|error|stderr|stdout|out|text|output|match|search)$/;

/** Cuts a text at `%s`, `%(name)d`, `{}` and `{name}`. */
export function cutAtFormats(text: string): string[] {
  return text.split(/%(?:\(\w+\))?[-+ #0]*[\d.]*[sdrifxgeoc]\b|\{[\w!:.[\]]*\}/);
}
