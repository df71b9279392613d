import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, canonicalJson, Job, Trial, type QuarantinedTask } from '@assay/protocol';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { makeOutputDirectory } from '@assay/files/output-place';
import { claimDirectory } from '@assay/files/store/lock-directory';
import { hasCollected } from '../trial/collected.ts';

/** The files of a job. They are the truth about it. */
export interface JobDirectory {
  path: string;
  job: Job;
  /** Where a trial's files go. */
  trial(id: string): string;
  /** Removes what a trial that did not finish left, unless its submission is on record. */
  begin(id: string): Promise<void>;
  /**
   * The same of a try that is made again, but for the records of its lanes: these become `model.discarded-N.jsonl` and
   * `packages.discarded-N.jsonl`.
   */
  discard(id: string, tries: number): Promise<void>;
  /** Every finished trial, sorted by task and attempt. */
  readTrials(): Promise<Trial[]>;
  /** Puts tasks on record as never tried, in place of those that were. */
  recordQuarantined(tasks: readonly QuarantinedTask[]): Promise<void>;
  /** Fires when another process has taken it over: what this one does then does not count. */
  lost: AbortSignal;
  /** Lets other processes use it. */
  close(): Promise<void>;
}

/** With the longest name of a trial and the longest path of a submission below it, Linux still takes the path. */
const MAX_JOB_PATH_BYTES = 700;

export interface JobDirectoryRequest {
  job: Job;
  /** Names of the directories that the tasks lie in, by the ids of the tasks. */
  directories: ReadonlyMap<string, string>;
  /** Goes on with the job that is there. */
  resume: boolean;
}

/**
 * Makes a job directory, or with `resume` opens one that holds the same job, where tasks that were quarantined and
 * never tried may have changed. Throws `OUTPUT_OCCUPIED` when something else, or a
 * job without `resume`, is there; `JOB_MISMATCH` when the job there asked something else; `OUTPUT_BUSY` while another
 * process writes it; `OUTPUT_UNWRITABLE`, also for a path so long that files of a submission would not fit below it.
 */
export async function openJobDirectory(path: string, request: JobDirectoryRequest): Promise<JobDirectory> {
  if (Buffer.byteLength(path) > MAX_JOB_PATH_BYTES)
    throw new AssayError('OUTPUT_UNWRITABLE', { path, detail: `its path is longer than ${MAX_JOB_PATH_BYTES} bytes` });
  const {
    judgement: recorded,
    lost,
    unlock,
  } = await claimDirectory(path, async (existing) => recordedJob(path, existing, request));
  const job = recorded ? resumedJob(recorded, request.job) : request.job;
  const writeJob = (written: Job): Promise<void> => writeJsonAtomic(join(path, 'job.json'), written);
  try {
    await makeOutputDirectory(join(path, 'trials'));
    if (canonicalJson(job) !== canonicalJson(recorded)) await writeJob(job);
  } catch (error) {
    await unlock();
    throw error;
  }
  return {
    path,
    job,
    trial: (id) => join(path, 'trials', id),
    begin: async (id) => {
      const trial = join(path, 'trials', id);
      if (!(await hasCollected(trial))) await rm(trial, { recursive: true, force: true });
    },
    discard: (id, tries) => discardTry(join(path, 'trials', id), tries),
    recordQuarantined: async (tasks) => {
      if (tasks.length > 0 || job.quarantined !== undefined) await writeJob({ ...job, quarantined: [...tasks] });
    },
    lost,
    readTrials: () => readTrials(join(path, 'trials')),
    close: unlock,
  };
}

async function recordedJob(
  path: string,
  existing: readonly string[],
  { job: wanted, directories, resume }: JobDirectoryRequest,
): Promise<Job | null> {
  const recorded = existing.includes('job.json')
    ? Job.parse(JSON.parse(await readFile(join(path, 'job.json'), 'utf8')))
    : null;
  // A job that was killed before job.json was written leaves this.
  const foreign = existing.filter((name) => name !== 'trials');
  if (foreign.length > 0 && !recorded)
    throw new AssayError('OUTPUT_OCCUPIED', { path, detail: `such as ${foreign[0]}` });
  if (recorded && !resume)
    throw new AssayError('OUTPUT_OCCUPIED', { path, detail: 'a job; give --resume to go on with it' });
  if (!recorded) return null;
  requireSame(path, recorded, wanted);
  const trials = existing.includes('trials') ? await readTrials(join(path, 'trials')) : [];
  requireSameTasks(path, { recorded, wanted, directories, tried: new Set(trials.map(({ task }) => task)) });
  return recorded;
}

/** The job that goes on: with the tasks as they are now. */
function resumedJob(recorded: Job, { tasks, quarantined = [] }: Job): Job {
  const known = recorded.quarantined ?? [];
  const more = quarantined.filter(({ directory }) => known.every((each) => each.directory !== directory));
  const both = [...known, ...more];
  return { ...recorded, tasks, quarantined: both.length > 0 ? both : undefined };
}

async function discardTry(directory: string, tries: number): Promise<void> {
  // First of all: with it, the trial would count as done.
  await rm(join(directory, 'trial.json'), { force: true });
  for (const lane of ['model', 'packages'])
    await rename(join(directory, `${lane}.jsonl`), join(directory, `${lane}.discarded-${tries}.jsonl`)).catch(
      ignoreMissing,
    );
  for (const name of await readdir(directory)) {
    if (!/^(?:model|packages)\.discarded-\d+\.jsonl$/.test(name))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Not every agent asks a model, or has a lane to packages. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

function requireSame(path: string, recorded: Job, wanted: Job): void {
  for (const key of [
    'agent',
    'agentVersion',
    'agentPackages',
    'attempts',
    'timeoutSec',
    'provider',
    'model',
    'judge',
    'unseal',
    'agentMounts',
  ] as const) {
    if (canonicalJson(recorded[key] ?? null) !== canonicalJson(wanted[key] ?? null))
      throw new AssayError('JOB_MISMATCH', { path, detail: `${key} differs` });
  }
}

/** Throws `JOB_MISMATCH` when a task differs other than one that was quarantined and never tried. */
function requireSameTasks(
  path: string,
  {
    recorded,
    wanted,
    directories,
    tried,
  }: { recorded: Job; wanted: Job; tried: ReadonlySet<string> } & Pick<JobDirectoryRequest, 'directories'>,
): void {
  const quarantined = recorded.quarantined ?? [];
  const mayDiffer = (id: string): boolean =>
    !tried.has(id) &&
    quarantined.some(({ directory, task }) => task === id || directory === (directories.get(id) ?? id));
  const rest = ({ tasks }: Job): Job['tasks'] => tasks.filter(({ id }) => !mayDiffer(id));
  if (canonicalJson(rest(recorded)) !== canonicalJson(rest(wanted)))
    throw new AssayError('JOB_MISMATCH', { path, detail: 'tasks differs' });
}

async function readTrials(directory: string): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const id of await readdir(directory)) {
    const text = await readFile(join(directory, id, 'trial.json'), 'utf8').catch(() => null);
    if (text !== null) trials.push(Trial.parse(JSON.parse(text)));
  }
  return trials.sort((a, b) => (a.task === b.task ? a.attempt - b.attempt : a.task < b.task ? -1 : 1));
}
