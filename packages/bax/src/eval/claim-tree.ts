import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { unwritable } from '@assay/files/output-place';
import { readRegularFile } from '@assay/files/read-regular-file';
import { claimDirectory } from '@assay/files/store/lock-directory';
import { AssayError } from '@assay/protocol';
import type { Profile } from '../profile.ts';

/** Settings that all samples of a tree share. Samples and rows may be added later. */
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
const MAX_BYTES = 1024 * 1024;

/**
 * Makes the directory, keeps other processes out of it until the returned function is called, and says in it what it is
 * a tree of. Throws `OUTPUT_OCCUPIED` when it holds something that nobody said to go on with, or no evaluation;
 * `JOB_MISMATCH` when the evaluation there has other settings and has begun; `OUTPUT_BUSY`; `OUTPUT_UNWRITABLE`. Writes
 * nothing into a directory that it refuses.
 */
export async function claimTree(out: string, resume: boolean, settings: TreeSettings): Promise<() => Promise<void>> {
  const { unlock } = await claimDirectory(out, (entries) => judgeTree(out, entries, resume, settings));
  try {
    await writeJsonAtomic(join(out, SETTINGS), settings);
  } catch (error) {
    await unlock();
    throw unwritable(join(out, SETTINGS), error);
  }
  return unlock;
}

async function judgeTree(
  out: string,
  entries: readonly string[],
  resume: boolean,
  settings: TreeSettings,
): Promise<void> {
  // A run that ended before the first answer leaves its settings, and a killed one a draft of them: that is as good as
  // nothing.
  const [first] = entries.filter((name) => name !== SETTINGS && !/^\.eval\.json\..*\.tmp$/.test(name));
  if (first === undefined) return;
  const there = parseJson((await readRegularFile(join(out, SETTINGS), MAX_BYTES))?.toString() ?? '');
  if (!resume)
    throw new AssayError('OUTPUT_OCCUPIED', {
      path: out,
      detail: there === null ? `such as ${first}` : 'an evaluation; --resume goes on with it',
    });
  if (there === null)
    throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: `no ${SETTINGS} of an evaluation, but ${first}` });
  const other = (Object.keys(settings) as (keyof TreeSettings)[]).find((key) => there[key] !== settings[key]);
  if (other !== undefined) throw new AssayError('JOB_MISMATCH', { path: out, detail: `${other} differs` });
}

function parseJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
