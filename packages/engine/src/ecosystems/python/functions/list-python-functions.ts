import type { FunctionParameter, SourceFunction } from '../../function-facet.ts';
import type { SourceToken } from '../../source-tokens.ts';
import { pythonSource } from '../python-source.ts';

const BRANCHES = new Set(['if', 'elif', 'for', 'while', 'except', 'and', 'or']);
/** Classes that the exception of a stub is an instance of. */
const ABOVE_STUB = new Set(['NotImplementedError', 'RuntimeError', 'Exception', 'BaseException']);
/** Names by which a function reaches for more than its arguments, or beyond its answer. */
const IMPURE =
  /^(?:open|input|print|exec|eval|globals|locals|setattr|delattr|id|os|subprocess|shutil|socket|time|now|utcnow|today|random|uuid\d?|secrets|threading|asyncio|logging|logger|log|warnings|warn|tempfile|urlopen|requests|stdout|stderr|stdin|argv|environ|getenv|global|nonlocal|weakref|ctypes|gc|inspect|traceback|__import__|import_module|await|self|cls)$/;

/**
 * Lists the functions that a module defines at its top level for others: no underscore, in `__all__` where there is one, not
 * decorated, not asynchronous, with a parameter and a body on lines of its own.
 */
export function listPythonFunctions(text: string, unlisted = false): SourceFunction[] {
  const tokens = pythonSource.tokens(text);
  const offered = unlisted ? null : offeredNames(tokens);
  const statements = topLevel(tokens);
  return statements.flatMap((statement, index) => {
    const [first, name] = statement;
    const isDecorated = statements[index - 1]?.[0]?.text === '@';
    if (first?.text !== 'def' || !name || isDecorated || name.text.startsWith('_')) return [];
    if (offered !== null && !offered.has(name.text)) return [];
    return functionOf(text, statement, name.text) ?? [];
  });
}

/** Statements that begin at the left edge, each with all tokens up to the next. */
function topLevel(tokens: readonly SourceToken[]): SourceToken[][] {
  const statements: SourceToken[][] = [];
  let depth = 0;
  for (const token of tokens) {
    const own = statements.at(-1);
    if (token.indent === 0 && depth === 0) statements.push([token]);
    else own?.push(token);
    if (token.kind !== 'punctuation') continue;
    if (/^[([{]$/.test(token.text)) depth += 1;
    if (/^[)\]}]$/.test(token.text)) depth -= 1;
  }
  return statements;
}

function offeredNames(tokens: readonly SourceToken[]): Set<string> | null {
  const at = tokens.findIndex(({ text, indent }) => text === '__all__' && indent === 0);
  if (at < 0 || tokens[at + 1]?.text !== '=') return null;
  const end = tokens.findIndex(({ text }, index) => index > at && /^[)\]]$/.test(text));
  return new Set(tokens.slice(at, end).flatMap(({ kind, text }) => (kind === 'string' ? [text] : [])));
}

function functionOf(text: string, statement: readonly SourceToken[], name: string): SourceFunction | null {
  const close = closingOf(statement, 2);
  const colon = statement.findIndex(
    (token, index) => index > close && token.text === ':' && (statement[index + 1]?.indent ?? -1) > 0,
  );
  const start = statement[2];
  const last = statement.at(-1);
  if (close < 0 || colon < 0 || !start || !last) return null;
  const inside = statement.slice(colon + 1);
  const [first] = inside;
  const documented = first?.kind === 'string' && !first.prefix.includes('f') && (inside[1]?.indent ?? -1) > 0;
  const code = documented ? inside.slice(1) : inside;
  const [opening] = code;
  if (!first || !opening) return null;
  const lead = documented ? first : statement[colon];
  const parameters = parametersOf(text, statement.slice(3, close));
  if (!lead || parameters.length === 0) return null;
  const impure = code.find(({ kind, text: word }) => kind === 'name' && IMPURE.test(word));
  return {
    name,
    signature: onOneLine(text, statement.slice(1, colon)),
    documentation: documented ? cleanDocumentation(first.text) : '',
    parameters,
    body: { start: lineAfter(text, lead.end), end: lineAfter(text, last.end) - 1 },
    stub: `${text.slice(opening.start - opening.indent, opening.start)}raise NotImplementedError`,
    raises: code.flatMap(({ text: word }, index) => {
      const raised = word === 'raise' ? code[index + 1]?.text : undefined;
      return raised !== undefined && !ABOVE_STUB.has(raised) ? [raised] : [];
    }),
    lines: new Set(code.map(({ line }) => line)).size,
    branches: code.filter(({ kind, text: word }) => kind === 'name' && BRANCHES.has(word)).length,
    impure: impure?.text ?? null,
    binding: { kind: 'named', isModule: true },
  };
}

/** The text of some tokens, without line ends and comments. */
function onOneLine(text: string, tokens: readonly SourceToken[]): string {
  const parts = tokens.map(({ start, end }, index) => {
    const gap = index === 0 ? '' : text.slice(tokens[index - 1]?.end, start);
    return `${gap.includes('\n') ? ' ' : gap}${text.slice(start, end)}`;
  });
  return parts.join('').replaceAll(/\s+/g, ' ').replace('( ', '(').replace(/,? \)/, ')');
}

/** Offset of the next line; one past the end where there is none. */
function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length + 1 : end + 1;
}

function closingOf(tokens: readonly SourceToken[], from: number): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index += 1) {
    const word = tokens[index]?.kind === 'punctuation' ? tokens[index]?.text : '';
    if (/^[([{]$/.test(word ?? '')) depth += 1;
    if (/^[)\]}]$/.test(word ?? '')) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function parametersOf(text: string, tokens: readonly SourceToken[]): FunctionParameter[] {
  const parts: SourceToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'punctuation') {
      if (/^[([{]$/.test(token.text)) depth += 1;
      if (/^[)\]}]$/.test(token.text)) depth -= 1;
      if (token.text === ',' && depth === 0) {
        parts.push([]);
        continue;
      }
    }
    parts.at(-1)?.push(token);
  }
  return parts.flatMap((part) => {
    const isMany = /^\*/.test(part[0]?.text ?? '');
    const [named, ...rest] = part.filter(({ text: word }, index) => !(index < 2 && /^(?:\*+|\/)$/.test(word)));
    if (named?.kind !== 'name') return [];
    const equals = rest.findIndex(({ text: word }) => word === '=');
    const source = (from: number, to: number): string => text.slice(rest[from]?.start, rest[to - 1]?.end);
    const typeEnd = equals < 0 ? rest.length : equals;
    return [
      {
        name: named.text,
        isOptional: isMany || equals >= 0,
        ...(rest[0]?.text === ':' && typeEnd > 1 ? { type: source(1, typeEnd) } : {}),
        ...(equals >= 0 ? { default: source(equals + 1, rest.length) } : {}),
      },
    ];
  });
}

/** As `inspect.cleandoc` does: the lines after the first lose the indentation that they share. */
function cleanDocumentation(text: string): string {
  const [first = '', ...rest] = text.replaceAll('\t', '        ').split('\n');
  const widths = rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const width = Math.min(...widths, 200);
  return [first.trim(), ...rest.map((line) => line.slice(width).trimEnd())].join('\n').trim();
}
