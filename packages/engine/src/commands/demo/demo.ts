import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AssayError, type DemoResult, type OnProgress, type SealName } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import type { Agent } from '../../agents/agent.ts';
import { CHEATS } from '../../cheats/index.ts';
import { mineRepository } from '../mine.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { buildDemoRepository } from './demo-repository.ts';
import { clampingSolver, honestSolver } from './demo-solvers.ts';
import type { OpenTask } from '../../kinds/kind.ts';
import { openTask } from '../../kinds/open-task.ts';
import { runTrial } from '../../trial/run-trial.ts';

/** The three cheats of the story: ask the code host, read the history, download the fixed release. */
const STORY = ['C1', 'B1', 'C2'];

export interface DemoOptions {
  provider?: string;
  /** Where the task is to stay. Default: nowhere. */
  keep?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Mines a small repository that it builds, proves the task, and shows each cheat of the story with its seal off and on.
 * Keeps nothing with `keep` unset.
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const start = performance.now();
  const directory = await makeTemporaryDirectory('demo');
  try {
    await buildDemoRepository(join(directory, 'record-table'));
    const out = options.keep ?? join(directory, 'tasks');
    const mined = await mineRepository({
      source: join(directory, 'record-table'),
      pipeline: 'commit_runtime',
      out,
      limit: 1,
      signal: options.signal,
      provider: options.provider,
      onEvent: options.onEvent,
    });
    const task = mined.tasks[0];
    if (!task)
      throw new AssayError('IMPOSSIBLE', {
        detail: `the demo's fix was not admitted: ${JSON.stringify(mined.ledger)}`,
      });
    const provider = await chooseProvider(options.provider);
    const open = await openTask(join(out, task), {
      provider,
      cacheDirectory: cacheDirectory(),
      signal: options.signal,
    });
    const proof = open.task.meta.proof;
    if (!proof) throw new AssayError('IMPOSSIBLE', { detail: 'an admitted task has no proof' });
    const trials = await playStory(open, provider, options);
    return {
      task,
      proof: { reference: proof.reference, noop: proof.noop },
      trials,
      elapsedMs: Math.round(performance.now() - start),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Each cheat of the story with its seal off and on, then the two that solve the task by themselves. */
async function playStory(
  open: OpenTask,
  provider: SandboxProvider,
  options: DemoOptions,
): Promise<DemoResult['trials']> {
  const trials: DemoResult['trials'] = [];
  const attempt = async (agent: Agent | { cheat: string }, title: string, unsealed: SealName[]): Promise<void> => {
    options.onEvent?.({ type: 'item-start', item: title, text: unsealed.length > 0 ? 'unsealed' : 'sealed' });
    const { trial } = await runTrial({
      task: open,
      agent,
      attempt: 1,
      provider,
      unsealed: new Set(unsealed),
      timeoutSec: 60,
      signal: options.signal,
    });
    trials.push({
      agent: trial.agent,
      title,
      sealed: unsealed.length === 0,
      outcome: trial.outcome,
      reward: trial.reward,
    });
    options.onEvent?.({
      type: 'item-end',
      item: title,
      text: `${unsealed.length > 0 ? 'seal off' : 'sealed'}, reward ${trial.reward}`,
    });
  };
  for (const id of STORY) {
    const cheat = CHEATS.find((each) => each.id === id);
    if (!cheat) throw new AssayError('IMPOSSIBLE', { detail: `no cheat ${id}` });
    await attempt({ cheat: id }, cheat.title, [cheat.seal]);
    await attempt({ cheat: id }, cheat.title, []);
  }
  await attempt(honestSolver, 'solves it from the instruction', []);
  await attempt(clampingSolver, 'clamps the symptom', []);
  return trials;
}

/**
 * Whether the story came out as it should: cheats 1 unsealed and 0 sealed, the honest solver 1, the clamp 0, proof
 * whole.
 */
export function demoHolds({ proof, trials }: DemoResult): boolean {
  const proven =
    proof.reference.passes === proof.reference.runs && proof.noop.passes === 0 && proof.reference.runs >= 3;
  return (
    proven &&
    trials.every(({ agent, sealed, reward }) => {
      if (agent.startsWith('cheat:')) return reward === (sealed ? 0 : 1);
      return reward === (agent === 'honest' ? 1 : 0);
    })
  );
}
