import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { ItemFailure, JobResult, QuarantinedTask, Trial, TrialOrder } from '@assay/protocol';
import { memoryQueue } from '@assay/files/queue/memory-queue';
import { workQueue } from '@assay/files/queue/work-queue';
import { cacheDirectory } from '@assay/files/store/paths';
import { openJobDirectory, type JobDirectory } from './job-directory.ts';
import { summariseTrials } from './job-summary.ts';
import { planJob, type JobPlan, type RunJobOptions } from './plan-job.ts';
import { trialWorker } from './trial-worker.ts';

export type { RunJobOptions } from './plan-job.ts';

/**
 * Runs one agent on every task, `attempts` times each, and leaves a job directory. With `resume`, finished trials are
 * not run again, and a trial whose submission was collected is only verified. No task ends the others; when none has a
 * result, throws the error of the first.
 */
export async function runJob(options: RunJobOptions): Promise<JobResult> {
  const plan = await planJob(options);
  const { job } = plan;
  const directory = await openJobDirectory(resolve(options.out ?? join('jobs', job.id)), {
    job,
    directories: new Map(plan.tasks.map((task) => [task.id, basename(task.directory)])),
    resume: options.resume ?? false,
  });
  try {
    for (const { item, message } of plan.failures)
      options.onEvent?.({ type: 'note', item, text: `quarantined: ${message}` });
    const { failures, firstError } = await runOrders(plan, directory, options);
    const trials = await directory.readTrials();
    await directory.recordQuarantined(neverTried(plan, failures, trials));
    if (trials.length === 0 && failures.length > 0) throw firstError;
    return {
      job: directory.job.id,
      directory: directory.path,
      trials,
      failures: [...plan.failures, ...failures],
      summary: summariseTrials(trials),
    };
  } finally {
    await directory.close();
  }
}

/** Returns the quarantined tasks that have no trial. */
function neverTried(
  { job, tasks }: JobPlan,
  failures: readonly ItemFailure[],
  trials: readonly Trial[],
): QuarantinedTask[] {
  const names = new Set(failures.filter(({ outcome }) => outcome === 'quarantined').map(({ item }) => item));
  for (const { task } of trials) names.delete(task);
  const opened = tasks.filter(({ id }) => names.has(id));
  return [
    ...(job.quarantined ?? []),
    ...opened.map(({ id, directory }) => ({ directory: basename(directory), task: id })),
  ];
}

/** Runs the trials that a job lacks. */
async function runOrders(
  { job, tasks, order }: JobPlan,
  directory: JobDirectory,
  { parallel = availableParallelism(), scenarios, signal, onEvent }: RunJobOptions,
): Promise<{ failures: ItemFailure[]; firstError: unknown }> {
  const orders = await missingOrders(
    directory,
    tasks.flatMap((task) => attempts(job.attempts, (n) => order(task, n))),
  );
  const total = tasks.length * job.attempts;
  let done = total - orders.length;
  const failures = new Map<string, ItemFailure>();
  let firstError: unknown;
  let toldCouldNotWork = false;
  const end = (item: string, ok: boolean, text: string): void => {
    done += 1;
    onEvent?.({ type: 'item-end', item, ok, text, done, total });
  };
  const worker = trialWorker({
    cacheDirectory: cacheDirectory(),
    directory,
    keep: parallel + 1,
    scenarios,
    known: new Map(tasks.map((task) => [task.meta.digest, task])),
  });
  const queue = memoryQueue<TrialOrder>();
  await queue.enqueue(orders);
  await workQueue(
    queue,
    {
      parallel,
      name: ({ task }) => task.id,
      signal: signal === undefined ? directory.lost : AbortSignal.any([signal, directory.lost]),
      onFailure: ({ id }, failure, error) => {
        firstError ??= error;
        failures.set(failure.item, failures.get(failure.item) ?? failure);
        end(itemName(id), false, `${failure.outcome}: ${failure.message}`);
      },
    },
    async ({ id, task, ...ordered }, held) => {
      const item = itemName(id);
      const earlier = failures.get(task.id);
      if (earlier) return end(item, false, `left out: its task is ${earlier.outcome}`);
      onEvent?.({ type: 'item-start', item, done, total });
      const tell = (text: string): void => onEvent?.({ type: 'item-progress', item, text });
      const { trial } = await worker.run({ id, task, ...ordered }, { signal: held, tell });
      if (trial.agentRun.status === 'could-not-work' && !toldCouldNotWork) {
        toldCouldNotWork = true;
        onEvent?.({ type: 'note', item, text: trial.note ?? 'the agent could not work' });
      }
      end(item, trial.outcome === 'pass', trial.outcome);
    },
  );
  return { failures: [...failures.values()], firstError };
}

const attempts = <T>(count: number, make: (attempt: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** `task#attempt`, for a person. */
const itemName = (id: string): string => id.replace(/\.(\d+)$/, '#$1');

async function missingOrders(directory: JobDirectory, orders: readonly TrialOrder[]): Promise<TrialOrder[]> {
  const done = new Set((await directory.readTrials()).map((trial) => `${trial.task}.${trial.attempt}`));
  return orders.filter(({ id }) => !done.has(id));
}
