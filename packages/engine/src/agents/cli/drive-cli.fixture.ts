import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { chooseProvider, sandboxOwner, type Mount } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { collectChange, readManifest } from '@assay/files/tree-manifest';
import type {
  ModelBudgets,
  ModelLaneEntry,
  ModelLanePolicy,
  ModelLaneStop,
  ModelLaneUsage,
} from '@assay/lanes/model-lane/contract';
import { openModelLane } from '@assay/lanes/model-lane/model-lane';
import type { FakeModelScriptInput } from '../../../../lanes/src/fake-model/script.ts';
import { startFakeModel } from '../../../../lanes/src/fake-model/start-fake-model.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import type { AgentModel } from '../agent.ts';
import type { CliAgent, CliAgentRun } from './cli-agent.ts';
import { withoutCovered } from './cover-steering.ts';

const PORT = 7001;
export const MODELS: Readonly<Record<string, string>> = {
  'claude-code': 'claude-opus-4-8',
  codex: 'gpt-5.5',
  'gemini-cli': 'gemini-3.8-flash',
  opencode: 'scripted',
};

export interface CliDrive {
  script: FakeModelScriptInput;
  instruction?: string;
  /** The repository, by path. */
  tree: Record<string, string>;
  budgets?: ModelBudgets;
  policy?: Partial<ModelLanePolicy>;
  /** The control: nothing in the repository is covered. */
  uncovered?: boolean;
  provider?: string;
  timeoutMs?: number;
  /** Model name that the agent is told. Default: the lane's. */
  model?: string;
  /** Time after which the agent is killed once its lane has stopped. */
  stopAfterMs?: number;
}

export interface SandboxedCli {
  run: CliAgentRun;
  change: ChangeSet;
  /** When the agent's own program was started. */
  startedAt: number;
  /** Duration of the whole trial, without the installation. */
  totalMs: number;
}

export interface DrivenCli extends Omit<SandboxedCli, 'startedAt'> {
  entries: ModelLaneEntry[];
  usage: ModelLaneUsage;
  stop: ModelLaneStop | null;
  /** Milliseconds from the start of the sandbox's exec to the first request to the lane. */
  firstRequestMs: number | null;
}

/** The model of a CLI in a sandbox: a Unix socket, and how the model looks from inside. */
export interface CliModel {
  socket: string;
  model: string;
  token: string;
  endpoints: AgentModel['endpoints'];
  signal?: AbortSignal;
}

export const originInside = `http://127.0.0.1:${PORT}`;

/**
 * Runs one trial of a CLI: a scripted model behind the model lane, and a sandbox with that lane and nothing else.
 * Returns what it leaves.
 */
export async function driveCli(agent: CliAgent, drive: CliDrive): Promise<DrivenCli> {
  const model = await startFakeModel({ script: drive.script });
  const entries: ModelLaneEntry[] = [];
  const name = MODELS[agent.recipe.name] ?? 'scripted';
  const overdue = new AbortController();
  const lane = await openModelLane({
    onStop: () => void setTimeout(() => overdue.abort(), drive.stopAfterMs ?? 60_000).unref(),
    upstream: {
      endpoint: new URL('/', model.endpoints.openai).href,
      dialect: agent.recipe.dialects,
      apiKey: 'sk-the-real-key-0123456789',
    },
    models: [name],
    record: (entry) => entries.push(entry),
    policy: { backOffMs: 5, attempts: 3, ...drive.policy },
    budgets: drive.budgets,
  });
  try {
    const { startedAt, ...driven } = await runSandboxed(agent, drive, {
      socket: lane.socket ?? '',
      model: drive.model ?? name,
      token: lane.token,
      endpoints: lane.endpoints(originInside),
      signal: overdue.signal,
    });
    const asked = entries.filter(({ method }) => method === 'POST').map(({ time }) => Date.parse(time) - startedAt);
    return {
      ...driven,
      entries,
      usage: lane.usage(),
      stop: lane.stopReason(),
      firstRequestMs: asked.length === 0 ? null : Math.min(...asked),
    };
  } finally {
    await lane.close();
    await model.close();
  }
}

/** Runs a CLI in a sandbox with a tree and one host socket. */
export async function runSandboxed(
  agent: CliAgent,
  drive: Omit<CliDrive, 'script'>,
  { socket, model, token, endpoints, signal }: CliModel,
): Promise<SandboxedCli> {
  const place = await mkdtemp(join(tmpdir(), 'assay-cli-'));
  try {
    const t0Directory = join(place, 't0');
    for (const [path, text] of Object.entries(drive.tree)) {
      await mkdir(dirname(join(t0Directory, path)), { recursive: true });
      await writeFile(join(t0Directory, path), text);
    }
    const owner = sandboxOwner;
    if (owner)
      for (const path of ['', ...(await readdir(t0Directory, { recursive: true }))])
        await chown(join(t0Directory, path), owner.uid, owner.gid);
    const { manifest } = await readManifest(t0Directory);
    const outfit = await agent.outfit({ cacheDirectory: cacheDirectory(), t0Directory });
    const mounts = drive.uncovered
      ? outfit.mounts.filter(({ target }) => !target.startsWith('/workspace'))
      : outfit.mounts;
    const provider = await chooseProvider(drive.provider ?? 'bubblewrap');
    const workspace: Mount = {
      kind: 'layers',
      sources: [t0Directory],
      target: '/workspace',
      deleted: drive.uncovered ? [] : outfit.deleted,
    };
    const began = performance.now();
    const sandbox = await provider.create({
      mounts: [workspace, ...mounts],
      network: { kind: 'lanes', lanes: [{ port: PORT, socket }] },
    });
    try {
      const startedAt = Date.now();
      const run = await agent
        .run({
          sandbox,
          instruction: drive.instruction ?? 'Follow the plan.\n',
          timeoutMs: drive.timeoutMs ?? 90_000,
          reference: async () => null,
          model: { name: model, token, endpoints },
          signal,
        })
        .catch((error: unknown): CliAgentRun => {
          if (!AssayError.is(error) || error.code !== 'INTERRUPTED') throw error;
          return { exec: null, end: { state: 'stopped', detail: 'killed, as it went on after the stop' } };
        });
      const totalMs = performance.now() - began;
      const { change } = await collectChange(sandbox.hostView?.('/workspace') ?? '', manifest);
      return { run, startedAt, totalMs, change: drive.uncovered ? change : withoutCovered(change, outfit.covered) };
    } finally {
      await sandbox.destroy();
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
