import { AssayError, type SealCheckRecord } from '@assay/protocol';
import type { Mount, Sandbox, SandboxOptions } from '@assay/sandbox';
import type { Agent } from '../agents/agent.ts';
import { execAgent } from '../agents/exec-agent.ts';
import { CANARY_MOUNTS, plantCanaries, type PlantedCanaries } from '../canaries/plant-canaries.ts';
import { CHEATS } from '../cheats/index.ts';
import { gradingContinuation, type GradingContinuation } from './scene/grading-continuation.ts';
import { openScene, type OpenScene } from './scene/open-scene.ts';
import type { OpenRepositoryTask } from '../verify/open-repository-task.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { checkSeals } from './seal-check/check-seals.ts';
import type { WaitingProcess } from './seal-check/first-command.ts';
import type { OpenTask } from '../kinds/kind.ts';
import { trialCanaries } from './trial-canaries.ts';
import { openTrialLane, type TrialLane } from './lanes/trial-lane.ts';
import { openTrialPackages, withLane, type TrialPackages } from './lanes/trial-packages.ts';
import { agentTimeoutMs, type TrialRequest } from './trial-request.ts';

export interface Workplace {
  agent: Agent;
  /** The agent's sandbox; gone once stage 3 has read it. */
  sandbox: Sandbox;
  /** What was looked at in it, and held. */
  sealCheck: SealCheckRecord;
  /** What looked, waiting to become the agent's first command. */
  waiting: WaitingProcess | null;
  /** What is planted in it for an agent that looks where answers would lie. */
  canaries: PlantedCanaries;
  instruction: string;
  /** Of agents that ask a model. */
  lane: TrialLane | null;
  /** Paths of the repository that the agent does not see as they are. */
  covered: readonly string[];
  /** Only for cheats: what is planted for them. */
  scene: OpenScene | null;
  /** With the seal `separate-verifier` off: how the agent's process tree goes on into grading. */
  continued: GradingContinuation | null;
  /** May be called twice. */
  dispose(): Promise<void>;
}

/**
 * Stage 1: the agent's sandbox, with the tree of T0 and its environment under private writable layers, and nothing else
 * but what the agent itself consists of, a lane to its model where it asks one, and one to packages where the task
 * allows it. Throws `TASK_KIND` when a cheat is run against, or a seal is off of, another task than one of a
 * repository, and `SEAL_BROKEN` when the sandbox is not what it has to be: nothing of the agent has run then.
 */
export async function prepareTrial(request: TrialRequest): Promise<Workplace> {
  const { task: open, agent, provider, unsealed, signal } = request;
  const { task, t0Directory, environment } = open;
  const cheat = 'cheat' in agent ? CHEATS.find((each) => each.id === agent.cheat) : undefined;
  const attacked = cheat || unsealed.size > 0 ? requireRepository(open) : null;
  const scene = attacked ? await openScene({ task: attacked, unsealed }, cheat) : null;
  const continued = attacked && unsealed.has('separate-verifier') ? await gradingContinuation(attacked) : null;
  let lane: TrialLane | null = null;
  let packages: TrialPackages | null = null;
  let sandbox: Sandbox | null = null;
  let disposed: Promise<void> | undefined;
  const disposeOnce = async (): Promise<void> => {
    await sandbox?.destroy();
    await lane?.end();
    await packages?.end();
    await scene?.dispose();
  };
  const dispose = (): Promise<void> => (disposed ??= disposeOnce());
  try {
    lane = await openLane(request);
    packages = await openPackages(request);
    const outfit =
      'cheat' in agent ? undefined : await agent.outfit?.({ t0Directory, cacheDirectory: cacheDirectory(), signal });
    const canaries = await trialCanaries(request);
    const options = sandboxOptions(request, {
      lane,
      packages,
      scene,
      continued,
      outfit,
      canaries: canaries.length > 0,
    });
    sandbox = await provider.create(options);
    const planted = plantCanaries(sandbox, canaries);
    const { record: sealCheck, waiting } = await checkSeals(sandbox, {
      provider,
      unsealed,
      ...rootOf(environment),
      lanePorts: lanePorts(options),
      first: { timeoutMs: agentTimeoutMs(request), cwd: '/workspace' },
      signal,
    });
    return {
      agent: 'cheat' in agent ? execAgent(scene?.script ?? 'true', { name: `cheat:${agent.cheat}` }) : agent,
      sandbox,
      sealCheck,
      waiting,
      canaries: planted,
      instruction: `${task.instruction}${scene?.instructionSuffix ?? ''}`,
      covered: outfit?.covered ?? [],
      lane,
      scene,
      continued,
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Parts {
  lane: TrialLane | null;
  packages: TrialPackages | null;
  scene: Workplace['scene'];
  continued: GradingContinuation | null;
  outfit: Awaited<ReturnType<NonNullable<Agent['outfit']>>> | undefined;
  /** Whether canaries will be planted. */
  canaries: boolean;
}

/** All that the agent's sandbox is made of. */
function sandboxOptions({ task: open, unsealed, signal }: TrialRequest, parts: Parts): SandboxOptions {
  const { t0Directory, environment } = open;
  const { lane, packages, scene, continued, outfit, canaries } = parts;
  const mounts: Mount[] = [
    {
      kind: 'layers',
      sources: [...(scene?.repositoryLayers ?? []), t0Directory],
      target: '/workspace',
      ...(outfit?.deleted ? { deleted: outfit.deleted } : {}),
    },
    ...environment.mounts({ writable: true }),
    ...(scene?.mounts ?? []),
    ...(continued?.mounts ?? []),
    ...(outfit?.mounts ?? []),
    ...(canaries ? CANARY_MOUNTS : []),
  ];
  return {
    mounts,
    ...rootOf(environment),
    env: { ...environment.env, ...packages?.env, ...scene?.env },
    cwd: '/workspace',
    network: withLane(lane?.network ?? { kind: unsealed.has('network') ? 'host' : 'none' }, packages?.lane),
    unsealed: (['network', 'host-files', 'privileges', 'limits'] as const).filter((name) => unsealed.has(name)),
    signal,
  };
}

const rootOf = ({ root }: OpenTask['environment']): { root?: string } => (root === undefined ? {} : { root });

const lanePorts = ({ network }: SandboxOptions): number[] =>
  network?.kind === 'lanes' ? network.lanes.map(({ port }) => port) : [];

/** Throws `IMPOSSIBLE` when an agent asks a model and nobody said which: that is told before the first trial. */
async function openLane({ agent, agentModel, directory, unsealed }: TrialRequest): Promise<TrialLane | null> {
  if ('cheat' in agent || agent.model === undefined) return null;
  if (agentModel === undefined)
    throw new AssayError('IMPOSSIBLE', { detail: `no model was given to the agent ${agent.name}` });
  return openTrialLane(agentModel, { directory, hostNetwork: unsealed.has('network') });
}

/** Not with the network of the host: nothing would lead to it. */
async function openPackages({
  task: { repository, t0Directory },
  directory,
  unsealed,
}: TrialRequest): Promise<TrialPackages | null> {
  if (repository?.task.meta.network !== 'package-lane' || unsealed.has('network')) return null;
  const { environment, t0 } = repository.task.meta;
  return openTrialPackages({ environment, t0, t0Directory, directory });
}

/** What seals and cheats are about. */
function requireRepository({ task, repository }: OpenTask): OpenRepositoryTask {
  if (!repository) throw new AssayError('TASK_KIND', { path: task.id, kind: task.kind, wanted: 'repository' });
  return repository;
}
