import { SqlFailed, type TableRows, type TestApp } from '../test-app.ts';

/** A statement puts its texts into either. */
export const QUOTES = ["'", '"'] as const;

/**
 * A text that loses its quotes and its capitals only where it becomes a part of a statement: it means `begin`, `word`,
 * `end` there.
 * @param word - in small letters.
 */
export function computed(word: string, quote: (typeof QUOTES)[number], begin = '', end = ''): string {
  return `${begin}${quote}||lower(${quote}${word.toUpperCase()}${quote})||${quote}${end}`;
}

/** None for an app that keeps what it has elsewhere. */
export async function tablesOf(app: TestApp): Promise<TableRows[]> {
  try {
    return await app.tables();
  } catch (error) {
    if (error instanceof SqlFailed) return [];
    throw error;
  }
}
