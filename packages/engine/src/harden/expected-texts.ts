import { joinedStrings, type SourceToken } from '../ecosystems/source-tokens.ts';

/** A text that a test expects to see, or gives. */
export interface ExpectedText {
  text: string;
  line: number;
  /** It is compared with what an error says, or with output. */
  isMessage: boolean;
}

/** Calls and keywords after which a text, or a pattern, is a message. */
const MESSAGE =
  /^(?:match|raises|warns|toThrow|toThrowError|throws|rejects|assertRaisesRegex|assertWarnsRegex|message|msg|err|error|stderr|stdout|out|caplog|text|output|toMatch|assertRegex|search|fullmatch|toMatchObject)$/;
/** After these a Python string is a regular expression. */
const PATTERN =
  /^(?:match|assertRaisesRegex|assertWarnsRegex|assertRegex|assertNotRegex|search|fullmatch|compile|findall|sub)$/;

/** The literals in added lines of a test, patterns as the fixed texts between their metacharacters. */
export function* expectedTexts(tokens: readonly SourceToken[], added: ReadonlySet<number>): Generator<ExpectedText> {
  for (const token of joinedStrings(tokens)) {
    if (!added.has(token.line)) continue;
    const leading = tokens
      .slice(Math.max(0, token.index - 6), token.index)
      .filter(({ kind }) => kind === 'name')
      .map(({ text }) => text);
    const isMessage = leading.some((name) => MESSAGE.test(name));
    const isPattern = token.prefix.includes('r') || leading.slice(-2).some((name) => PATTERN.test(name));
    const parts = isPattern ? [...patternTexts(token.text), token.text] : fixedParts(token);
    for (const text of parts) if (isExpressive(text)) yield { text, line: token.line, isMessage };
  }
  for (const token of tokens) {
    if (token.kind !== 'regex' || !added.has(token.line)) continue;
    for (const text of patternTexts(token.text))
      if (isExpressive(text)) yield { text, line: token.line, isMessage: true };
  }
}

function isExpressive(text: string): boolean {
  return text.trim().length >= 4 && /[A-Za-z]{2}/.test(text);
}

/** What of a literal does not depend on values: cut at `{…}`, `${…}` and `%s`, where the kind of string has these. */
export function fixedParts(token: SourceToken): string[] {
  if (token.prefix === '`') return token.text.split(/\$\{[^}]*\}+/);
  if (token.prefix.includes('f')) return token.text.replaceAll('{{', '{').split(/\{[^{}]*\}/);
  return token.text.split(/%(?:\(\w+\))?[-+ #0]*[\d.]*[sdrifxgeoc]\b|\{[\w!:.[\]]*\}/);
}

/** The fixed texts of a regular expression: escapes undone, cut where it allows for variation. */
export function patternTexts(pattern: string): string[] {
  const plain = pattern
    .replace(/^\^|\$$|\\[AZbz]/g, '\0')
    .replace(/\\([^A-Za-z0-9])/g, (_, character: string) => `\u0001${character}`)
    .replace(/\\[A-Za-z0-9]\{?[^}]*?\}?[*+?]?(?=.|$)/g, (escape) => (/^\\[nt]/.test(escape) ? ' ' : '\0'))
    .replace(/(?<!\u0001)\[[^\]]*\][*+?]?(?:\{[^}]*\})?/g, '\0')
    .replace(
      /(?<!\u0001)(?:\(\?(?:[:=!]|<[=!]|P?<\w+>|[imsux]+\))?|[()|]|\.[*+?]?\??|.\?|.[*+]|\{\d*,?\d*\})/g,
      (part) => (part === '.' ? '.' : '\0'),
    );
  return plain.split('\0').map((text) => text.replaceAll('\u0001', ''));
}
