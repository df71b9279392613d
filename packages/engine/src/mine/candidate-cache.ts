import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@assay/files/content-digest';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { makeOutputDirectory } from '@assay/files/output-place';
import { sweepDead } from '@assay/files/sweep-dead';
import { Examination, REJECTION_NAMES, Survivor } from '@assay/protocol';
import { z } from 'zod';
import type { CandidateResult } from './candidate.ts';

/**
 * Part of the key: raise it when a change of the stages, or of code that they call, can change how a candidate ends.
 */
const STAGES_VERSION = '21';

const Remembered = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('admitted'),
    task: z.string(),
    digest: z.string(),
    examination: Examination.optional(),
  }),
  z.object({
    outcome: z.literal('rejected'),
    reason: z.enum(REJECTION_NAMES),
    detail: z.string(),
    survivors: z.array(Survivor).optional(),
    examination: Examination.optional(),
  }),
]);

/** Remembers how candidates ended, and the bundles of those admitted, beyond the run and the dataset. */
export interface CandidateCache {
  /** Returns null when nothing readable is remembered. */
  recall(key: string): Promise<CandidateResult | null>;
  /** Remembers an end that would repeat itself. Faults of the machine are not a `CandidateResult`. */
  remember(key: string, result: CandidateResult): Promise<void>;
  /** Returns the path of an admitted candidate's bundle. */
  bundle(key: string): string;
}

/** Opens the cache and removes what killed runs left half-written. Throws `OUTPUT_UNWRITABLE` and `DISK_FULL`. */
export async function openCandidateCache(cacheDirectory: string): Promise<CandidateCache> {
  const bundles = join(cacheDirectory, 'bundles');
  const candidates = join(cacheDirectory, 'candidates');
  await makeOutputDirectory(bundles);
  await makeOutputDirectory(candidates);
  await sweepDead(bundles, /^draft-(\d+)-/);
  const fileOf = (key: string): string => join(candidates, `${key}.json`);
  return {
    async recall(key) {
      const text = await readFile(fileOf(key), 'utf8').catch(() => 'null');
      try {
        return Remembered.safeParse(JSON.parse(text)).data ?? null;
      } catch {
        return null;
      }
    },
    remember: (key, result) => writeJsonAtomic(fileOf(key), result),
    bundle: (key) => join(bundles, key),
  };
}

/** Hashes everything that a candidate's end depends on, including the stages, into its key. */
export function candidateKey(parts: readonly string[]): string {
  return sha256([STAGES_VERSION, ...parts].join('\n')).slice(0, 40);
}
