import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chooseProvider } from '@assay/sandbox';
import { execAgent } from '../agents/exec-agent.ts';
import { openT0 } from '../bundle/open-t0.ts';
import { readHidden, readReference, readTask } from '../bundle/read-task.ts';
import { samplePythonContent } from '../bundle/sample-content.ts';
import { writeTask } from '../bundle/write-task.ts';
import { LaneFixture } from '../../../lanes/src/package-lane/testing/lane-fixture.ts';
import { publishWheels } from '../../../lanes/src/package-lane/testing/publish.ts';
import { prepareTrial } from './1-prepare.ts';
import { repositoryTask } from '../kinds/repository/repository-task.ts';

const ASK = `python3 -c "
import os, urllib.request, urllib.error
base = os.environ.get('PIP_INDEX_URL')
for name in ['demo', 'late'] if base else []:
    try: print('seen', name, urllib.request.urlopen(base + name + '/').read().count(b'.whl</a>'))
    except urllib.error.HTTPError as error: print('seen', name, error.code)
print('base', base)
"`;

describe('a trial whose task allows packages', () => {
  let fixture: LaneFixture;
  const saved = { ...process.env };
  before(async () => {
    fixture = await LaneFixture.start();
    publishWheels(fixture.upstream, 'demo', {
      '1.0': { uploaded: '2001-01-01T00:00:00Z' },
      '2.0': { uploaded: '2090-01-01T00:00:00Z' },
    });
    publishWheels(fixture.upstream, 'late', { '1.0': { uploaded: '2090-01-01T00:00:00Z' } });
    Object.assign(process.env, {
      ASSAY_CACHE: join(fixture.directory, 'cache'),
      PIP_INDEX_URL: fixture.upstream.url.href,
    });
  });
  after(async () => {
    for (const name of ['ASSAY_CACHE', 'PIP_INDEX_URL']) if (saved[name] === undefined) delete process.env[name];
    Object.assign(process.env, saved);
    await fixture.stop();
  });

  for (const network of ['package-lane', 'none'] as const) {
    test(`network ${network}: ${network === 'none' ? 'none is there (control)' : 'what is from before its T0, and on record'}`, async () => {
      const directory = await fixture.newDirectory();
      const content = await samplePythonContent(await fixture.newDirectory());
      await writeTask(join(directory, 'task'), { ...content, meta: { ...content.meta, network } });
      const provider = await chooseProvider('bubblewrap');
      const task = await readTask(join(directory, 'task'));
      assert.ok(task.kind === 'repository');
      const environment = {
        spec: task.meta.environment,
        mounts: () => [],
        env: {},
        layerDirectories: [],
        bundleFiles: new Map<string, string>(),
      };
      const cacheDirectory = join(fixture.directory, 'cache');
      const open = repositoryTask(
        {
          task,
          ...(await openT0(task, cacheDirectory)),
          environment,
          reference: await readReference(task),
          hidden: await readHidden(task),
          split: null,
        },
        { cacheDirectory },
      );
      const { sandbox, dispose } = await prepareTrial({
        task: open,
        agent: execAgent(ASK),
        attempt: 1,
        provider,
        unsealed: new Set(),
        directory: join(directory, 'trial'),
      });
      const { stdout, stderr } = await sandbox.exec(ASK);
      await dispose();
      const log = stdout + stderr;
      const record = await readFile(join(directory, 'trial', 'packages.jsonl'), 'utf8').catch(() => null);
      if (network === 'none') assert.deepEqual([/base None/.test(log), record], [true, null], log);
      else assert.match(log, /seen demo 1\nseen late 404\nbase http:\/\/127\.0\.0\.1:8712\/simple\//);
      if (network === 'package-lane')
        assert.deepEqual(
          record
            ?.trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { status: number }).status),
          [200, 404],
        );
    });
  }
});
