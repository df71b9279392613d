import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentStatus, TrialUsage } from '@assay/protocol';
import type { Network } from '@assay/sandbox';
import type { AgentModel } from '../../agents/agent.ts';
import {
  openModelLane,
  type ModelLane,
  type ModelLaneStop,
  type ModelLaneUsage,
} from '@assay/lanes/model-lane/model-lane';
import { openRecordFile } from '@assay/lanes/model-lane/record-file';
import type { TrialModel } from './agent-model.ts';

/** Where the agent finds its model inside. */
const PORT = 8711;
/**
 * How long an agent may go on after its lane has stopped: to say its last words when it spent its budget, not at all
 * when its model is gone.
 */
const GRACE_MS = { budget: 30_000, infrastructure: 2000 };

/** The lane of one trial, from its sandbox to its model. */
export interface TrialLane {
  model: AgentModel;
  /** Network of the agent's sandbox. */
  network: Network;
  /** Fires when the agent goes on although the lane has stopped. */
  overdue: AbortSignal;
  /**
   * Once the agent is dead. From then on the token is worth nothing, and the record is complete. May be called twice.
   * The signal cuts checks of the service short.
   */
  end(signal?: AbortSignal): Promise<LaneEnd>;
}

export interface LaneEnd {
  usage: TrialUsage;
  /** Null when the lane served to the end. */
  stopped: { status: Extract<AgentStatus, 'budget' | 'infrastructure'>; detail: string } | null;
  /** The service failed at the last thing that the agent asked, though not for good. */
  lastFailed: boolean;
}

export interface TrialLaneOptions {
  /** Directory of the trial, for `model.jsonl`. */
  directory?: string | undefined;
  /** The sandbox has the network of the host: there is no relay, and the lane listens itself. */
  hostNetwork?: boolean;
}

/** Opens a lane with a token of its own. Throws what `openModelLane` throws. */
export async function openTrialLane(
  trialModel: TrialModel,
  { directory, hostNetwork = false }: TrialLaneOptions = {},
): Promise<TrialLane> {
  const { name, endpoint, dialects, apiKey, budgets, prices, policy, graceMs } = trialModel;
  if (directory !== undefined) await mkdir(directory, { recursive: true });
  const file = directory === undefined ? null : openRecordFile(join(directory, 'model.jsonl'));
  const overdue = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const onStop = (stop: ModelLaneStop): void => {
    grace = setTimeout(() => overdue.abort(new Error(stop.detail)), graceMs ?? GRACE_MS[statusOf(stop)]);
  };
  const lane = await openModelLane({
    upstream: { endpoint, dialect: dialects, apiKey },
    models: [name],
    budgets,
    record: file?.record ?? (() => {}),
    onStop,
    listen: hostNetwork ? { port: 0 } : 'socket',
    prices,
    policy,
  }).catch((error: unknown) => {
    file?.discard();
    throw error;
  });
  let ended: Promise<LaneEnd> | undefined;
  const end = async (signal?: AbortSignal): Promise<LaneEnd> => {
    // Before the rest is cut off by closing, which is no fault of the service.
    const lastFailed = await lane.lastFailed(signal).catch(() => false);
    const stop = lane.stopReason();
    await lane.close();
    clearTimeout(grace);
    file?.close();
    return {
      usage: usageOf(lane.usage()),
      stopped: stop === null || stop.kind === 'revoked' ? null : { status: statusOf(stop), detail: stop.detail },
      lastFailed,
    };
  };
  return {
    model: {
      name,
      endpoints: hostNetwork ? lane.endpoints() : lane.endpoints(`http://127.0.0.1:${PORT}`),
      token: lane.token,
    },
    network: networkOf(lane),
    overdue: overdue.signal,
    end: (signal) => (ended ??= end(signal)),
  };
}

const networkOf = ({ socket }: ModelLane): Network =>
  socket === null ? { kind: 'host' } : { kind: 'lanes', lanes: [{ port: PORT, socket }] };

/** Only a spent budget says something about the agent. */
const statusOf = ({ kind }: ModelLaneStop): 'budget' | 'infrastructure' =>
  kind === 'budget' || kind === 'requests' ? 'budget' : 'infrastructure';

function usageOf({
  requests,
  inputTokens,
  cachedInputTokens,
  outputTokens,
  usd,
  retries,
  estimated,
}: ModelLaneUsage): TrialUsage {
  return { requests, inputTokens, cachedInputTokens, outputTokens, usd, retries, estimated };
}
