import { harmlessText } from '@assay/protocol';

const LONGEST = 500;

/** Returns the text that a foreign object has under a name; empty when there is none. */
export function textIn(event: Readonly<Record<string, unknown>>, name: string): string {
  const value = event[name];
  return typeof value === 'string' ? value : '';
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function listIn(event: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = event[name];
  return Array.isArray(value) ? value : [];
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes foreign text one line that is harmless in a terminal. */
export function oneLine(text: string): string {
  const line = harmlessText(text.slice(0, 20 * LONGEST))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
