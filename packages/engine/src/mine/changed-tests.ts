import type { Candidate } from './candidate.ts';

/** The test files that a fix adds or edits, and those whose snapshots it does. */
export function changedTests({ hidden, ecosystem: { tests } }: Pick<Candidate, 'hidden' | 'ecosystem'>): string[] {
  const found = hidden.files.flatMap(({ path }) =>
    tests.isTestFile(path) ? [path] : (tests.testOfSnapshot?.(path) ?? []),
  );
  return [...new Set(found)];
}
