import { MESSAGE_NAMES, type SourceFacet } from '../ecosystems/source-facet.ts';
import { joinedStrings, type SourceToken } from '../ecosystems/source-tokens.ts';

/** A text that a test expects to see, or gives. */
export interface ExpectedText {
  text: string;
  line: number;
  /** It is compared with what an error says, or with output. */
  isMessage: boolean;
}

/** The literals in added lines of a test, patterns as the fixed texts between their metacharacters. */
export function* expectedTexts(
  tokens: readonly SourceToken[],
  added: ReadonlySet<number>,
  { fixedParts, messageCalls, patternCalls }: Pick<SourceFacet, 'fixedParts' | 'messageCalls' | 'patternCalls'>,
): Generator<ExpectedText> {
  for (const token of joinedStrings(tokens)) {
    if (!added.has(token.line) || namesModule(tokens, token.index)) continue;
    const leading = tokens
      .slice(Math.max(0, token.index - 6), token.index)
      .filter(({ kind }) => kind === 'name')
      .map(({ text }) => text);
    const isMessage = leading.some((name) => MESSAGE_NAMES.test(name) || messageCalls.test(name));
    const isPattern = token.prefix.includes('r') || leading.slice(-2).some((name) => patternCalls.test(name));
    const parts = isPattern ? [...patternTexts(token.text), token.text] : fixedParts(token);
    for (const text of parts) if (isExpressive(text)) yield { text, line: token.line, isMessage };
  }
  for (const token of tokens) {
    if (token.kind !== 'regex' || !added.has(token.line)) continue;
    for (const text of patternTexts(token.text))
      if (isExpressive(text)) yield { text, line: token.line, isMessage: true };
  }
}

/** Calls whose text is a module: the test needs it itself, and a name that the fix introduces is found as a name. */
const LOADERS = /^(?:require|import|mock|doMock|unmock|requireActual|requireMock|importActual|importMock)$/;

/** Whether a text is what a test imports, such as `node:v8`. */
function namesModule(tokens: readonly SourceToken[], index: number): boolean {
  const [before, previous] = [tokens[index - 2]?.text ?? '', tokens[index - 1]?.text ?? ''];
  return previous === 'from' || previous === 'import' || (previous === '(' && LOADERS.test(before));
}

function isExpressive(text: string): boolean {
  return text.trim().length >= 4 && /[A-Za-z]{2}/.test(text);
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
