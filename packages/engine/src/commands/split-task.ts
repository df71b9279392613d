import { rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { AssayError, type OnProgress, type SplitTaskReport, type SplitTaskResult } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { failureOf, settleEach, throwIfNothingDone } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { readDataset, requireKind } from '../bundle/read-task.ts';
import type { RepositoryTask } from '../bundle/task.ts';
import { removeStaleDrafts, updateProof, writeTaskWithSplit } from '../bundle/write-task.ts';
import { openReadRepositoryTask, openRepositoryTask } from '../verify/open-repository-task.ts';
import { proveTask } from '../verify/prove-task.ts';
import { bakeSplit } from '../verify/split/bake-split.ts';
import { trustOfPlan } from '../verify/split/split-trust.ts';

export interface SplitTaskOptions {
  /** A task, or a directory of tasks. */
  path: string;
  /** Repetitions of reference and no-op in the new proof. Default 3. */
  runs?: number;
  parallel?: number;
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Takes the hidden tests of tasks that exist apart, and proves them again with the verifier that they then have. A task
 * takes the place of the old one when it has proven itself; until then, and if it does not, the old one stays. What
 * cannot be split is in the report, and what breaks is among the failures; when that is true of all, what ended the
 * first is thrown.
 */
export async function splitTasks(options: SplitTaskOptions): Promise<SplitTaskResult> {
  const { signal, onEvent } = options;
  const { tasks, broken } = await readDataset(options.path);
  const failures = broken.map(({ directory, error }) => failureOf(directory, error));
  const provider = await chooseProvider(options.provider);
  const reports: SplitTaskReport[] = [];
  const total = tasks.length;
  const end = (item: string, ok: boolean, text: string): void =>
    onEvent?.({ type: 'item-end', item, ok, text, done: reports.length, total });
  const settled = await settleEach(
    tasks,
    {
      parallel: options.parallel ?? availableParallelism(),
      name: ({ id }) => id,
      signal,
      onFailure: ({ item, outcome, message }) => end(item, false, `${outcome}: ${message}`),
    },
    async (task) => {
      onEvent?.({ type: 'item-start', item: task.id, done: reports.length, total });
      const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: task.id, text });
      const report = await splitTask(requireKind('repository', task), {
        provider,
        runs: options.runs ?? 3,
        signal,
        progress,
      });
      reports.push(report);
      end(task.id, report.split, report.why ?? report.trust.reasons.join('; '));
    },
  );
  throwIfNothingDone(settled);
  return { tasks: reports.sort((a, b) => (a.id < b.id ? -1 : 1)), failures: [...failures, ...settled.failures] };
}

interface Proving {
  provider: SandboxProvider;
  runs: number;
  signal?: AbortSignal;
  progress: (text: string) => void;
}

async function splitTask(task: RepositoryTask, proving: Proving): Promise<SplitTaskReport> {
  const opening = { ...proving, cacheDirectory: cacheDirectory() };
  const open = await openReadRepositoryTask(task, { ...opening, withoutSplit: true });
  const expected = { failToPass: task.meta.fail_to_pass, passToPass: task.meta.pass_to_pass };
  const baked = await bakeSplit({ ...open, ...proving, command: task.meta.test, expected });
  if (baked.split === null) {
    const trust = { level: 'in-process' as const, reasons: [baked.why] };
    return { id: task.id, split: false, why: baked.why, trust, digest: task.meta.digest };
  }
  // The name begins as that of a draft, so that what a killed process leaves is removed by the next.
  const draft = join(dirname(task.directory), `.assay-draft-${process.pid}-${basename(task.directory)}`);
  try {
    await removeStaleDrafts(dirname(task.directory));
    await rm(draft, { recursive: true, force: true });
    await writeTaskWithSplit(task.directory, draft, baked.split);
    const report = await proveTask(await openRepositoryTask(draft, opening), opening);
    if (!report.admitted) throw new AssayError('TASK_UNPROVEN', { name: task.id, detail: report.reasons.join('; ') });
    const { reference, noop, testsOnly, half } = report;
    await updateProof(draft, { reference, noop, testsOnly, half, mutants: task.meta.proof?.mutants });
    await replace(task.directory, draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  const written = await openRepositoryTask(task.directory, opening);
  const trust = trustOfPlan(baked.split.plan, expected);
  return { id: task.id, split: true, trust, digest: written.task.meta.digest };
}

/** Puts a directory in the place of another. Killed in between, it leaves the old one beside its place. */
async function replace(place: string, by: string): Promise<void> {
  const old = `${place}.before-split`;
  await rm(old, { recursive: true, force: true });
  await rename(place, old);
  await rename(by, place);
  await rm(old, { recursive: true, force: true });
}
