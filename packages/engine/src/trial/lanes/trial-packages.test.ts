import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chooseProvider, type Sandbox } from '@assay/sandbox';
import { LaneFixture } from '../../../../lanes/src/package-lane/testing/lane-fixture.ts';
import { publishTarballs, publishWheels } from '../../../../lanes/src/package-lane/testing/publish.ts';
import { openTrialPackages, withLane, type TrialPackages } from './trial-packages.ts';

const RELEASES = { '1.0.0': { uploaded: '2019-01-01T00:00:00Z' }, '2.0.0': { uploaded: '2021-01-01T00:00:00Z' } };
const T0 = '2020-06-01T00:00:00Z';

/** Prints status and body of each address. */
const GET = `
import os, sys, urllib.request, urllib.error
for address in sys.argv[1:]:
    try:
        with urllib.request.urlopen(os.path.expandvars(address), timeout=5) as answer: print(answer.status, answer.read()[:2000])
    except urllib.error.HTTPError as error: print(error.code)
    except OSError: print('unreachable')
`;

describe('packages at trial time', () => {
  let fixture: LaneFixture;
  const ends: Array<() => Promise<void>> = [];
  before(async () => {
    fixture = await LaneFixture.start();
    for (const name of ['demo', 'pinned', 'project']) {
      publishWheels(fixture.upstream, name, RELEASES);
      fixture.upstream.routes.set(`/pypi/${name}/`, fixture.upstream.routes.get(`/${name}/`) ?? {});
      await publishTarballs(fixture.upstream, name, RELEASES);
    }
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
    await fixture.stop();
  });

  async function open(
    ecosystem: 'python' | 'node',
    directory: string,
  ): Promise<{ packages: TrialPackages; sandbox: Sandbox }> {
    const t0Directory = await fixture.newDirectory();
    await writeFile(
      join(t0Directory, 'package.json'),
      JSON.stringify({ name: 'project', dependencies: { demo: '^2.0.0' } }),
    );
    await writeFile(join(t0Directory, 'pyproject.toml'), '[project]\nname = "project"\nversion = "1"\n');
    const url = ecosystem === 'python' ? new URL('pypi/', fixture.upstream.url) : fixture.upstream.url;
    const packages = await openTrialPackages({
      environment: { ecosystem, excluded: ['pinned'] },
      t0: T0,
      t0Directory,
      directory,
      cacheDirectory: join(fixture.directory, 'cache'),
      upstream: { url, certificates: [] },
    });
    ends.push(() => packages.end());
    const sandbox = await (
      await chooseProvider('bubblewrap')
    ).create({ network: withLane({ kind: 'none' }, packages.lane), env: packages.env });
    ends.push(() => sandbox.destroy());
    return { packages, sandbox };
  }

  const BASES = { python: ['${PIP_INDEX_URL}', '/'], node: ['${npm_config_registry}', ''] } as const;
  for (const ecosystem of ['python', 'node'] as const) {
    test(`${ecosystem}: what was there at T0, even where a manifest asks for more; not the project, not its upstream, and all on record`, async () => {
      const directory = await fixture.newDirectory();
      const { packages, sandbox } = await open(ecosystem, directory);
      const [base, slash] = BASES[ecosystem];
      const addresses = [
        ...['demo', 'pinned', 'project'].map((name) => `${base}${name}${slash}`),
        `${fixture.upstream.url.href}demo`,
      ];
      const { stdout, stderr } = await sandbox.exec('', { argv: ['python3', '-c', GET, ...addresses] });
      const lines = stdout.trim().split('\n');
      assert.match(lines[0] ?? '', /^200 .*demo-1\.0\.0/, stderr);
      assert.ok(!lines[0]?.includes('demo-2.0.0'));
      assert.deepEqual(lines.slice(1), ['404', '404', 'unreachable']);
      await packages.end();
      const records = (await readFile(join(directory, 'packages.jsonl'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { note?: string }).note);
      assert.deepEqual(records, [undefined, 'excluded', 'excluded']);
      const later = await sandbox.exec('', { argv: ['python3', '-c', GET, `${base}demo${slash}`] });
      assert.equal(later.stdout.trim(), 'unreachable');
    });
  }

  test('beside the lane of a model, and not beside the network of the host', () => {
    const lane = { port: 2, socket: '/b' };
    assert.deepEqual(withLane({ kind: 'lanes', lanes: [{ port: 1, socket: '/a' }] }, lane), {
      kind: 'lanes',
      lanes: [{ port: 1, socket: '/a' }, lane],
    });
    assert.deepEqual(withLane({ kind: 'host' }, lane), { kind: 'host' });
    assert.deepEqual(withLane({ kind: 'none' }, undefined), { kind: 'none' });
  });
});
