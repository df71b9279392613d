import { posix } from 'node:path';
import type { TestFacet } from '../ecosystems/test-facet.ts';

export interface AbsentFiles {
  /** Paths of files missing at T0. */
  absent: readonly string[];
  tests: TestFacet;
  /** Reads a test file. */
  read: (path: string) => Buffer | null;
}

/**
 * Picks, from tests that never pass, those whose own lines name a missing file. Other failing tests are left alone
 * because the reason is unknown.
 */
export function testsOfAbsentFiles(ids: readonly string[], { absent, tests, read }: AbsentFiles): string[] {
  const names = absent.map((path) => posix.basename(path));
  if (names.length === 0) return [];
  const texts = new Map<string, string>();
  return ids.filter((id) => {
    const { file } = tests.splitId(id);
    if (!texts.has(file)) texts.set(file, read(file)?.toString('utf8') ?? '');
    const body = tests.bodyOf(texts.get(file) ?? '', id);
    return names.some((name) => body.includes(name));
  });
}
