/**
 * Invisible characters: zero-width ones, soft hyphens, direction controls, variation selectors, tags, other controls.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e01ef}]/gu;
const DASHES = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g;
const NAMED_ENTITIES: Record<string, string> = {
  num: '#',
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  commat: '@',
  period: '.',
  sol: '/',
  excl: '!',
  lbrack: '[',
  rbrack: ']',
  lpar: '(',
  rpar: ')',
  hyphen: '-',
  colon: ':',
  ZeroWidthSpace: '',
};

/** Lists the hidden characters of a text, as `U+200B`. None of them belongs in an instruction. */
export function hiddenCharacters(text: string): string[] {
  return [
    ...new Set(
      (text.match(HIDDEN) ?? []).map(
        (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
      ),
    ),
  ];
}

/**
 * Returns a text as a reader sees it: hidden characters and HTML comments removed, compatibility forms (full-width
 * digits, ligatures) normalised, entities decoded, Markdown escapes undone, one kind of dash and line ending.
 */
export function revealText(text: string): string {
  return decodeEntities(text.normalize('NFKC').replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n'))
    .normalize('NFKC')
    .replace(HIDDEN, '')
    .replace(DASHES, '-')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/\\([#!@[\]()*_.<>-])(?=[\w#!@[\]()*_.<>/-])/g, '$1');
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:amp;)*(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,16});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED_ENTITIES[name] ?? NAMED_ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
