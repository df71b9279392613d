import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import {
  AssayError,
  SEAL_NAMES,
  type ItemFailure,
  type Job,
  type OnProgress,
  type SealName,
  type TrialOrder,
} from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { failureOf } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { withoutSecrets, type ModelAddress } from '@assay/judging/model-judge';
import { signingKey } from '@assay/judging/receipts/key-file';
import type { Agent, AgentPackage } from '../agents/agent.ts';
import { checkAgentMounts } from '../agents/agent-mounts.ts';
import { findAgent } from '../agents/index.ts';
import { readDataset } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import type { ScenarioHost } from '../kinds/kind.ts';
import { requireAttackable } from '../kinds/require-attacks.ts';
import { jobModel, resolveAgentModel, type AgentModelOptions, type TrialModel } from '../trial/lanes/agent-model.ts';

export interface RunJobOptions {
  /** A task or a dataset. */
  path: string;
  agent: string;
  /** Command line of the agent `exec`. */
  agentCommand?: string;
  /** Directories of this machine that the agent `exec` sees read-only: `DIRECTORY` or `DIRECTORY:TARGET`. */
  agentMounts?: string[];
  /** The model that the agent asks, where it asks one. */
  model?: AgentModelOptions;
  attempts?: number;
  parallel?: number;
  timeoutSec?: number;
  provider?: string;
  /** The model that judges, where a standard needs one. */
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

export interface JobPlan {
  job: Job;
  tasks: Task[];
  /** Directories of the dataset that could not be read as tasks. */
  failures: ItemFailure[];
  /** The order of one attempt at one task. */
  order(task: Task, attempt: number): TrialOrder;
}

/**
 * Checks everything that can be checked before the first trial, and returns the job as plain data. Throws errors that
 * the user can fix. A task that cannot be read is among the failures, unless none can.
 */
export async function planJob(options: RunJobOptions): Promise<JobPlan> {
  const mounts = await checkAgentMounts(options.agent, options.agentMounts ?? []);
  const agent = findAgent(options.agent, { command: options.agentCommand, mounts });
  const unsealed = parseSeals(options.unseal ?? []);
  const { tasks, broken } = await readDataset(options.path);
  // Fails before the first trial rather than leaving tasks out.
  if (unsealed.size > 0 || 'cheat' in agent) requireAttackable(tasks);
  const model = await resolveAgentModel(agent, options.model, options.signal);
  const provider = await chooseProvider(options.provider);
  const installed = 'cheat' in agent ? undefined : await installAgent(agent, options);
  // Fails here on a key that cannot sign, and not after the first trial.
  await signingKey();
  const id = `${new Date().toISOString().replace(/\W/g, '').slice(0, 15)}-${randomBytes(3).toString('hex')}`;
  const job: Job = {
    version: 1,
    id,
    createdAt: new Date().toISOString(),
    agent: options.agent === 'exec' ? `exec: ${options.agentCommand}` : options.agent,
    agentVersion: 'cheat' in agent ? undefined : agent.version,
    agentPackages: installed?.packages,
    agentMounts: mounts.length > 0 ? mounts : undefined,
    attempts: options.attempts ?? 1,
    timeoutSec: options.timeoutSec ?? null,
    provider: provider.name ?? 'unnamed',
    unseal: [...unsealed],
    model: model && jobModel(model),
    judge: options.judge && withoutSecrets(options.judge),
    tasks: tasks.map((task) => ({ id: task.id, digest: task.meta.digest })),
    quarantined: broken.length > 0 ? broken.map((each) => ({ directory: basename(each.directory) })) : undefined,
  };
  const common = {
    version: 1,
    kind: 'trial',
    agent: { name: options.agent, command: options.agentCommand, mounts },
    provider: job.provider,
    model: orderedModel(model),
    judge: options.judge,
    timeoutSec: options.timeoutSec,
  } as const;
  const order = (task: Task, attempt: number): TrialOrder => ({
    ...common,
    id: `${task.id}.${attempt}`,
    job: id,
    task: { id: task.id, digest: task.meta.digest, path: task.directory },
    unsealed: [...unsealed],
    attempt,
  });
  return { job, tasks, failures: broken.map(({ directory, error }) => failureOf(directory, error)), order };
}

function orderedModel(model: TrialModel | undefined): TrialOrder['model'] {
  if (model === undefined) return undefined;
  const { policy, graceMs } = model;
  return { ...jobModel(model), policy: policy && { ...policy }, graceMs };
}

/** Installs the agent's program. Reports progress only where there is something to do. */
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

/** Throws `UNKNOWN_SEAL`. */
function parseSeals(names: readonly string[]): Set<SealName> {
  const isSeal = (name: string): name is SealName => (SEAL_NAMES as readonly string[]).includes(name);
  return new Set(
    names.map((name) => {
      if (!isSeal(name)) throw new AssayError('UNKNOWN_SEAL', { name, known: SEAL_NAMES.join(', ') });
      return name;
    }),
  );
}
