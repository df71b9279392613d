import type { LiteralValue } from '../../function-facet.ts';

const BRACKETS: Readonly<Record<string, readonly [string, string]>> = {
  list: ['[', ']'],
  set: ['{', '}'],
  frozenset: ['frozenset([', '])'],
};

/** Writes a value as Python does, in one line of printable characters. */
export function renderPython({ kind, text = '', items = [] }: LiteralValue): string {
  const inside = items.map(renderPython);
  if (kind === 'none') return 'None';
  if (kind === 'bool') return text === 'true' ? 'True' : 'False';
  if (kind === 'str') return quoted(text);
  if (kind === 'bytes') return `bytes.fromhex('${text.replaceAll(/[^0-9a-f]/g, '')}')`;
  if (kind === 'tuple') return `(${inside.join(', ')}${inside.length === 1 ? ',' : ''})`;
  if (kind === 'dict') return `{${pairs(inside).join(', ')}}`;
  if (kind === 'set' && inside.length === 0) return 'set()';
  const brackets = BRACKETS[kind];
  if (brackets) return `${brackets[0]}${inside.join(', ')}${brackets[1]}`;
  // What a recorder wrote is foreign: nothing but a number gets through.
  return /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/.test(text) ? text : 'None';
}

function pairs(inside: readonly string[]): string[] {
  return inside.flatMap((key, index) => (index % 2 === 0 ? [`${key}: ${inside[index + 1] ?? 'None'}`] : []));
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === quote) return `\\${quote}`;
    const escape = ESCAPES[character];
    if (escape !== undefined) return escape;
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) return character;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `${quote}${inside.join('')}${quote}`;
}
