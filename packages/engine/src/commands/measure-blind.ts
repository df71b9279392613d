import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { sha256 } from '@assay/files/content-digest';
import { cacheDirectory } from '@assay/files/store/paths';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import {
  AssayError,
  BlindReport,
  canonicalJson,
  Verdict,
  type JobResult,
  type MineResult,
  type OnProgress,
  type Trial,
} from '@assay/protocol';
import { readTaskOf } from '../bundle/read-task.ts';
import { updateProof } from '../bundle/write-task.ts';
import { runJob } from '../job/run-job.ts';

/** Shows the model the instruction and the repository once, and takes the files that it answers with. */
const SOLVER = 'single-turn';

export interface BlindOptions {
  /** Of the same solver, by itself each. */
  tries: number;
  model: { name: string; endpoint: string };
  provider?: string;
  parallel?: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/** Of the options of `mine`. */
export interface MineBlindOptions extends Partial<Pick<BlindOptions, 'model' | 'provider' | 'signal' | 'onEvent'>> {
  blind?: number;
  jobs?: number;
}

/**
 * Has a solver try a repository task with the instruction alone, and writes into the bundle's proof how often it did.
 * What is known of the same bundle, model and number of tries is not asked again. Throws what `runJob` throws: nothing
 * is written then.
 */
export async function measureBlind(bundle: string, options: BlindOptions): Promise<BlindReport> {
  const { meta } = await readTaskOf('repository', bundle);
  if (meta.proof?.blind) return meta.proof.blind;
  const { name, endpoint } = options.model;
  const key = sha256(canonicalJson([meta.digest, SOLVER, name, endpoint, options.tries]));
  const known = join(cacheDirectory(), 'blind', `${key}.json`);
  const blind = (await recall(known)) ?? (await tryIt(bundle, meta.fail_to_pass, options));
  // A model that would not or could not answer may do so the next time.
  if (blind.tries === 0) return blind;
  await mkdir(join(cacheDirectory(), 'blind'), { recursive: true });
  await writeJsonAtomic(known, blind);
  if (meta.proof) await updateProof(bundle, { ...meta.proof, blind });
  return blind;
}

/**
 * Has a solver try the tasks of a dataset; undefined when it was not asked to. What is wrong with its model or with this
 * machine is told, and ends nothing.
 */
export async function tryBlind(
  dataset: string,
  tasks: readonly string[],
  { blind: tries = 0, model, provider, jobs: parallel, signal, onEvent }: MineBlindOptions,
): Promise<MineResult['blind']> {
  if (tries === 0 || !model) return undefined;
  const reports: NonNullable<MineResult['blind']> = [];
  for (const task of tasks) {
    onEvent?.({ type: 'item-progress', item: task, text: `${tries} tries with the instruction alone` });
    try {
      const report = await measureBlind(join(dataset, task), { tries, model, provider, parallel, signal });
      reports.push({ task, ...report });
    } catch (error) {
      signal?.throwIfAborted();
      if (!AssayError.is(error) || error.kind === 'bug') throw error;
      onEvent?.({ type: 'note', item: task, text: `not tried: ${error.message}` });
    }
  }
  return reports;
}

async function recall(file: string): Promise<BlindReport | null> {
  try {
    return BlindReport.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

async function tryIt(bundle: string, failToPass: readonly string[], options: BlindOptions): Promise<BlindReport> {
  const { tries, model, provider, parallel, signal, onEvent } = options;
  const directory = await makeTemporaryDirectory('blind');
  try {
    const job = await runJob({
      path: bundle,
      agent: SOLVER,
      model: { name: model.name, endpoint: model.endpoint.replace(/\/(?:chat\/completions|v1\/messages)\/?$/, '') },
      attempts: tries,
      parallel,
      provider,
      out: join(directory, 'job'),
      signal,
      onEvent,
    });
    return await reportOf(job, failToPass, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function reportOf(
  { trials, directory }: JobResult,
  failToPass: readonly string[],
  { tries: asked, model }: BlindOptions,
): Promise<BlindReport> {
  const honest = trials.filter(isHonest);
  const verdicts = await Promise.all(
    honest.map(async ({ id }) =>
      Verdict.parse(JSON.parse(await readFile(join(directory, 'trials', id, 'verdict.json'), 'utf8'))),
    ),
  );
  const passed = new Set(
    verdicts.flatMap(({ tests }) => tests.flatMap(({ id, status }) => (status === 'passed' ? [id] : []))),
  );
  const solved = honest.filter(({ outcome }) => outcome === 'pass').length;
  const tries = honest.length;
  return {
    solver: SOLVER,
    model: model.name,
    asked,
    tries,
    solved,
    ...(tries > 0 && solved === 0 && { mark: 'never_solved' as const }),
    ...(tries > 0 && solved === tries && { mark: 'always_solved' as const }),
    unsolved: tries === 0 ? [] : failToPass.filter((id) => !passed.has(id)),
  };
}

/** A try that says something about the task: the model answered with something to be graded, and grading worked. */
const isHonest = ({ outcome, agentRun }: Trial): boolean =>
  outcome !== 'invalid' && agentRun.exitCode === 0 && (agentRun.status ?? 'ended') === 'ended';
