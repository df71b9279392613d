import { joinedStrings, type SourceToken } from '../source-tokens.ts';
import { nodeSource } from './node-source.ts';

const CALLS = new Set(
  'describe it test suite context specify fit fdescribe xit xtest xdescribe xcontext xspecify bench tape ava'.split(
    ' ',
  ),
);
/** Objects whose methods of those names are tests: `t.test('…')`. Regular expressions have a `test` method too. */
const OWNERS = new Set([
  't',
  'tap',
  'tt',
  'ctx',
  'context',
  'suite',
  'test',
  'it',
  'describe',
  'mocha',
  'vitest',
  'globalThis',
]);
const OPEN = new Set(['(', '[', '{']);
const CLOSE = new Set([')', ']', '}']);
/** Placeholders that a runner fills in: `%s`, `$name`, `$a.b`, `${…}`. */
const PLACEHOLDER = /%(?:[sdifjoOcp#$%]|\.\d+f)|\$\{[^}]*\}+|\$[A-Za-z_#][\w.]*/;
const MAX_ROWS = 200;

/**
 * Lists the titles of `describe`, `it`, `test` and the like, with any modifier. A title with placeholders yields the
 * texts between them and, for an `each` table, those with each of the table's texts filled in.
 */
export function testTitles(text: string): string[] {
  const tokens = nodeSource.tokens(text);
  const joined = new Map(joinedStrings(tokens).map((string) => [string.index, string.text]));
  const titles = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'name' || !CALLS.has(token.text)) continue;
    if (tokens[index - 1]?.text === '.' && !OWNERS.has(tokens[index - 2]?.text ?? '')) continue;
    const call = readCall(tokens, index + 1);
    const title = call === null ? undefined : joined.get(call.title);
    if (call === null || title === undefined) continue;
    for (const each of filled(title, call.rows)) titles.add(each);
  }
  return [...titles];
}

/** Finds the title of a call and the texts of its table. `at` is the token after the function's name. */
function readCall(tokens: readonly SourceToken[], at: number): { title: number; rows: string[] } | null {
  let rows: string[] = [];
  while (tokens[at]?.text === '.' && tokens[at + 1]?.kind === 'name') {
    const isTable = /^(?:each|for)$/.test(tokens[at + 1]?.text ?? '');
    at = skipTypes(tokens, at + 2);
    if (!isTable && !/^(?:skipIf|runIf|if|extend)$/.test(tokens[at - 1]?.text ?? '')) continue;
    const end = tokens[at]?.kind === 'string' ? at + 1 : closing(tokens, at);
    if (isTable) rows = tableTexts(tokens.slice(at, end));
    at = end;
  }
  return tokens[at]?.text === '(' && tokens[at + 1]?.kind === 'string' ? { title: at + 1, rows } : null;
}

/** Lists the texts in an array of rows, or between the bars of a template. */
function tableTexts(tokens: readonly SourceToken[]): string[] {
  return tokens
    .filter(({ kind }) => kind === 'string')
    .flatMap(({ prefix, text }) =>
      prefix === '`' ? [...text.matchAll(/\$\{\s*(['"])(.*?)\1\s*\}/g)].map((match) => match[2] ?? '') : [text],
    )
    .slice(0, MAX_ROWS);
}

function* filled(title: string, rows: readonly string[]): Generator<string> {
  if (!PLACEHOLDER.test(title)) {
    yield title;
    return;
  }
  yield* title
    .split(new RegExp(PLACEHOLDER, 'g'))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const row of rows) yield title.replace(PLACEHOLDER, () => row);
}

function skipTypes(tokens: readonly SourceToken[], at: number): number {
  if (tokens[at]?.text !== '<') return at;
  let depth = 0;
  for (let end = at; end < tokens.length && end < at + 200; end += 1) {
    if (tokens[end]?.text === '<') depth += 1;
    if (tokens[end]?.text === '>') depth -= 1;
    if (depth === 0) return end + 1;
  }
  return at;
}

/** Returns the index of the token after the bracket that closes the one at `open`. */
function closing(tokens: readonly SourceToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at] ?? { kind: 'name', text: '' };
    if (kind !== 'punctuation') continue;
    if (OPEN.has(text)) depth += 1;
    if (CLOSE.has(text)) depth -= 1;
    if (depth <= 0) return at + 1;
  }
  return tokens.length;
}
