import type { Definition, DefinitionKind } from '../source-facet.ts';
import type { SourceToken } from '../source-tokens.ts';

const NODE_DECLARATIONS = new Set(['function', 'class', 'interface', 'type', 'enum', 'namespace']);
const NODE_STATEMENTS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'await',
  'typeof',
  'super',
  'new',
  'throw',
  'yield',
  'do',
  'else',
  'constructor',
]);

/** See `SourceFacet.definitions`. */
export function nodeDefinitions(tokens: readonly SourceToken[]): Definition[] {
  const found: Definition[] = [];
  const braces: string[] = [];
  let declaring = -1;
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    const next = tokens[index + 1];
    const add = (kind: DefinitionKind): void => void found.push({ name: token.text, kind, line: token.line });
    if (/^[({[]$/.test(token.text) && token.kind === 'punctuation')
      braces.push(token.text === '{' ? braceKind(tokens, index) : token.text);
    if (/^[)}\]]$/.test(token.text) && token.kind === 'punctuation') braces.pop();
    if (declaring > braces.length || token.text === ';' || token.text === '=') declaring = -1;
    if (token.kind !== 'name') continue;
    const top = braces.length === 0;
    const scope: DefinitionKind = top ? 'global' : 'local';
    if (/^(?:const|let|var)$/.test(token.text)) declaring = braces.length;
    else if (NODE_DECLARATIONS.has(previous?.text ?? '') && previous?.kind === 'name') add(scope);
    else if (previous?.text === '*' && tokens[index - 2]?.text === 'function') add(scope);
    else if (declaring >= 0 && next?.text !== ':' && next?.text !== '(' && previous?.text !== '.')
      add(isImported(tokens, index) ? 'import' : scope);
    else if (isImported(tokens, index)) add('import');
    else if (previous?.text === '.' && next?.text === '=') add('member');
    else if (previous?.text === '.' && /^(?:prototype|exports)$/.test(tokens[index - 2]?.text ?? '')) add('member');
    else if (
      (next?.text === ':' || next?.text === '?') &&
      /^[{,;}|]$/.test(previous?.text ?? '') &&
      braces.at(-1) !== '('
    )
      add('member');
    else if (next?.text === '=' && /^[{,;}]$/.test(previous?.text ?? '')) add('member');
    else if (/^[{,]$/.test(previous?.text ?? '') && /^[,}]$/.test(next?.text ?? '') && braces.at(-1) !== '(')
      add('member');
    else if (
      next?.text === '(' &&
      braces.at(-1) === 'body' &&
      !NODE_STATEMENTS.has(token.text) &&
      startsBody(tokens, index + 1)
    )
      add('member');
    else if (
      /^(?:static|readonly|public|private|protected|get|set|async|#|abstract|override)$/.test(previous?.text ?? '')
    )
      add('member');
    else if (
      token.indent >= 0 &&
      (next?.text === ':' || (next?.text === '?' && tokens[index + 2]?.text === ':')) &&
      braces.at(-1) === 'body'
    )
      add('member');
    else if (previous?.text === '(' || previous?.text === ',' || next?.text === '=>') add('local');
  }
  return found;
}

function braceKind(tokens: readonly SourceToken[], index: number): string {
  const previous = tokens[index - 1]?.text ?? '';
  return previous === '(' || previous === ',' || previous === '=' || previous === 'return' ? 'object' : 'body';
}

function isImported(tokens: readonly SourceToken[], index: number): boolean {
  for (let at = index - 1; at >= 0 && at > index - 60; at -= 1) {
    const text = tokens[at]?.text;
    if (text === 'import') return true;
    if (text === ';' || text === '(' || text === '=' || text === 'from') return false;
  }
  return false;
}

/** Whether a body follows the parameters that start at `open`, as in a method and unlike in a call. */
function startsBody(tokens: readonly SourceToken[], open: number): boolean {
  let depth = 0;
  for (let at = open; at < tokens.length && at < open + 400; at += 1) {
    const text = tokens[at]?.text;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth === 0) {
      const after = tokens[at + 1]?.text;
      return after === '{' || after === ':';
    }
  }
  return false;
}
