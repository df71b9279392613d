import type { TestApp } from '../test-app.ts';

/** The first of the files that an injected command makes; null when none is there. */
export async function firstOf(app: TestApp, paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if ((await app.get(path)) !== null) return path;
  return null;
}
