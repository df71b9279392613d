type Value = string | number | boolean | Value[] | { [key: string]: Value | undefined };
export type TomlTable = { [key: string]: Value | undefined };

/**
 * Writes TOML for people to read and compare: keys in the given order, tables after plain values, lists of several
 * strings with one string per line, no multi-line strings. `undefined` members are left out.
 */
export function tomlText(table: TomlTable): string {
  return `${tableLines(table, []).join('\n').replace(/^\n+/, '')}\n`;
}

function tableLines(table: TomlTable, path: string[]): string[] {
  const entries = Object.entries(table).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  const lines = entries
    .filter(([, value]) => !isTable(value))
    .map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
  if (path.length > 0 && (lines.length > 0 || entries.length === 0))
    lines.unshift('', `[${path.map(tomlKey).join('.')}]`);
  for (const [key, value] of entries) if (isTable(value)) lines.push(...tableLines(value, [...path, key]));
  return lines;
}

const isTable = (value: Value): value is TomlTable => typeof value === 'object' && !Array.isArray(value);

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: Value): string {
  if (typeof value === 'string') return tomlString(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) {
    const members = Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [`${tomlKey(key)} = ${tomlValue(member)}`],
    );
    return `{ ${members.join(', ')} }`;
  }
  const items = value.map(tomlValue);
  return items.length > 1 ? `[\n${items.map((item) => `  ${item},\n`).join('')}]` : `[${items.join('')}]`;
}

function tomlString(text: string): string {
  // JSON escapes everything that TOML requires except DEL; TOML cannot hold a lone surrogate.
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}
