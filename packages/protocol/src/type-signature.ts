/**
 * The types that a standard for a statically typed language may name: `bool`, `i64`, `f64`, `string`, `list<T>`,
 * `map<T>` (keys are strings) and `optional<T>` (null when absent).
 */
export type SignatureType =
  | { kind: 'bool' | 'i64' | 'f64' | 'string' }
  | { kind: 'list' | 'map' | 'optional'; of: SignatureType };

export interface Signature {
  parameters: SignatureType[];
  returns: SignatureType;
}

const SIMPLE = ['bool', 'i64', 'f64', 'string'] as const;
const WRAPPING = ['list', 'map', 'optional'] as const;
const DEEPEST = 8;

/**
 * Returns null when the text names no such type, wraps an optional in an optional, or nests deeper than eight levels.
 */
export function parseSignatureType(text: string, depth = 0): SignatureType | null {
  const trimmed = text.trim();
  const simple = SIMPLE.find((name) => name === trimmed);
  if (simple) return { kind: simple };
  const kind = WRAPPING.find((name) => trimmed.startsWith(`${name}<`) && trimmed.endsWith('>'));
  if (!kind || depth >= DEEPEST) return null;
  const of = parseSignatureType(trimmed.slice(kind.length + 1, -1), depth + 1);
  if (!of || (kind === 'optional' && of.kind === 'optional')) return null;
  return { kind, of };
}
