import type { SourceToken } from '../ecosystems/source-tokens.ts';

/** How many tokens an import statement has at most. */
const LONGEST = 200;

/** Finds where each name that a file imports comes from: `v8` from `node:v8`, `tempfile` from `tempfile`. */
export function importSources(tokens: readonly SourceToken[]): Map<string, string> {
  const sources = new Map<string, string>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'string' && isModule(tokens, index)) addUpTo(tokens, index, sources);
    else if (token.kind === 'name' && token.text === 'import' && tokens[index + 1]?.kind === 'name')
      addAfter(tokens, index, sources);
  }
  return sources;
}

/** Whether both files import a name from the same module, one that is told without regard to where the file lies. */
export function importAlike(
  name: string,
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): boolean {
  const source = one.get(name);
  return source !== undefined && !source.startsWith('.') && source === other.get(name);
}

/** `… from 'it'`, `require('it')`, `import('it')`. */
function isModule(tokens: readonly SourceToken[], index: number): boolean {
  const [before, previous] = [tokens[index - 2]?.text ?? '', tokens[index - 1]?.text ?? ''];
  return previous === 'from' || (previous === '(' && /^(?:require|import)$/.test(before));
}

function addUpTo(tokens: readonly SourceToken[], end: number, sources: Map<string, string>): void {
  const module = tokens[end]?.text ?? '';
  for (let at = end - 1; at >= 0 && at > end - LONGEST; at -= 1) {
    const { kind, text } = tokens[at] ?? { kind: 'punctuation', text: ';' };
    if (text === ';' || /^(?:import|const|let|var|export)$/.test(text)) return;
    if (kind === 'name') sources.set(text, module);
  }
}

/** Python's `import a` and `from a.b import c`. In JavaScript, `from` follows, and what it names wins. */
function addAfter(tokens: readonly SourceToken[], start: number, sources: Map<string, string>): void {
  let from = start;
  while (from > 0 && (tokens[from]?.indent ?? 0) < 0) from -= 1;
  const module = tokens[from]?.text === 'from' ? textOf(tokens.slice(from + 1, start)) : null;
  for (let at = start + 1; at < tokens.length && at < start + LONGEST; at += 1) {
    const { kind, text, indent } = tokens[at] ?? { kind: 'punctuation', text: ';', indent: 0 };
    if (text === ';' || text === ')' || (indent >= 0 && module === null)) return;
    if (indent >= 0 && tokens[start + 1]?.text !== '(' && module !== null) return;
    if (kind === 'name' && text !== 'as') sources.set(text, module ?? text);
  }
}

const textOf = (tokens: readonly SourceToken[]): string => tokens.map(({ text }) => text).join('');
