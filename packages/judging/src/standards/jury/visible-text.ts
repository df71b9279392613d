import { replaceHarmful } from '@assay/protocol';

export interface VisibleText {
  text: string;
  /** What was changed or stands out, one sentence each; empty for plain text. */
  flags: string[];
}

/** Three or more in a row carry hidden data; an emoji or an Indic syllable needs two. */
const HIDDEN_RUNS = /[\u200c\u200d\ufe00-\ufe0f]{3,}/g;
/** Letters and digits with another shape: full-width, mathematical, circled, ligatures. */
const STYLED = /[^\0-\x7f]/gu;
const STYLED_DIGITS = /[\uff10-\uff19\u{1d7ce}-\u{1d7ff}]/u;

/**
 * Text as a person would see it on paper: what hides, reorders or steers is spelled out (`<U+202E>`), letters in
 * another shape are the plain ones (of Unicode's compatibility forms only these, so that Chinese punctuation and
 * exponents stay). Line feeds and tabs are kept.
 */
export function visibleText(original: string): VisibleText {
  const flags: string[] = [];
  const spelled = new Set<string>();
  const spell = (characters: string): string =>
    Array.from(characters, (character) => {
      const name = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      spelled.add(name);
      return `<${name}>`;
    }).join('');
  const lines = original.toWellFormed().replaceAll('\r\n', '\n');
  const shown = replaceHarmful(lines, (character) => (character === '\t' ? '\t' : spell(character))).replace(
    HIDDEN_RUNS,
    spell,
  );
  if (spelled.size > 0)
    flags.push(
      `characters that hide, reorder or steer are spelled out: ${[...spelled].slice(0, 8).join(', ')}${spelled.size > 8 ? ', …' : ''}`,
    );

  let restyled = 0;
  const text = shown.replace(STYLED, (character) => {
    const plain = character.normalize('NFKC');
    if (!/^[A-Za-z]+$/.test(plain) && !STYLED_DIGITS.test(character)) return character;
    restyled += 1;
    return plain;
  });
  if (restyled > 0)
    flags.push(
      `${restyled} letters or digits in another shape (full-width, mathematical, ligatures) are read as plain ones`,
    );
  return { text, flags };
}
