/** A member of an object; undefined for everything that is none. */
export function field(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([key]) => key === name)?.[1]
        : undefined,
    value,
  );
}

/** Empty for what is no array. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Null for what is no number. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** A text, or the texts of its parts one after the other; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return list(value)
    .map((part) => (typeof part === 'string' ? part : textOf(field(part, 'text'))))
    .join('');
}

export function joined(texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** A text in pieces of so many characters; one empty piece for the empty text. */
export function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const found: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    found.push(characters.slice(start, start + size).join(''));
  return found.length === 0 ? [''] : found;
}
