import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/engine/files/atomic-write';
import { AssayError } from '@assay/protocol';
import type { Profile } from '../profile.ts';

/** What every sample of a tree was asked for and graded by. Its samples and rows may grow. */
export interface TreeSettings {
  model: string;
  spec: string;
  safety: string;
  /** Null: the service's own. */
  temperature: number | null;
  maxTokens: number;
  systemPrompt: string;
  profile: Profile;
}

const SETTINGS = 'eval.json';

/**
 * Makes the directory. Throws `OUTPUT_OCCUPIED` when it holds something that nobody said to go on with, or no evaluation, and `JOB_MISMATCH`
 * when the evaluation there has other settings. Writes nothing into a directory that it refuses.
 */
export async function prepareTree(out: string, resume: boolean, settings: TreeSettings): Promise<void> {
  const entries = await readdir(out).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: 'it is no directory, or may not be read' });
  });
  if (entries.length > 0) {
    const there = await readFile(join(out, SETTINGS), 'utf8').then(parseJson, () => null);
    if (!resume) throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: `such as ${entries[0]}${there === null ? '' : '; --resume goes on with it'}` });
    if (there === null) throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: `no ${SETTINGS} of an evaluation, but ${entries[0]}` });
    const other = (Object.keys(settings) as (keyof TreeSettings)[]).find((key) => there[key] !== settings[key]);
    if (other !== undefined) throw new AssayError('JOB_MISMATCH', { path: out, detail: `${other} differs` });
  }
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: 'a part of its path is no directory' });
    throw error;
  });
}

/** Says in the tree what it is a tree of. */
export async function writeSettings(out: string, settings: TreeSettings): Promise<void> {
  await writeJsonAtomic(join(out, SETTINGS), settings);
}

function parseJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
