import { cutAtFormats, type SourceFacet } from '../source-facet.ts';
import { sourceTokens, type Lexicon, type SourceToken } from '../source-tokens.ts';
import { nodeDefinitions } from './node-definitions.ts';

const LEXICON: Lexicon = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*/y,
  string: /()(["'`])/y,
  regexMayStart,
};

/** JavaScript and TypeScript. */
export const nodeSource: SourceFacet = {
  tokens: (text) => sourceTokens(text, LEXICON),
  definitions: nodeDefinitions,
  keywordSign: ':',
  fixedParts: ({ prefix, text }) => (prefix === '`' ? text.split(/\$\{[^}]*\}+/) : cutAtFormats(text)),
  messageCalls: /^(?:throws|rejects|toThrow|toThrowError|toMatch|toMatchObject)$/,
  // A pattern is a literal, or the argument of `match`.
  patternCalls: /^(?:match|search|compile)$/,
};

/** A slash divides after a value and starts a pattern elsewhere. */
function regexMayStart(previous: SourceToken | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === 'name')
    return /^(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield)$/.test(previous.text);
  return previous.kind === 'punctuation' && !/^[)\]}]$/.test(previous.text);
}
