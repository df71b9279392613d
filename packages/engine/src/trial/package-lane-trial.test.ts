import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { sha256 } from '../../../lanes/src/package-lane/testing/python-files.ts';
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
"
pip install --quiet --target /tmp/installed demo && echo "installed $(cat /tmp/installed/demo-*/METADATA | grep ^Version)"
for name in late demo==2.0 ; do pip install --quiet --target /tmp/other $name > /tmp/log 2>&1 && echo "got $name" || echo "refused $name"; done
`;

/** Writes a wheel with the pip of this machine to the path it is given. */
const PACK_PIP = `
import os, pip, sys, zipfile
root = os.path.dirname(os.path.dirname(pip.__file__))
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for place, _, names in os.walk(os.path.join(root, 'pip')):
        for name in names:
            if not name.endswith('.pyc'):
                wheel.write(os.path.join(place, name), os.path.relpath(os.path.join(place, name), root))
`;

/** Publishes pip as it was at T0, and another that came later. */
async function publishPip({ upstream, directory }: LaneFixture): Promise<void> {
  const file = join(directory, 'pip.whl');
  execFileSync('python3', ['-c', PACK_PIP, file]);
  publishWheels(upstream, 'pip', {
    '20.0': { uploaded: '2001-01-01T00:00:00Z' },
    '99.0': { uploaded: '2090-01-01T00:00:00Z' },
  });
  const bytes = await readFile(file);
  const index = upstream.routes.get('/pip/') as { headers: Record<string, string>; body: string };
  const listing = JSON.parse(index.body) as { files: { filename: string; hashes: object; size: number }[] };
  for (const each of listing.files)
    if (each.filename.startsWith('pip-20'))
      Object.assign(each, { hashes: { sha256: sha256(bytes) }, size: bytes.length });
  upstream.routes.set('/pip/', { ...index, body: JSON.stringify(listing) });
  upstream.routes.set('/files/pip-20.0-py3-none-any.whl', { body: bytes });
}

describe('a trial whose task allows packages', () => {
  let fixture: LaneFixture;
  const saved = { ...process.env };
  before(async () => {
    fixture = await LaneFixture.start();
    await publishPip(fixture);
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
      else
        assert.match(
          log,
          /seen demo 1\nseen late 404\nbase http:\/\/127\.0\.0\.1:8712\/simple\/\ninstalled Version: 1\.0\nrefused late\nrefused demo==2\.0/,
        );
      if (network === 'package-lane')
        assert.deepEqual(
          record
            ?.trim()
            .split('\n')
            .slice(0, 2)
            .map((line) => (JSON.parse(line) as { status: number }).status),
          [200, 404],
        );
    });
  }
});
