import type { LiteralValue } from '../../function-facet.ts';

/** Writes a value as JavaScript does, in one line of printable characters. */
export function renderNode({ kind, text = '', items = [] }: LiteralValue): string {
  const inside = items.map(renderNode);
  switch (kind) {
    case 'none':
      return 'null';
    case 'undefined':
      return 'undefined';
    case 'bool':
      return text === 'true' ? 'true' : 'false';
    case 'str':
      return quoted(text);
    case 'bigint':
      return /^-?\d+$/.test(text) ? `${text}n` : '0n';
    case 'list':
      return `[${inside.join(', ')}]`;
    case 'set':
      return `new Set([${inside.join(', ')}])`;
    case 'map':
      return `new Map([${pairs(items, (key, value) => `[${renderNode(key)}, ${value}]`).join(', ')}])`;
    case 'regexp':
      return `new RegExp(${inside.join(', ')})`;
    case 'dict':
      return braced(pairs(items, property));
    case 'bare':
      return braced(['__proto__: null', ...pairs(items, property)]);
    default:
      // What a recorder wrote is foreign: nothing but a number gets through.
      return /^(?:NaN|-?Infinity|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/.test(text) ? text : 'null';
  }
}

const braced = (members: readonly string[]): string => (members.length === 0 ? '{}' : `{ ${members.join(', ')} }`);

function pairs(items: readonly LiteralValue[], write: (key: LiteralValue, value: string) => string): string[] {
  return items.flatMap((key, index) => {
    const value = items[index + 1];
    return index % 2 === 0 && value ? [write(key, renderNode(value))] : [];
  });
}

function property({ text = '' }: LiteralValue, value: string): string {
  if (text === '__proto__') return `['__proto__']: ${value}`;
  return `${/^[A-Za-z_$][\w$]*$/.test(text) ? text : quoted(text)}: ${value}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = [...text].map((character) => {
    if (character === quote) return `\\${quote}`;
    const escape = ESCAPES[character];
    if (escape !== undefined) return escape;
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) return character;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return `${quote}${inside.join('')}${quote}`;
}
