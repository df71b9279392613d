/**
 * Control characters but line feed (those of Latin-1 too, which some terminals obey as CSI and OSC); whatever reorders
 * text or has no width; separators and annotations. Joiners and variation selectors stay: emoji and Indic scripts are
 * made of them.
 */
const HARMFUL = new RegExp(
  String.raw`[[\p{Cc}--\n]\p{Bidi_Control}[\p{Default_Ignorable_Code_Point}--[\u034f\u200c\u200d\ufe00-\ufe0f]]\p{Zl}\p{Zp}\ufff9-\ufffb]`,
  'gv',
);

/**
 * Foreign text as it may be shown on a terminal: what could move the cursor, overwrite, recolour, reorder, hide, set
 * the title or reach the clipboard becomes a visible mark. Line feeds stay, as the only control character. The seal
 * `terminal`.
 */
export function harmlessText(text: string): string {
  return replaceHarmful(text.toWellFormed().replaceAll('\r\n', '\n'), visible);
}

/** Replaces each character that is not harmless. */
export function replaceHarmful(text: string, replacement: (character: string) => string): string {
  return text.replace(HARMFUL, replacement);
}

function visible(character: string): string {
  if (character === '\t') return '    ';
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a picture of each ASCII control character.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
