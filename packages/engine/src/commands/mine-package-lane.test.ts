import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { LaneFixture } from '../../../lanes/src/package-lane/testing/lane-fixture.ts';
import { integrityOf, makeTarball } from '../../../lanes/src/package-lane/testing/npm-files.ts';
import { publishTarballs } from '../../../lanes/src/package-lane/testing/publish.ts';
import { readTaskOf } from '../bundle/read-task.ts';
import { runJob } from '../job/run-job.ts';
import { FIXED, MESSAGE, MineFixture, NEW_TESTS } from '../mine/mine.fixture.ts';
import { mineRepository } from './mine.ts';
import { validateTasks } from './validate.ts';

const run = promisify(execFile);

/** A small client of an index, published there as `npm`: `install NAME[@VERSION]` into node_modules. */
const CLIENT = `const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const read = (url) => fetch(url).then(async (answer) => {
  if (!answer.ok) throw new Error(url + ' answers ' + answer.status);
  return Buffer.from(await answer.arrayBuffer());
});
(async () => {
  const [name, version] = process.argv[3].split('@');
  const packument = JSON.parse(await read(process.env.npm_config_registry + name));
  const found = packument.versions[version ?? packument['dist-tags'].latest];
  if (!found) throw new Error('no such version');
  fs.mkdirSync('node_modules/' + name, { recursive: true });
  fs.writeFileSync('/tmp/' + name + '.tgz', await read(found.dist.tarball));
  execFileSync('tar', ['-xzf', '/tmp/' + name + '.tgz', '--strip-components=1', '--no-same-owner', '-C', 'node_modules/' + name]);
})().catch((error) => { console.error(error.message); process.exitCode = 1; });
`;

/** Installs what is from before T0, must not get what is not, and mends the bug only when all of that was so. */
const AGENT = `npm install demo && test "$(node -p "require('demo/package.json').version")" = 1.0.0 || exit 1
for name in demo@2.0.0 late tally tally@2.0.0 ; do npm install $name && exit 1; done
echo ${Buffer.from(FIXED).toString('base64')} | base64 -d > lib/tally.js`;

describe('tasks whose agents may install packages', () => {
  let index: LaneFixture;
  let repository: MineFixture;
  let home = '';
  const saved = { ...process.env };
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-mine-lane-'));
    index = await LaneFixture.start();
    const { upstream } = index;
    // T0 is the first of January 2020.
    const [early, late] = [{ uploaded: '2019-01-01T00:00:00Z' }, { uploaded: '2020-06-01T00:00:00Z' }];
    await publishTarballs(upstream, 'demo', { '1.0.0': early, '2.0.0': late });
    await publishTarballs(upstream, 'late', { '1.0.0': late });
    await publishTarballs(upstream, 'tally', { '1.0.0': early, '2.0.0': late });
    const manifest = { name: 'npm', version: '6.0.0', bin: { npm: 'bin/npm-cli.js' } };
    const bytes = await makeTarball(manifest, { 'bin/npm-cli.js': CLIENT });
    const dist = { tarball: `${upstream.url.origin}/npm/-/npm-6.0.0.tgz`, integrity: integrityOf(bytes) };
    upstream.routes.set('/npm/-/npm-6.0.0.tgz', { body: bytes });
    upstream.routes.set('/npm', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'npm',
        'dist-tags': { latest: '6.0.0' },
        versions: { '6.0.0': { ...manifest, dist } },
        time: { '6.0.0': early.uploaded },
      }),
    });
    Object.assign(process.env, { ASSAY_CACHE: join(home, 'cache'), npm_config_registry: upstream.url.href });
    // An interpreter that is here: the index has none.
    const engines = { node: `>=${process.versions.node.split('.')[0]}` };
    repository = await MineFixture.make({
      'package.json': JSON.stringify({ name: 'tally', version: '1.0.0', scripts: { test: 'node --test' }, engines }),
    });
    await repository.builder.commit(MESSAGE, { 'lib/tally.js': FIXED, 'test/tally.test.js': NEW_TESTS });
  });
  const restore = (name: string): void => {
    if (saved[name] === undefined) delete process.env[name];
    else process.env[name] = saved[name];
  };
  after(async () => {
    for (const name of ['ASSAY_CACHE', 'npm_config_registry']) restore(name);
    await repository.dispose();
    await index.stop();
    await rm(home, { recursive: true, force: true });
  });

  const mine = async (): Promise<string> => {
    const out = join(home, 'tasks');
    const source = repository.builder.directory;
    const common = { pipeline: 'commit_runtime', minKilled: 0, provider: 'bubblewrap' };
    const { tasks, ledger } = await mineRepository({ ...common, source, out, network: 'package-lane' });
    assert.equal(tasks.length, 1, JSON.stringify(ledger));
    return join(out, tasks[0] ?? '');
  };
  const rewardOf = async (path: string, out: string): Promise<number | null | undefined> => {
    const options = { agent: 'exec', agentCommand: AGENT, provider: 'bubblewrap', out: join(home, out) };
    return (await runJob({ path, ...options })).trials[0]?.reward;
  };

  test('such a task is proven; its agent gets what is from before T0, and neither what is younger nor the project', async () => {
    const task = await mine();
    assert.equal((await readTaskOf('repository', task)).meta.network, 'package-lane');
    const report = await validateTasks({ path: task, runs: 1, provider: 'bubblewrap', mutants: 0 });
    assert.deepEqual([report.failures, report.tasks[0]?.admitted], [[], true]);
    assert.equal(await rewardOf(task, 'job'), 1);
    const trials = execFileSync('find', [join(home, 'job'), '-name', 'packages.jsonl'], { encoding: 'utf8' }).trim();
    const notes = (await readFile(trials, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { project?: string; name?: string; path?: string; note?: string });
    assert.equal(notes.filter(({ note }) => note === 'excluded').length, 2, JSON.stringify(notes));
  });

  test('control: from the index itself, all that was refused can be installed', async () => {
    const place = join(home, 'control');
    await mkdir(place);
    await writeFile(join(place, 'npm-cli.js'), CLIENT);
    for (const name of ['demo@2.0.0', 'late', 'tally@2.0.0'])
      await run(process.execPath, ['npm-cli.js', 'install', name], { cwd: place });
    const { version } = JSON.parse(await readFile(join(place, 'node_modules/tally/package.json'), 'utf8')) as {
      version: string;
    };
    assert.equal(version, '2.0.0');
  });
});
