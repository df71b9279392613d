import { harmlessText, replaceHarmful } from '@assay/protocol/harmless-text';

/** Foreign text for one line: as `harmlessText`, and runs of white space, line feeds among them, become one blank. */
export function harmlessLine(text: string): string {
  return harmlessText(text.replace(/[\s\u0085]+/g, ' ').trim());
}

/** JSON text in which harmful characters are escapes: safe on a terminal, and parses to the same value. */
export function harmlessJson(value: unknown): string {
  return replaceHarmful(JSON.stringify(value, null, 2), (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
