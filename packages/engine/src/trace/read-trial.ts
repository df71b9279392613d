import { open, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AssayError, SubmissionManifest, Trial, TrialCanaries, Verdict, type RecordedTrial } from '@assay/protocol';
import { z } from 'zod';
import { unsafePathReason } from '@assay/files/safe-path';
import { readTrialTrajectory } from './write-trajectory.ts';

/** Bytes read of a log, and of each file of a submission. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Everything a grader found, for tasks whose verdict has no room for it. */
export const GRADE_FILE = 'grade.json';

/**
 * Reads the directory of a trial, as `findTrial` gives it. Throws `TRIAL_NOT_FOUND` when its files are not what Assay
 * writes.
 */
export async function readTrial(directory: string): Promise<RecordedTrial> {
  const fail = (file: string): never => {
    throw new AssayError('TRIAL_NOT_FOUND', { path: directory, detail: `${file} is not what assay writes` });
  };
  const read = async <T>(file: string, schema: z.ZodType<T>): Promise<T | null> => {
    const text = await readFile(join(directory, file), 'utf8').catch(() => null);
    if (text === null) return null;
    const parsed = schema.safeParse(parse(text));
    return parsed.success ? parsed.data : fail(file);
  };
  const trial = (await read('trial.json', Trial)) ?? fail('trial.json');
  const { agent, agentVersion } = trial;
  const canaries = await read('canaries.json', TrialCanaries);
  const grade = await read(GRADE_FILE, z.unknown());
  const session = `${basename(resolve(directory, '../..'))}/${trial.id}`;
  return {
    directory,
    trial,
    verdict: await read('verdict.json', Verdict),
    submission: await read(join('submission', 'manifest.json'), SubmissionManifest),
    grade: grade ?? undefined,
    canaries: canaries ?? undefined,
    log: (await readBegin(directory, 'logs/agent.txt')) ?? '',
    trajectory: await readTrialTrajectory(directory, {
      agent: { name: agent, version: agentVersion },
      sessionId: session,
    }),
  };
}

/** The text of one file of a submission, of a long one the beginning; null when it is no text, or not there. */
export async function readSubmitted(
  { directory }: Pick<RecordedTrial, 'directory'>,
  path: string,
): Promise<string | null> {
  if (unsafePathReason(path) !== null) return null;
  const text = await readBegin(directory, `submission/files/${path}`);
  return text === null || text.includes('\0') ? null : text;
}

/** A job may come from elsewhere: no link is followed. */
async function readBegin(directory: string, name: string): Promise<string | null> {
  const path = join(await realpath(directory), name);
  if ((await realpath(path).catch(() => null)) !== path) return null;
  const found = await stat(path);
  if (!found.isFile()) return null;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(found.size, MOST_BYTES)),
      0,
      Math.min(found.size, MOST_BYTES),
      0,
    );
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
