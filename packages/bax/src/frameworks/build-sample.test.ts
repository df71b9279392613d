import assert from 'node:assert/strict';
import { lstat, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { bubblewrapProvider } from '@assay/sandbox';
import type { BuildStep, Framework, PreparedFramework } from '../framework.ts';
import { buildSample, type BuiltSample } from './build-sample.ts';

const provider = bubblewrapProvider();
const prepared: PreparedFramework = {
  variant: 'Shell 1.0',
  digest: '0'.repeat(64),
  mounts: [],
  appLayers: [],
  env: {},
  build: [],
  built: ['.'],
};
const framework: Framework = {
  id: 'Shell',
  language: 'Python',
  name: 'Shell',
  codeFile: null,
  manifest: { path: 'manifest.txt', text: () => 'ours' },
  instructions: '',
  startCommand: 'sh app.sh',
  unavailable: async () => null,
  prepare: async () => prepared,
};

describe('the build of an answer', { timeout: 300_000 }, () => {
  const samples: BuiltSample[] = [];
  after(() => Promise.all(samples.map((sample) => sample.dispose())));

  async function build(
    command: string | null,
    options: { files?: Record<string, string>; place?: (path: string) => string | null } & Partial<
      BuildStep & PreparedFramework
    > = {},
  ): Promise<BuiltSample> {
    const { files = { 'app.sh': 'true' }, place, built = ['.'], tolerant = false, timeoutSec = 60 } = options;
    const steps = command === null ? [] : [{ command, tolerant, timeoutSec }];
    const sample = await buildSample({
      framework: { ...framework, place },
      prepared: { ...prepared, build: steps, built },
      files,
      provider,
    });
    samples.push(sample);
    return sample;
  }
  /** Its directories, topmost first. */
  const layersOf = ({ image, build }: BuiltSample): readonly string[] => {
    const mount = image?.mounts.at(-1);
    assert.ok(mount?.kind === 'layers', build.log);
    return mount.sources;
  };
  const top = (sample: BuiltSample, path: string): string => join(layersOf(sample)[0] ?? '', path);
  const isThere = (path: string): Promise<boolean> =>
    lstat(path).then(
      () => true,
      () => false,
    );

  test('without steps only writes files, and the manifest wins', async () => {
    const sample = await build(null, { files: { 'manifest.txt': 'theirs', 'sub/app.sh': 'true' } });
    assert.equal(await readFile(top(sample, 'manifest.txt'), 'utf8'), 'ours');
    assert.equal(await readFile(top(sample, 'sub/app.sh'), 'utf8'), 'true');
    assert.equal(layersOf(sample).length, 1);
  });

  test('places files as the framework says', async () => {
    const sample = await build(null, {
      files: { 'a/main.go': 'a', 'main.go': 'b' },
      place: (path) => (path.includes('/') ? null : path),
    });
    assert.equal(await readFile(top(sample, 'main.go'), 'utf8'), 'b');
    assert.ok(!(await isThere(top(sample, 'a'))));
  });

  test('keeps what the steps made, and of that only what is asked for', async () => {
    const sample = await build(
      'mkdir -p dist/deep && echo 1 > dist/deep/file && echo 2 > other && ln -s /etc/passwd dist/link',
      { built: ['dist'] },
    );
    assert.equal(await readFile(top(sample, 'dist/deep/file'), 'utf8'), '1\n');
    assert.equal(await readlink(top(sample, 'dist/link')), '/etc/passwd');
    assert.ok(!(await isThere(top(sample, 'other'))));
    assert.equal(layersOf(sample).length, 2);
  });

  test('a step that fails ends it, a tolerant one is told', async () => {
    const failed = await build('echo no such thing >&2; exit 3');
    assert.equal(failed.image, null);
    assert.match(failed.build.log, /exit 3[^]*no such thing/);
    const tolerated = await build('echo hm; exit 3', { tolerant: true });
    assert.ok(tolerated.image);
    assert.match(tolerated.build.log, /exit 3[^]*hm/);
  });

  test('has no network', async () => {
    const sample = await build('cat /proc/net/dev > devices');
    const names = [...(await readFile(top(sample, 'devices'), 'utf8')).matchAll(/^\s*(\w+):/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(names, ['lo']);
  });

  for (const [name, files] of Object.entries<Record<string, string>>({
    'that leads out': { '../out': '' },
    'that is absolute': { '/etc/x': '' },
    'that is a file and a directory': { a: '', 'a/b': '' },
    'too long': { ['a'.repeat(300)]: '' },
  })) {
    test(`a path ${name} is refused`, async () => {
      const sample = await build(null, { files });
      assert.equal(sample.image, null);
      assert.notEqual(sample.build.log, '');
    });
  }

  test('special files, huge files and deep trees cost its own build only', async () => {
    const special = await build('mkfifo pipe; echo 1 > file');
    assert.ok(await isThere(top(special, 'file')));
    assert.ok(!(await isThere(top(special, 'pipe'))));
    const sparse = await build('truncate -s 1T huge');
    assert.ok((await stat(top(sparse, 'huge'))).blocks < 10_000);
    const full = await build('head -c 3G /dev/zero > huge', { timeoutSec: 120 });
    assert.equal(full.image, null);
    const deep = await build(
      'python3 -c "import os\nfor i in range(60): os.mkdir(200 * str(1)); os.chdir(200 * str(1))\nopen(str(2), str(chr(119)))"',
    );
    assert.equal(deep.image, null);
    assert.match(deep.build.log, /cannot be kept/);
    assert.ok((await build('echo 1 > file')).image);
  });

  test('processes without end and output without end are cut off', async () => {
    const bomb = await build('f() { f | f & f; }; f', { timeoutSec: 5 });
    assert.equal(bomb.image, null);
    const flood = await build('yes', { timeoutSec: 3 });
    assert.match(flood.build.log, /took too long/);
    assert.ok(flood.build.log.length < 10_000);
    const daemon = await build('(sleep 1; echo late > late) & echo 1 > file');
    assert.ok(!(await isThere(top(daemon, 'late'))));
  });

  test('disposed, nothing is left', async () => {
    const sample = await build('echo 1 > file');
    const [first = ''] = layersOf(sample);
    assert.ok(await isThere(first));
    await sample.dispose();
    await sample.dispose();
    assert.ok(!(await isThere(first)));
  });
});
