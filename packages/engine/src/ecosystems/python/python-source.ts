import type { SourceFacet } from '../source-facet.ts';
import { sourceTokens, type Lexicon } from '../source-tokens.ts';
import { pythonDefinitions } from './python-definitions.ts';

const LEXICON: Lexicon = { comment: /#[^\n]*/y, string: /([A-Za-z]{0,2})("""|'''|"|')/y };

export const pythonSource: SourceFacet = {
  tokens: (text) => sourceTokens(text, LEXICON),
  definitions: pythonDefinitions,
  keywordSign: '=',
};
