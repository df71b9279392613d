/**
 * Items over which Python iterates in a value that came as JSON: the characters of a text, the keys of an object.
 * Throws `TypeError` where Python does.
 */
export function pythonItems(value: unknown): unknown[] {
  if (typeof value === 'string' || Array.isArray(value)) return [...value];
  if (typeof value === 'object' && value !== null) return Object.keys(value);
  throw new TypeError(`${JSON.stringify(value)} cannot be gone through`);
}

/**
 * `text in value` of Python: a part of a text, an item of a list, a key of an object. Throws `TypeError` where Python
 * does.
 */
export function pythonIn(text: string, value: unknown): boolean {
  return typeof value === 'string' ? value.includes(text) : pythonItems(value).includes(text);
}

/** Whether Python takes a value that came as JSON for true. */
export function pythonTruth(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? pythonItems(value).length > 0 : Boolean(value);
}
