import { cutAtFormats, type SourceFacet } from '../source-facet.ts';
import { sourceTokens, type Lexicon, type SourceToken } from '../source-tokens.ts';
import { pythonDefinitions } from './python-definitions.ts';

const LEXICON: Lexicon = { comment: /#[^\n]*/y, string: /([A-Za-z]{0,2})("""|'''|"|')/y };

export const pythonSource: SourceFacet = {
  tokens: (text) => sourceTokens(text, LEXICON),
  definitions: pythonDefinitions,
  keywordSign: '=',
  fixedParts,
  messageCalls: /^(?:raises|warns|caplog|fullmatch|assert(?:Raises|Warns)?Regex)$/,
  patternCalls: /^(?:match|assert(?:Raises|Warns|Not)?Regex|search|fullmatch|compile|findall|sub)$/,
};

function fixedParts({ prefix, text }: SourceToken): string[] {
  return prefix.includes('f') ? text.replaceAll('{{', '{').split(/\{[^{}]*\}/) : cutAtFormats(text);
}
