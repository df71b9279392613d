import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol';

/** How many names an error tells. */
const TOLD = 5;

/**
 * The directory of a trial: given as it is, as JOB/TRIAL, or as a job that has one trial. Throws `TRIAL_NOT_FOUND`,
 * also for a trial that did not finish.
 */
export async function findTrial(path: string): Promise<string> {
  const fail = (detail: string): never => {
    throw new AssayError('TRIAL_NOT_FOUND', { path, detail });
  };
  const inJob = join(dirname(path), 'trials', basename(path));
  for (const directory of [path, inJob]) if (await isFile(join(directory, 'trial.json'))) return directory;
  for (const directory of [path, inJob])
    if (await isFile(join(directory, 'model.jsonl'))) return fail('it did not finish');
  const job = (await isFile(join(path, 'job.json')))
    ? path
    : (await isFile(join(dirname(path), 'job.json')))
      ? dirname(path)
      : null;
  if (job === null) return fail('there is no trial.json, nor a job around it');
  const names = await finished(job);
  const [only] = names;
  if (job === path && names.length === 1 && only !== undefined) return join(job, 'trials', only);
  const told = `${names.slice(0, TOLD).join(', ')}${names.length > TOLD ? `, and ${names.length - TOLD} more` : ''}`;
  return fail(names.length === 0 ? 'the job has no finished trial' : `the job has these: ${told}`);
}

/** The directories of a job's finished trials, by name. Throws `JOB_NOT_FOUND`. */
export async function listTrials(job: string): Promise<string[]> {
  if (!(await isFile(join(job, 'job.json'))))
    throw new AssayError('JOB_NOT_FOUND', { path: job, detail: 'there is no job.json' });
  return (await finished(job)).map((name) => join(job, 'trials', name));
}

async function finished(job: string): Promise<string[]> {
  const names = await readdir(join(job, 'trials')).catch((): string[] => []);
  const kept: string[] = [];
  for (const name of names.sort()) if (await isFile(join(job, 'trials', name, 'trial.json'))) kept.push(name);
  return kept;
}

const isFile = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
