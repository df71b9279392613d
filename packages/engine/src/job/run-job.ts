import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  AssayError,
  SEAL_NAMES,
  type Job,
  type OnProgress,
  type SealName,
  type Trial,
  type TrialUsage,
} from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import type { Agent, AgentPackage } from '../agents/agent.ts';
import { findAgent } from '../agents/index.ts';
import { readTasks } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import { signingKey } from '@assay/judging/receipts/key-file';
import { wilsonInterval } from '../stats/wilson.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { jobModel, resolveAgentModel, type AgentModelOptions } from '../trial/agent-model.ts';
import { modelJudge, withoutSecrets, type ModelAddress } from '@assay/judging/model-judge';
import { openTasksOnce } from '../kinds/open-task.ts';
import type { ScenarioHost } from '../kinds/kind.ts';
import type { TrialRequest, TrialResult } from '../trial/trial-request.ts';
import { openJobDirectory, type JobDirectory } from './job-directory.ts';
import { runTrial, trialId } from '../trial/run-trial.ts';
import { addUsage, totalUsage } from '../trial/trial-usage.ts';
import { forEachParallel } from '@assay/files/store/schedule';

export interface RunJobOptions {
  /** A task or a dataset. */
  path: string;
  agent: string;
  /** Command line of the agent `exec`. */
  agentCommand?: string;
  /** The model that the agent asks, where it asks one. */
  model?: AgentModelOptions;
  attempts?: number;
  parallel?: number;
  timeoutSec?: number;
  provider?: string;
  /** Of the model that judges, where a standard needs one. */
  judge?: ModelAddress;
  /** Opens tasks of scenarios. */
  scenarios?: ScenarioHost;
  unseal?: string[];
  /** Job directory; default `jobs/<id>`. */
  out?: string;
  resume?: boolean;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface JobSummary {
  trials: number;
  passed: number;
  /** Excluded from the rate: their outcome is unknown. */
  invalid: number;
  /** Passed of those that have an outcome; null when none has. */
  passRate: number | null;
  /** Wilson score interval of the rate at 95 %. */
  ci95: [number, number] | null;
  /** Milliseconds of all trials together, as if one came after the other. */
  durationMs: number;
  /** Of agents that ask a model: all that the trials used up together, discarded tries included. */
  usage?: TrialUsage;
}

export interface JobResult {
  job: string;
  directory: string;
  trials: Trial[];
  summary: JobSummary;
}

/** How often a trial that ended `invalid` is tried again. */
const INVALID_RETRIES = 2;

/**
 * Runs one agent on every task, `attempts` times each, and leaves a job directory. Done trials are not done again with
 * `resume`.
 */
export async function runJob(options: RunJobOptions): Promise<JobResult> {
  const agent = findAgent(options.agent, options.agentCommand);
  const unsealed = parseSeals(options.unseal ?? []);
  const attempts = options.attempts ?? 1;
  const tasks = await readTasks(options.path);
  refuseOtherKinds(tasks, options);
  const agentModel = await resolveAgentModel(agent, options.model, options.signal);
  const provider = await chooseProvider(options.provider);
  const version = 'cheat' in agent ? undefined : agent.version;
  const installed = 'cheat' in agent ? undefined : await installAgent(agent, options);
  const judging = modelJudge(options.judge, agentModel);
  // A key that cannot sign is told before the work, not after the first trial.
  await signingKey();
  const id = `${new Date().toISOString().replace(/\W/g, '').slice(0, 15)}-${randomBytes(3).toString('hex')}`;
  const wanted: Job = {
    version: 1,
    id,
    createdAt: new Date().toISOString(),
    agent: agentLabel(options),
    ...(version === undefined ? {} : { agentVersion: version }),
    ...(installed ? { agentPackages: installed.packages } : {}),
    attempts,
    timeoutSec: options.timeoutSec ?? null,
    provider: provider.name ?? 'unnamed',
    unseal: [...unsealed],
    ...(agentModel ? { model: jobModel(agentModel) } : {}),
    ...(options.judge ? { judge: withoutSecrets(options.judge) } : {}),
    tasks: tasks.map((task) => ({ id: task.id, digest: task.meta.digest })),
  };
  const directory = await openJobDirectory(resolve(options.out ?? join('jobs', id)), wanted, options.resume ?? false);
  try {
    const pending = await pendingTrials(directory, tasks, attempts);
    const total = tasks.length * attempts;
    let done = total - pending.length;
    const parallel = options.parallel ?? availableParallelism();
    const openOnce = openTasksOnce(
      { provider, cacheDirectory: cacheDirectory(), scenarios: options.scenarios, signal: options.signal },
      parallel + 1,
    );
    await forEachParallel(
      pending,
      parallel,
      async ({ task, attempt }) => {
        const item = `${task.id}#${attempt}`;
        options.onEvent?.({ type: 'item-start', item, done, total });
        const tell = (text: string): void => options.onEvent?.({ type: 'item-progress', item, text });
        tell('making its environment ready');
        const open = await openOnce(task, tell);
        tell('at work');
        let result: TrialResult | undefined;
        let discarded: TrialRequest['discarded'];
        for (
          let retry = 0;
          retry <= INVALID_RETRIES &&
          (result === undefined || (result.trial.outcome === 'invalid' && result.missing === undefined));
          retry += 1
        ) {
          discarded = result && discard(result.trial);
          if (discarded) await directory.discard(trialId({ task: open, attempt }), discarded.tries);
          else await directory.clear(trialId({ task: open, attempt }));
          result = await runTrial({
            task: open,
            agent,
            attempt,
            provider,
            unsealed,
            ...judging,
            agentModel,
            ...(discarded ? { discarded } : {}),
            directory: directory.trial(trialId({ task: open, attempt })),
            ...(options.timeoutSec ? { timeoutSec: options.timeoutSec } : {}),
            signal: options.signal,
          });
        }
        done += 1;
        options.onEvent?.({
          type: 'item-end',
          item,
          ok: result?.trial.outcome === 'pass',
          text: result?.trial.outcome ?? '',
          done,
          total,
        });
      },
      options.signal,
    );
    const trials = await directory.readTrials();
    return { job: directory.job.id, directory: directory.path, trials, summary: summarise(trials) };
  } finally {
    await directory.close();
  }
}

/** Told only where there is something to do. */
async function installAgent(
  agent: Agent,
  { signal, onEvent }: RunJobOptions,
): Promise<{ packages: AgentPackage[] } | undefined> {
  const item = `the program of ${agent.name}`;
  let told = false;
  const progress = (text: string): void => {
    onEvent?.({ type: told ? 'item-progress' : 'item-start', item, text });
    told = true;
  };
  const installed = await agent.install?.({ cacheDirectory: cacheDirectory(), progress, signal });
  if (told) onEvent?.({ type: 'item-end', item, ok: true, text: 'is installed' });
  return installed;
}

/** What a try that is made again leaves: it was paid for. */
function discard({ discarded, usage }: Trial): NonNullable<TrialRequest['discarded']> {
  const sum = addUsage(discarded?.usage, usage);
  return { tries: (discarded?.tries ?? 0) + 1, ...(sum ? { usage: sum } : {}) };
}

/** Seals and cheats are about repositories: told before the first trial, and not by leaving tasks out. */
function refuseOtherKinds(tasks: readonly Task[], { agent, unseal = [] }: RunJobOptions): void {
  const other =
    unseal.length > 0 || agent.startsWith('cheat:') ? tasks.find(({ kind }) => kind !== 'repository') : undefined;
  if (other) throw new AssayError('TASK_KIND', { path: other.directory, kind: other.kind, wanted: 'repository' });
}

/** Throws `UNKNOWN_SEAL`. */
export function parseSeals(names: readonly string[]): Set<SealName> {
  const isSeal = (name: string): name is SealName => (SEAL_NAMES as readonly string[]).includes(name);
  return new Set(
    names.map((name) => {
      if (!isSeal(name)) throw new AssayError('UNKNOWN_SEAL', { name, known: SEAL_NAMES.join(', ') });
      return name;
    }),
  );
}

const agentLabel = ({ agent, agentCommand }: RunJobOptions): string =>
  agent === 'exec' ? `exec: ${agentCommand}` : agent;

async function pendingTrials(
  directory: JobDirectory,
  tasks: Task[],
  attempts: number,
): Promise<{ task: Task; attempt: number }[]> {
  const done = new Set((await directory.readTrials()).map((trial) => `${trial.task}.${trial.attempt}`));
  return tasks
    .flatMap((task) => Array.from({ length: attempts }, (_, index) => ({ task, attempt: index + 1 })))
    .filter(({ task, attempt }) => !done.has(`${task.id}.${attempt}`));
}

function summarise(trials: Trial[]): JobSummary {
  const passed = trials.filter((trial) => trial.outcome === 'pass').length;
  const invalid = trials.filter((trial) => trial.outcome === 'invalid').length;
  const known = trials.length - invalid;
  const usage = totalUsage(trials);
  const durationMs = trials.reduce((sum, trial) => sum + trial.durationMs, 0);
  return {
    trials: trials.length,
    passed,
    invalid,
    passRate: known > 0 ? passed / known : null,
    ci95: known > 0 ? wilsonInterval(passed, known) : null,
    durationMs,
    ...(usage ? { usage } : {}),
  };
}
