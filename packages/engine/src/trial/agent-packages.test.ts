import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Job } from '@assay/protocol';
import { cliPlatform } from '../agents/cli/install-cli.ts';
import { LaneFixture } from '../../../lanes/src/package-lane/testing/lane-fixture.ts';
import { integrityOf, makeTarball } from '../../../lanes/src/package-lane/testing/npm-files.ts';
import { openJobDirectory } from '../job/job-directory.ts';
import { bench, refused, setUpBench, tearDownBench, withModel } from './model-agents.fixture.ts';
import { runJob } from '../job/run-job.ts';

const { arch, libc } = cliPlatform();
const NATIVE = `@anthropic-ai/claude-code-linux-${arch}${libc === 'musl' ? '-musl' : ''}`;
describe('an agent from npm', () => {
  let fixture: LaneFixture;
  const saved = process.env['npm_config_registry'];
  before(async () => {
    await setUpBench({ repository: false });
    fixture = await LaneFixture.start();
    process.env['npm_config_registry'] = fixture.upstream.url.href;
  });
  after(async () => {
    if (saved === undefined) delete process.env['npm_config_registry'];
    else process.env['npm_config_registry'] = saved;
    await fixture.stop();
    await tearDownBench();
  });

  async function publish(words: string): Promise<string> {
    const bytes = await makeTarball({ name: NATIVE, version: '9.9.9' }, { claude: '#!/bin/sh\n', 'readme.txt': words });
    const integrity = integrityOf(bytes);
    const { routes, url } = fixture.upstream;
    routes.set('/files/native.tgz', { body: bytes });
    const release = (name: string, more: object): object => ({
      name,
      'dist-tags': {},
      versions: {
        '9.9.9': { name, version: '9.9.9', dist: { tarball: `${url.origin}/files/native.tgz`, integrity }, ...more },
      },
    });
    routes.set('/@anthropic-ai%2fclaude-code', {
      body: JSON.stringify(release('@anthropic-ai/claude-code', { optionalDependencies: { [NATIVE]: '9.9.9' } })),
    });
    routes.set(`/${NATIVE.replace('/', '%2f')}`, { body: JSON.stringify(release(NATIVE, {})) });
    return integrity;
  }

  test('is in job.json by name, version and integrity, and resume compares them', async () => {
    const integrity = await publish('the first');
    await withModel([{ say: 'yes' }], async ({ origin }) => {
      const options = {
        path: bench.standardTask,
        agent: 'claude-code@9.9.9',
        out: join(bench.home, 'npm'),
        model: { name: 'm-1', endpoint: origin },
      };
      await runJob(options);
      const { agentVersion, agentPackages } = Job.parse(
        JSON.parse(await readFile(join(options.out, 'job.json'), 'utf8')),
      );
      assert.deepEqual([agentVersion, agentPackages], ['9.9.9', [{ name: NATIVE, version: '9.9.9', integrity }]]);
      await runJob({ ...options, resume: true });
      // The registry has other bytes under the same name, and a new machine takes them.
      await publish('the second');
      process.env['ASSAY_CACHE'] = join(bench.home, 'another-cache');
      await refused(runJob({ ...options, resume: true }), 'JOB_MISMATCH', /agentPackages differs/);
    });
  });

  test('a try that is made again keeps the records of its lanes', async () => {
    const wanted: Job = {
      version: 1,
      id: 'x',
      createdAt: '',
      agent: 'nop',
      attempts: 1,
      timeoutSec: null,
      provider: 'bubblewrap',
      unseal: [],
      tasks: [],
    };
    const path = join(bench.home, 'tries');
    await mkdir(path, { recursive: true });
    const directory = await openJobDirectory(path, { job: wanted, directories: new Map(), resume: false });
    const trial = directory.trial('t.1');
    await mkdir(trial, { recursive: true });
    for (const tries of [1, 2]) {
      for (const name of ['model.jsonl', 'packages.jsonl', 'verdict.json'])
        await writeFile(join(trial, name), `${tries}`);
      await directory.discard('t.1', tries);
    }
    assert.deepEqual((await readdir(trial)).toSorted(), [
      'model.discarded-1.jsonl',
      'model.discarded-2.jsonl',
      'packages.discarded-1.jsonl',
      'packages.discarded-2.jsonl',
    ]);
    assert.equal(await readFile(join(trial, 'packages.discarded-1.jsonl'), 'utf8'), '1');
    await directory.close();
  });
});
