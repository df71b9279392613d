/**
 * Makes foreign text safe to show on a terminal: what could move the cursor, overwrite, recolour, reorder, hide, set the title or reach
 * the clipboard becomes a visible mark instead. Line feeds stay, as the only control character. The seal `terminal`.
 */
export function harmless(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, visible);
}

/** The same on one line: runs of white space, line feeds among them, become one blank. */
export function harmlessLine(text: string): string {
  return harmless(text.replace(/[\s\u0085]+/g, ' ').trim());
}

/**
 * Control characters but line feed (those of Latin-1 too, which some terminals obey as CSI and OSC); whatever reorders text or has no
 * width; separators and annotations. Joiners and variation selectors stay: emoji and Indic scripts are made of them.
 */
const DANGEROUS = new RegExp(
  String.raw`[[\p{Cc}--\n]\p{Bidi_Control}[\p{Default_Ignorable_Code_Point}--[\u034f\u200c\u200d\ufe00-\ufe0f]]\p{Zl}\p{Zp}\ufff9-\ufffb]`,
  'gv',
);

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\t') return '    ';
  // Unicode has a picture of each ASCII control character.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** JSON text in which the same characters are escapes, so that it is safe on a terminal and parses to the same value. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(DANGEROUS, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
