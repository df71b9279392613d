import {
  applyEdits,
  type MutableSource,
  type MutateFacet,
  type SourceMutant,
  type SourceRewrite,
} from '../../mutate-facet.ts';
import { findNodeMutants } from './find-node-mutants.ts';
import { findNodeRewrites } from './find-node-rewrites.ts';
import { parseSource } from './parse-source.ts';

/** Sources beyond this are generated, and every mutant has to be parsed. */
const MAX_CHARACTERS = 400_000;
const MOST = 150;

/** JavaScript and TypeScript, parsed here: a parser that is written in JavaScript runs nothing of what it reads. */
export const nodeMutate: MutateFacet = {
  mutants: async (sources) => sources.map(mutantsOf),
  rewrites: async (sources) => sources.map(rewritesOf),
};

function mutantsOf({ path, text, lines, proposed }: MutableSource): SourceMutant[] {
  const parsed = text.length > MAX_CHARACTERS ? null : parseSource(path, text);
  if (!parsed) return [];
  const before = parsed.tokens.join('\n');
  const holds = ({ edits }: SourceMutant): boolean => {
    const after = parseSource(path, applyEdits(text, edits));
    return after !== null && after.tokens.join('\n') !== before;
  };
  return [...spread(findNodeMutants(parsed.program, text, lines)), ...proposed].filter((mutant) => holds(mutant));
}

function rewritesOf({ path, text, lines }: Pick<MutableSource, 'path' | 'text' | 'lines'>): SourceRewrite[] {
  const parsed = text.length > MAX_CHARACTERS ? null : parseSource(path, text);
  if (!parsed) return [];
  return findNodeRewrites(parsed.program, text, lines).filter(
    ({ edits }) => parseSource(path, applyEdits(text, edits)) !== null,
  );
}

function spread<T>(items: readonly T[]): readonly T[] {
  if (items.length <= MOST) return items;
  return items.filter(
    (_, index) => Math.floor((index * MOST) / items.length) !== Math.floor(((index - 1) * MOST) / items.length),
  );
}
