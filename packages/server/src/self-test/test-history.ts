import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FileHistory = z.object({
  /** How long its last run took. */
  seconds: z.number(),
  /** Whether its last run failed. */
  failed: z.boolean(),
});

/** The last run of each test file, by its path from the root. */
export type TestHistory = Record<string, z.infer<typeof FileHistory>>;

const historyFile = (root: string): string => join(root, '.assay', 'test-history.json');

/** Empty on a fresh checkout, and when the file is unusable: it decides only the order. */
export async function readTestHistory(root: string): Promise<TestHistory> {
  try {
    return z.record(z.string(), FileHistory).parse(JSON.parse(await readFile(historyFile(root), 'utf8')));
  } catch {
    return {};
  }
}

/** Adds the runs in `latest` to the history of the checkout. */
export async function writeTestHistory(root: string, latest: TestHistory): Promise<void> {
  const file = historyFile(root);
  const fresh = `${file}.${process.pid}`;
  await mkdir(join(root, '.assay'), { recursive: true });
  await writeFile(fresh, `${JSON.stringify({ ...(await readTestHistory(root)), ...latest }, null, 1)}\n`);
  await rename(fresh, file);
}
