import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { execAgent } from '../../packages/engine/src/agents/exec-agent.ts';
import { mineRepository } from '@assay/engine/commands/mine';
import { buildDemoRepository } from '../../packages/engine/src/commands/demo/demo-repository.ts';
import { repositoryTask } from '../../packages/engine/src/kinds/repository/repository-task.ts';
import { runTrial } from '../../packages/engine/src/trial/run-trial.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import type { SealName } from '@assay/protocol';
import { composeChange } from '../../packages/engine/src/verify/compose-verifier-tree.ts';
import { openRepositoryTask, type OpenRepositoryTask } from '../../packages/engine/src/verify/open-repository-task.ts';
import { runSuite } from '../../packages/engine/src/verify/run-suite.ts';
import { chooseProvider, type SandboxOptions, type SandboxProvider } from '@assay/sandbox';
import { World } from './egress/world.ts';

const NAMES = ['HTTP_PROXY', 'https_proxy', 'NO_PROXY', 'ASSAY_CACHE'];
const saved = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
const GUARD = "if (count > 0 && widths.every((width) => width === 0)) throw new RangeError('records of zero width');";

describe(
  'a trial as a whole reaches no listener of the host',
  { skip: process.getuid?.() === 0 ? false : 'another network namespace needs root' },
  () => {
    let world: World;
    let home = '';
    let task: OpenRepositoryTask;
    before(async () => {
      world = await World.open();
      home = await mkdtemp(join(tmpdir(), 'assay-egress-trial-'));
      process.env['ASSAY_CACHE'] = join(home, 'cache');
      await buildDemoRepository(join(home, 'repository'));
      const {
        tasks: [id = ''],
      } = await mineRepository({
        source: join(home, 'repository'),
        pipeline: 'commit_runtime',
        out: join(home, 'tasks'),
        limit: 1,
      });
      task = await openRepositoryTask(join(home, 'tasks', id), {
        provider: await chooseProvider('bubblewrap'),
        cacheDirectory: cacheDirectory(),
      });
      // Only the host has these. A client inside that got them would reach the listener.
      Object.assign(process.env, {
        HTTP_PROXY: `http://127.0.0.1:${world.port}`,
        https_proxy: `http://127.0.0.1:${world.port}`,
        NO_PROXY: 'nothing.test',
      });
    });
    after(async () => {
      for (const [name, value] of Object.entries(saved)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await rm(home, { recursive: true, force: true });
      await world.close();
    });

    async function trial(script: string, unsealed: SealName[] = []): ReturnType<typeof runTrial> {
      world.forget();
      const result = await runTrial({
        task: repositoryTask(task, { cacheDirectory: cacheDirectory() }),
        agent: execAgent(script),
        attempt: 1,
        provider: await chooseProvider('bubblewrap'),
        unsealed: new Set(unsealed),
      });
      await sleep(100);
      return result;
    }
    const fetchAll = (word: string): string =>
      world.addresses
        .map(
          (host) =>
            `curl -s -g --max-time 3 http://${host.includes(':') ? `[${host}]` : host}:${world.port}/${word}; curl -s --max-time 3 http://${word}.test/`,
        )
        .join('; ');

    test('C7, C17: neither what an agent does first, nor its tools', async () => {
      const sealed = await trial(`${fetchAll('first-command')}; true`);
      assert.deepEqual(
        [sealed.trial.agentRun.status, sealed.trial.sealCheck?.skipped, world.hits, world.queries],
        ['ended', [], [], []],
      );
      const open = await trial(`${fetchAll('first-command')}; true`, ['network']);
      assert.ok(world.of('first-command').length > 0, 'control');
      assert.ok(open.trial.sealCheck?.skipped.includes('interfaces'));
    });

    test('C18: what it handed in finds neither a network nor a variable of the host in the verifier', async () => {
      const source = await readFile(join(task.t0Directory, 'src/read-table.js'), 'utf8');
      const content = Buffer.from(`import { execFileSync } from 'node:child_process';
const found = Object.keys(process.env).filter((name) => /_proxy$/i.test(name));
try {
  execFileSync('curl', ['-s', '--noproxy', '*', '--max-time', '3', 'http://127.0.0.1:${world.port}/from-the-tests']);
  found.push('network');
} catch {}
if (found.length > 0) throw new Error(found.join());
${source.replace('  const records', `  ${GUARD}\n  const records`)}`);
      const change = composeChange({
        submission: { files: [{ path: 'src/read-table.js', executable: false, content }], deleted: [] },
        hidden: task.hidden,
        steering: [],
        hiddenWins: true,
      });
      const runTests = async (provider: SandboxProvider): Promise<string> => {
        world.forget();
        const { exec } = await runSuite({
          command: task.task.meta.test,
          change,
          t0Directory: task.t0Directory,
          environment: task.environment,
          provider,
        });
        await sleep(100);
        return `${exec.exitCode} ${exec.stdout}`;
      };
      const provider = await chooseProvider('bubblewrap');
      assert.match(await runTests(provider), /^0 /);
      assert.deepEqual(world.hits, []);
      const leaking = (hole: SandboxOptions): SandboxProvider => ({
        create: (options) => provider.create({ ...options, ...hole, env: { ...options?.env, ...hole.env } }),
        destroy: (id) => provider.destroy(id),
      });
      assert.doesNotMatch(await runTests(leaking({ env: { HTTP_PROXY: 'http://127.0.0.1:1' } })), /^0 /, 'control');
      await runTests(leaking({ unsealed: ['network'] }));
      assert.ok(world.of('from-the-tests').length > 0, 'control');
    });
  },
);
