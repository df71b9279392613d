import { AssayError, type Trial, type TrialOrder } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { remember } from '@assay/files/remember';
import { decide } from '@assay/files/store/failure-policy';
import { isModelDialect } from '@assay/lanes/model-lane/dialects/lane-dialects';
import { findModelKey } from '@assay/lanes/model-lane/endpoint';
import { modelJudge } from '@assay/judging/model-judge';
import { findAgent } from '../agents/index.ts';
import { readTask } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import type { ScenarioHost } from '../kinds/kind.ts';
import { openTasksOnce } from '../kinds/open-task.ts';
import type { TrialModel } from '../trial/lanes/agent-model.ts';
import { runTrial } from '../trial/run-trial.ts';
import type { TrialRequest, TrialResult } from '../trial/trial-request.ts';
import type { JobDirectory } from './job-directory.ts';
import { addUsage } from './trial-usage.ts';

export interface WorkerOptions {
  cacheDirectory: string;
  /** Where trials are put on record. */
  directory: Pick<JobDirectory, 'trial' | 'begin' | 'discard'>;
  /** Tasks that stay open: at least as many as are at work at once. */
  keep: number;
  /** Opens tasks of scenarios. */
  scenarios?: ScenarioHost;
  /** Bundles that were read and checked already, by digest. */
  known?: ReadonlyMap<string, Task>;
}

export interface TrialWorker {
  /**
   * Runs one trial from its order alone, or goes on with it where an earlier worker was killed. Rejects with what
   * neither the agent nor its submission can have caused: what happens then is a matter of the policy for failures.
   */
  run(order: TrialOrder, options?: { signal?: AbortSignal; tell?: (text: string) => void }): Promise<TrialResult>;
}

/**
 * Makes a worker. It keeps agents, providers and open tasks for the orders that follow; keys of models come from its
 * environment.
 */
export function trialWorker({ cacheDirectory, directory, keep, scenarios, known }: WorkerOptions): TrialWorker {
  const providers = new Map<string, Promise<SandboxProvider>>();
  const agents = new Map<string, Promise<TrialRequest['agent']>>();
  const open = openTasksOnce(keep);
  return {
    run: async (order, { signal, tell } = {}) => {
      const provider = await remember(providers, order.provider, () => chooseProvider(order.provider));
      const agent = await remember(agents, JSON.stringify(order.agent), () => agentOf(order, cacheDirectory));
      tell?.('making its environment ready');
      const task = await open(known?.get(order.task.digest) ?? (await readOrdered(order)), {
        provider,
        cacheDirectory,
        scenarios,
        progress: tell,
        signal,
      });
      tell?.('at work');
      await directory.begin(order.id);
      const agentModel = modelOf(order);
      const request: TrialRequest = {
        task,
        agent,
        attempt: order.attempt,
        provider,
        unsealed: new Set(order.unsealed),
        agentModel,
        ...modelJudge(order.judge, agentModel),
        timeoutSec: order.timeoutSec,
        directory: directory.trial(order.id),
        signal,
      };
      return runUntilKnown(request, (tries) => directory.discard(order.id, tries));
    },
  };
}

/** The agent works again, as often as the policy says, when what is around it broke; never when the verifier did. */
async function runUntilKnown(
  request: TrialRequest,
  discardFiles: (tries: number) => Promise<void>,
): Promise<TrialResult> {
  const { retries } = decide(new AssayError('SANDBOX_GONE'), 'agent');
  let discarded: TrialRequest['discarded'];
  for (;;) {
    const result = await runTrial({ ...request, discarded });
    if (result.broke !== 'agent' || (discarded?.tries ?? 0) >= retries) return result;
    discarded = discard(result.trial);
    await discardFiles(discarded.tries);
  }
}

/** Keeps the usage of a discarded try, which was paid for. */
function discard({ discarded, usage }: Trial): NonNullable<TrialRequest['discarded']> {
  return { tries: (discarded?.tries ?? 0) + 1, usage: addUsage(discarded?.usage, usage) };
}

async function readOrdered({ task: { path, digest } }: TrialOrder): Promise<Task> {
  const task = await readTask(path);
  if (task.meta.digest !== digest)
    throw new AssayError('TASK_ALTERED', { path, detail: `${digest} was ordered, and ${task.meta.digest} is there` });
  return task;
}

async function agentOf({ agent: ordered }: TrialOrder, cacheDirectory: string): Promise<TrialRequest['agent']> {
  const agent = findAgent(ordered.name, { command: ordered.command, mounts: ordered.mounts });
  if (!('cheat' in agent)) await agent.install?.({ cacheDirectory });
  return agent;
}

/** The model of an order, with the key that this worker has for it. */
function modelOf({ model }: TrialOrder): TrialModel | undefined {
  if (model === undefined) return undefined;
  const { name, endpoint, budgets, price, policy, graceMs } = model;
  const dialects = model.dialects.filter(isModelDialect);
  return {
    name,
    endpoint,
    dialects,
    apiKey: findModelKey(dialects),
    budgets,
    prices: price && { [name]: price },
    policy,
    graceMs,
  };
}
