import { createTwoFilesPatch } from 'diff';
import type { BaitFacet } from '../ecosystems/bait-facet.ts';
import type { Mark } from './mark.ts';

/** A file of T0. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface WrongFix {
  path: string;
  /** The whole file, with the guard in it. */
  text: string;
  /** A unified diff against T0. */
  patch: string;
  /** A test of the guard. */
  test: { name: string; text: string };
}

/**
 * Writes a fix that fixes nothing: a guard against more than an odd number of something. The number and the name of its
 * constant are the mark. Returns null when the file has no suitable function.
 */
export function writeWrongFix(source: SourceFile, mark: Mark, bait: BaitFacet): WrongFix | null {
  return guard(source, source.text, { mark, bait });
}

/** Like {@link writeWrongFix}, but in a function that is added at the end. */
export function appendWrongFix(source: SourceFile, mark: Mark, bait: BaitFacet): WrongFix | null {
  const { text } = source;
  return guard(source, `${text}${text.endsWith('\n') ? '' : '\n'}${bait.functionText}`, { mark, bait });
}

function guard(
  { path, text }: SourceFile,
  grown: string,
  { mark, bait }: { mark: Mark; bait: BaitFacet },
): WrongFix | null {
  const lines = grown.split('\n');
  const place = bait.findFunction(lines);
  if (place === null) return null;
  const constant = mark.identifier.toUpperCase();
  const { before, within } = bait.guard(place.argument, constant, mark.constant);
  const fixed = [
    ...lines.slice(0, place.head),
    ...before,
    ...lines.slice(place.head, place.body),
    ...within.map((line) => place.indent + line),
    ...lines.slice(place.body),
  ].join('\n');
  return {
    path,
    text: fixed,
    patch: createTwoFilesPatch(`a/${path}`, `b/${path}`, text, fixed, '', '', { context: 3 }).replace(/^=+\n/, ''),
    test: bait.test({ path, functionName: place.name, constant, value: mark.constant }),
  };
}
