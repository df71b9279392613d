import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial } from '@assay/protocol';
import { chooseProvider, type Sandbox, type SandboxOptions, type SandboxProvider } from '@assay/sandbox';
import type { Agent } from '../../agents/agent.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { bench, setUpBench, tearDownBench } from '../model-agents.fixture.ts';
import { openTask } from '../../kinds/open-task.ts';
import { runTrial } from '../run-trial.ts';
import type { TrialResult } from '../trial-request.ts';
import { SEAL_CHECKS } from './checks.ts';

before(() => setUpBench({ repository: false }));
after(tearDownBench);

let started = 0;
const agent: Agent = {
  name: 'probe',
  run: async ({ sandbox }) => {
    started += 1;
    return { exec: await sandbox.exec('echo "module.exports = 1" > /workspace/solution.js') };
  },
};

/** A provider whose seals leak: what it is asked for, and `hole` besides. Keeps what it made. */
function leaking(provider: SandboxProvider, hole: SandboxOptions): { provider: SandboxProvider; made: Sandbox[] } {
  const made: Sandbox[] = [];
  const create = async (options?: SandboxOptions): Promise<Sandbox> => {
    const sandbox = await provider.create({ ...options, ...hole });
    made.push(sandbox);
    return sandbox;
  };
  return {
    provider: {
      name: 'leaking',
      isolation: provider.isolation ?? 'namespace',
      interactive: true,
      create,
      destroy: (id) => provider.destroy(id),
    },
    made,
  };
}

async function trial(provider: SandboxProvider, name: string): Promise<TrialResult> {
  const task = await openTask(bench.standardTask, {
    provider: await chooseProvider('bubblewrap'),
    cacheDirectory: cacheDirectory(),
  });
  started = 0;
  return runTrial({ task, agent, attempt: 1, provider, unsealed: new Set(), directory: join(bench.home, name) });
}

test('control: in a sandbox as it should be the agent starts, and what was looked at is on record', async () => {
  const {
    trial: { outcome },
  } = await trial(await chooseProvider('bubblewrap'), 'sealed');
  assert.deepEqual([started, outcome], [1, 'fail']);
  const { sealCheck } = Trial.parse(JSON.parse(await readFile(join(bench.home, 'sealed', 'trial.json'), 'utf8')));
  assert.deepEqual([sealCheck?.passed, sealCheck?.skipped], [SEAL_CHECKS.map(({ name }) => name), []]);
});

for (const [hole, options] of Object.entries<SandboxOptions>({
  network: { unsealed: ['network'] },
  'host-files': { unsealed: ['host-files'] },
  privileges: { unsealed: ['privileges'] },
})) {
  test(`a sandbox that leaks (${hole}): no agent starts, the trial is invalid and says why, nothing is left`, async () => {
    const { provider, made } = leaking(await chooseProvider('bubblewrap'), options);
    const {
      trial: { outcome, reward, note, sealCheck, agentRun },
    } = await trial(provider, `leaking-${hole}`);
    assert.deepEqual(
      [started, outcome, reward, sealCheck, agentRun.status],
      [0, 'invalid', null, undefined, 'infrastructure'],
    );
    const names = SEAL_CHECKS.filter(({ seal }) => seal === hole).map(({ name }) => name);
    assert.ok(
      names.some((name) => note?.includes(`the agent was not started: ${name}: `)),
      note,
    );
    assert.equal(made.length, 1);
    for (const sandbox of made) await assert.rejects(sandbox.exec('true'), { code: 'SANDBOX_GONE' });
    assert.ok((await readdir(join(bench.home, `leaking-${hole}`))).includes('trial.json'));
  });
}
