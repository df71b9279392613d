/** A piece of source text. Comments and white space are not tokens. */
export interface SourceToken {
  kind: 'name' | 'number' | 'string' | 'regex' | 'punctuation';
  /** For a string, the text between its quotes with escapes undone; for a regex, its source. */
  text: string;
  /** Line, from 1. */
  line: number;
  /** Width of the white space before the first token of its line; -1 for the others. */
  indent: number;
  /** Offsets of its first character and of the one after its last. */
  start: number;
  end: number;
  /** For a string, the letters before its quote (`rb`), or a backquote. */
  prefix: string;
}

const SPACE = /[ \t\f\r\n\\\ufeff]+/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const PUNCTUATION = /\*\*=?|=>|===?|!==?|<=|>=|\?\.|\?\?|&&|\|\||\.\.\.|->|:=|\+=|-=|[^\s]/y;
const REGEX = /\/((?:[^\n/\\[]|\\.|\[(?:[^\n\]\\]|\\.)*\])+)\/[dgimsuvy]*/y;

/** Patterns of a language's strings and comments, all sticky. */
export interface Lexicon {
  comment: RegExp;
  /** The start of a string: group 1 holds the letters before its quote, group 2 the quote. */
  string: RegExp;
  /** Whether a slash after this token starts a regular expression. Absent in languages that have none. */
  regexMayStart?: (previous: SourceToken | undefined) => boolean;
}

/** Splits a source into tokens: just enough to tell names, strings and comments apart. */
export function sourceTokens(text: string, { comment, string: quote, regexMayStart }: Lexicon): SourceToken[] {
  const tokens: SourceToken[] = [];
  let line = 1;
  let at = 0;
  let lastLine = 0;
  let lineStart = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const push = (kind: SourceToken['kind'], value: string, length: number, prefix = ''): void => {
    const indent = line === lastLine ? -1 : at - lineStart;
    tokens.push({ kind, text: value, line, indent, start: at, end: at + length, prefix });
    advance(length);
    lastLine = line;
  };
  const advance = (length: number): void => {
    for (let index = at; index < at + length; index += 1) {
      if (text[index] !== '\n') continue;
      line += 1;
      lineStart = index + 1;
    }
    at += length;
  };
  while (at < text.length) {
    const skipped = take(SPACE) ?? take(comment);
    if (skipped !== null) {
      advance(skipped.length);
      continue;
    }
    quote.lastIndex = at;
    const opening = quote.exec(text);
    const value =
      opening === null || !/^[rbufRBUF]*$/.test(opening[1] ?? '')
        ? null
        : stringAt(text, at + opening[0].length, opening[2] ?? '');
    if (opening !== null && value !== null) {
      const prefix = opening[2] === '`' ? '`' : (opening[1] ?? '').toLowerCase();
      push('string', prefix.includes('r') ? value.raw : unescape(value.raw), opening[0].length + value.length, prefix);
      continue;
    }
    const pattern = regexMayStart?.(tokens.at(-1)) ? take(REGEX) : null;
    if (pattern !== null) {
      push('regex', pattern.slice(1, pattern.lastIndexOf('/')), pattern.length);
      continue;
    }
    const name = take(NAME);
    const number = name === null ? take(NUMBER) : null;
    const token = name ?? number ?? take(PUNCTUATION) ?? text.charAt(at);
    push(name !== null ? 'name' : number !== null ? 'number' : 'punctuation', token, Math.max(1, token.length));
  }
  return tokens;
}

/**
 * Returns the inside of a string that starts at `start`, and the length up to and including the closing quote; null
 * when it does not end.
 */
function stringAt(text: string, start: number, quote: string): { raw: string; length: number } | null {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (quote.length === 1 && quote !== '`' && text[at] === '\n') return null;
    else if (quote === '`' && text.startsWith('${', at)) at = skipPlaceholder(text, at + 2);
    else if (text.startsWith(quote, at)) return { raw: text.slice(start, at), length: at + quote.length - start };
  }
  return null;
}

function skipPlaceholder(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f', v: '\v' };

function unescape(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(/\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|[\s\S])/g, (_, escape: string) => {
    const code = /^[ux]\{?([0-9a-fA-F]+)/.exec(escape)?.[1];
    if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
    if (escape.endsWith('\n')) return '';
    // Python keeps the backslash of an unknown escape; comparisons ignore backslashes.
    return ESCAPES[escape] ?? escape;
  });
}

/** A string literal and the index of its token. */
export interface JoinedString extends SourceToken {
  index: number;
}

/** Returns the strings, with adjacent ones and those joined by `+` as one: `"Cannot read " "the trailer"`. */
export function joinedStrings(tokens: readonly SourceToken[]): JoinedString[] {
  const joined: JoinedString[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'string') continue;
    const first = index;
    let text = token.text;
    for (let next = index + 1; next < tokens.length;) {
      const at = tokens[next]?.text === '+' && tokens[next]?.kind === 'punctuation' ? next + 1 : next;
      const following = tokens[at];
      if (following?.kind !== 'string' || (following.indent < 0 && following.line !== token.line && at === next)) break;
      text += following.text;
      index = at;
      next = at + 1;
    }
    joined.push({ ...token, text, index: first });
  }
  return joined;
}
