import { replaceHarmful } from '@assay/protocol';

export interface VisibleText {
  text: string;
  /** One sentence for each thing that was changed or stands out. Empty for plain text. */
  flags: string[];
}

const PICTURE = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\ufe0f]`;
/** Letters and marks of scripts in which joiners decide how words look. */
const JOINED = String.raw`[[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]&&[\p{L}\p{M}]]`;
/**
 * Joiners, variation selectors and noncharacters can carry hidden data: sixteen selectors alone make four bits a
 * letter. They stay where writing needs them: in emoji, in keycaps, and one joiner after a letter of a script that
 * joins.
 */
const HIDDEN = new RegExp(
  [
    String.raw`\p{Noncharacter_Code_Point}|[\u034f\ufe00-\ufe0d]`,
    String.raw`(?<!${PICTURE})(?<![0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]`,
    String.raw`(?<!${JOINED})(?<!${PICTURE}(?=\u200d\p{Extended_Pictographic}))[\u200c\u200d]`,
  ].join('|'),
  'gv',
);
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
    HIDDEN,
    spell,
  );
  if (spelled.size > 0)
    flags.push(
      'characters that hide, reorder or steer are spelled out: ' +
        `${[...spelled].slice(0, 8).join(', ')}${spelled.size > 8 ? ', …' : ''}`,
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
