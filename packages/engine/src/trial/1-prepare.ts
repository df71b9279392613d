import { AssayError, type SealCheckRecord } from '@assay/protocol';
import type { Mount, Sandbox, SandboxOptions } from '@assay/sandbox';
import type { Agent } from '../agents/agent.ts';
import { execAgent } from '../agents/exec-agent.ts';
import { CANARY_MOUNTS, plantCanaries, type PlantedCanaries } from '../canaries/plant-canaries.ts';
import { CHEATS } from '../cheats/index.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { checkSeals } from './seal-check/check-seals.ts';
import type { WaitingProcess } from './seal-check/first-command.ts';
import type { OpenTask } from '../kinds/kind.ts';
import { requireAttacks } from '../kinds/require-attacks.ts';
import type { OpenScene } from '../kinds/scene.ts';
import { trialCanaries } from './trial-canaries.ts';
import { openTrialLane, type TrialLane } from './lanes/trial-lane.ts';
import { openTrialPackages, withLane, type TrialPackages } from './lanes/trial-packages.ts';
import { agentTimeoutMs, type TrialRequest } from './trial-request.ts';

export interface Workplace {
  agent: Agent;
  /** The agent's sandbox; gone once stage 3 has read it. */
  sandbox: Sandbox;
  /** The checks of the sandbox that held. */
  sealCheck: SealCheckRecord;
  /** The process that made the checks, waiting to become the agent's first command. */
  waiting: WaitingProcess | null;
  /** Wrong fixes, planted for an agent that looks where answers would lie. */
  canaries: PlantedCanaries;
  instruction: string;
  /** The lane to the model; null for agents that ask none. */
  lane: TrialLane | null;
  /** Paths of the repository that the agent does not see as they are. */
  covered: readonly string[];
  /** Surroundings of a cheat; null for other agents with every seal on. */
  scene: OpenScene | null;
  /** May be called twice. */
  dispose(): Promise<void>;
}

/**
 * Stage 1: makes the agent's sandbox, with the tree of T0 and its environment under private writable layers, and nothing
 * else but what the agent itself consists of, a lane to its model where it asks one, and one to packages where the task
 * allows it. Throws `TASK_KIND` when a cheat is to run or a seal is off, and the task has no attacks; `SEAL_BROKEN` when
 * the sandbox is not what it has to be. Nothing of the agent has run by then.
 */
export async function prepareTrial(request: TrialRequest): Promise<Workplace> {
  const { task: open, agent, provider, unsealed, signal } = request;
  const { task, t0Directory, environment } = open;
  const cheat = 'cheat' in agent ? CHEATS.find((each) => each.id === agent.cheat) : undefined;
  const attacked = cheat !== undefined || unsealed.size > 0;
  const scene = attacked ? await requireAttacks(open).openScene({ unsealed, cheat }) : null;
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
    const options = sandboxOptions(request, { lane, packages, scene, outfit, canaries: canaries.length > 0 });
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
  scene: OpenScene | null;
  outfit: Awaited<ReturnType<NonNullable<Agent['outfit']>>> | undefined;
  /** Whether canaries will be planted. */
  canaries: boolean;
}

/** All that the agent's sandbox is made of. */
function sandboxOptions({ task: open, unsealed, signal }: TrialRequest, parts: Parts): SandboxOptions {
  const { t0Directory, environment } = open;
  const { lane, packages, scene, outfit, canaries } = parts;
  const mounts: Mount[] = [
    {
      kind: 'layers',
      sources: [...(scene?.repositoryLayers ?? []), t0Directory],
      target: '/workspace',
      deleted: outfit?.deleted,
    },
    ...environment.mounts({ writable: true }),
    ...(packages?.installers?.mounts ?? []),
    ...(scene?.mounts ?? []),
    ...(outfit?.mounts ?? []),
    ...(canaries ? CANARY_MOUNTS : []),
  ];
  return {
    mounts,
    ...rootOf(environment),
    env: { ...environment.env, ...packages?.env, ...installerPath(environment, packages), ...scene?.env },
    cwd: '/workspace',
    network: withLane(lane?.network ?? { kind: unsealed.has('network') ? 'host' : 'none' }, packages?.lane),
    unsealed: (['network', 'host-files', 'privileges', 'limits'] as const).filter((name) => unsealed.has(name)),
    signal,
  };
}

/** PATH with what stands for installers, where the box has such. */
function installerPath({ env }: OpenTask['environment'], packages: TrialPackages | null): { PATH?: string } {
  const bin = packages?.installers?.bin;
  return bin === undefined ? {} : { PATH: `${bin}:${env['PATH'] ?? '/usr/bin:/bin'}` };
}

const rootOf = ({ root }: OpenTask['environment']): { root?: string } => (root === undefined ? {} : { root });

const lanePorts = ({ network }: SandboxOptions): number[] =>
  network?.kind === 'lanes' ? network.lanes.map(({ port }) => port) : [];

/** Opens the lane to the agent's model. Jobs without one are refused earlier, so `IMPOSSIBLE` is thrown here. */
async function openLane({ agent, agentModel, directory, unsealed }: TrialRequest): Promise<TrialLane | null> {
  if ('cheat' in agent || agent.model === undefined) return null;
  if (agentModel === undefined)
    throw new AssayError('IMPOSSIBLE', { detail: `no model was given to the agent ${agent.name}` });
  return openTrialLane(agentModel, { directory, hostNetwork: unsealed.has('network') });
}

/** Opens the lane to packages; none with the network of the host, where nothing would lead to it. */
async function openPackages({
  task: { packages, t0Directory },
  directory,
  unsealed,
}: TrialRequest): Promise<TrialPackages | null> {
  if (packages === undefined || unsealed.has('network')) return null;
  return openTrialPackages({ ...packages, t0Directory, directory });
}
