import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import type { PackageLaneOptions } from '../contract.ts';
import { LaneFixture, runClient } from '../testing/lane-fixture.ts';
import { integrityOf, makeTarball } from '../testing/npm-files.ts';
import { ABBREVIATED_TYPE } from './render-packument.ts';

const LATER = new Date('2030-01-01T00:00:00Z');
const Served = z.object({
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.looseObject({ dist: z.looseObject({ tarball: z.string() }) })),
  time: z.record(z.string(), z.string()).optional(),
});

interface Release {
  version: string;
  published: string | null;
  manifest?: Record<string, unknown>;
  integrity?: string;
}

describe('the npm lane', () => {
  let fixture: LaneFixture;
  before(async () => {
    fixture = await LaneFixture.start();
    await publish('demo', { latest: '2.0.0', next: '3.0.0-beta.1', stable: '1.1.0' }, [
      { version: '1.0.0', published: '2019-01-01T00:00:00.000Z' },
      {
        version: '1.1.0',
        published: '2020-01-01T00:00:00.000Z',
        manifest: { dependencies: { '@scope/helper': '^1.0.0' }, scripts: { postinstall: 'node -e 0' } },
      },
      { version: '1.2.0-rc.1', published: '2020-02-01T00:00:00.000Z' },
      { version: '1.1.1', published: null },
      { version: '2.0.0', published: '2021-01-01T00:00:00.000Z' },
      { version: '3.0.0-beta.1', published: '2021-02-01T00:00:00.000Z' },
    ]);
    await publish('@scope/helper', { latest: '1.5.0' }, [
      { version: '1.4.0', published: '2019-01-01T00:00:00.000Z' },
      { version: '1.5.0', published: '2021-01-01T00:00:00.000Z' },
    ]);
    await publish('target', { latest: '1.0.1' }, [
      { version: '1.0.0', published: '2018-01-01T00:00:00.000Z' },
      { version: '1.0.1', published: '2018-02-01T00:00:00.000Z' },
    ]);
    await publish('@scope/target', { latest: '1.0.0' }, [{ version: '1.0.0', published: '2018-01-01T00:00:00.000Z' }]);
    await publish('altered', { latest: '1.0.0' }, [
      { version: '1.0.0', published: '2018-01-01T00:00:00.000Z', integrity: integrityOf(Buffer.from('other')) },
    ]);
    // A mirror's own dates: years after the releases.
    await publish('mirrored', { latest: '2.0.0' }, [
      { version: '1.0.0', published: '2024-03-01T00:00:00.000Z' },
      {
        version: '1.1.0',
        published: '2024-01-01T00:00:00.000Z',
        manifest: { deprecated: 'old', engines: { node: '0.4' }, dependencies: { '@scope/helper': '*' } },
      },
      { version: '1.2.0', published: '2024-02-01T00:00:00.000Z' },
      { version: '2.0.0', published: '2024-02-01T00:00:00.000Z' },
    ]);
    await publish('needs-more', { latest: '1.0.0' }, [
      { version: '1.0.0', published: '2018-01-01T00:00:00.000Z', manifest: { dependencies: { mirrored: '^1.2.0' } } },
    ]);
  });
  after(() => fixture.stop());

  async function publish(name: string, tags: Record<string, string>, releases: Release[]): Promise<void> {
    const versions: Record<string, unknown> = {};
    const time: Record<string, string> = { created: '2018-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z' };
    for (const { version, published, manifest, integrity } of releases) {
      const described = { name, version, ...manifest };
      const bytes = await makeTarball(described);
      const path = `/files/${name}-${version}.tgz`;
      fixture.upstream.routes.set(path, { body: bytes });
      versions[version] = {
        ...described,
        dist: {
          tarball: `${fixture.upstream.url.origin}${path}`,
          integrity: integrity ?? integrityOf(bytes),
          signatures: [{}],
        },
      };
      if (published !== null) time[version] = published;
    }
    const body = JSON.stringify({ _id: name, name, 'dist-tags': tags, versions, time, readme: 'the fix of 2021' });
    fixture.upstream.routes.set(`/${name.replace('/', '%2f')}`, {
      headers: { 'content-type': 'application/json' },
      body,
    });
  }

  async function openLane(options: Partial<PackageLaneOptions> = {}) {
    const opened = await fixture.open({ kind: 'npm', ...options });
    const packument = async (path: string, accept = 'application/json') => {
      const answer = await fetch(`${opened.origin}/${path}`, { headers: { accept } });
      return answer.status === 404 ? null : Served.parse(await answer.json());
    };
    return { ...opened, packument };
  }

  async function npm(origin: string, argv: string[], files: Record<string, unknown> = {}) {
    const cwd = await fixture.newDirectory();
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), JSON.stringify(content));
    const result = await runClient(
      ['npm', ...argv, '--registry', `${origin}/`, '--fetch-retries', '0', '--no-update-notifier'],
      cwd,
    );
    return { cwd, code: result.exitCode, stdout: result.stdout.toString(), stderr: result.stderr.toString() };
  }

  async function installed(origin: string, dependencies: Record<string, string>): Promise<Record<string, string>> {
    const { cwd, code, stderr } = await npm(origin, ['install'], {
      'package.json': { name: 'x', version: '1.0.0', dependencies },
    });
    assert.equal(code, 0, stderr);
    const lock = z
      .object({ packages: z.record(z.string(), z.object({ version: z.string() })) })
      .parse(JSON.parse(await readFile(join(cwd, 'package-lock.json'), 'utf8')));
    return Object.fromEntries(
      Object.entries(lock.packages).flatMap(([path, { version }]) =>
        path === '' ? [] : [[path.replace('node_modules/', ''), version]],
      ),
    );
  }

  test('npm installs what existed at the cutoff', async () => {
    const { lane, origin } = await openLane({ directRanges: { demo: '>=1.0.0' } });
    assert.equal(lane.resolution(), 'date');
    assert.deepEqual(lane.doubts, []);
    assert.deepEqual(await installed(origin, { demo: '>=1.0.0' }), { demo: '1.1.0', '@scope/helper': '1.4.0' });
    assert.ok(
      lane.records.some((record) => record.method === 'POST' && record.status === 200),
      'the audit was answered',
    );
  });

  test('control: with a later cutoff npm installs the later release', async () => {
    const { origin } = await openLane({ cutoff: LATER });
    assert.deepEqual(await installed(origin, { demo: '>=1.0.0' }), { demo: '2.0.0' });
  });

  test('dist-tags name only what is visible, in both forms; nothing of today is in them', async () => {
    const { origin, packument } = await openLane();
    for (const accept of ['application/json', ABBREVIATED_TYPE]) {
      const served = await packument('demo', accept);
      assert.deepEqual(served?.['dist-tags'], { latest: '1.1.0', stable: '1.1.0' });
      assert.deepEqual(Object.keys(served?.versions ?? {}), ['1.0.0', '1.1.0', '1.2.0-rc.1']);
      assert.equal(served?.versions['1.1.0']?.dist.tarball, `${origin}/demo/-/demo-1.1.0.tgz`);
    }
    const full = await (await fetch(`${origin}/demo`)).text();
    assert.ok(!/2021|2026|the fix|signatures/.test(full) && !full.includes(`:${fixture.upstream.url.port}/`));
    const short = await packument('demo', ABBREVIATED_TYPE);
    assert.deepEqual(
      [
        short?.time?.['modified'],
        short?.versions['1.1.0']?.['hasInstallScript'],
        short?.versions['1.0.0']?.['hasInstallScript'],
      ],
      ['2020-02-01T00:00:00.000Z', true, undefined],
    );
    const { stdout } = await npm(origin, ['view', 'demo', 'versions', '--json']);
    assert.deepEqual(JSON.parse(stdout), ['1.0.0', '1.1.0', '1.2.0-rc.1']);
  });

  test('a version after the cutoff cannot be fetched by its path', async () => {
    const { origin } = await openLane();
    assert.equal((await fetch(`${origin}/demo/-/demo-2.0.0.tgz`)).status, 404);
    assert.notEqual((await npm(origin, ['pack', 'demo@2.0.0'])).code, 0);
    const control = await openLane({ cutoff: LATER });
    assert.equal((await fetch(`${control.origin}/demo/-/demo-2.0.0.tgz`)).status, 200);
    assert.equal((await npm(control.origin, ['pack', 'demo@2.0.0'])).code, 0);
  });

  test('excluded names do not exist in any spelling', async () => {
    const { lane, origin, packument } = await openLane({ exclude: ['Target', '@scope/target'] });
    for (const path of ['target', 'TARGET', '@scope/target', '@scope%2ftarget', '@scope%2Ftarget', '%40scope%2ftarget'])
      assert.equal(await packument(path), null, path);
    for (const path of ['target/-/target-1.0.1.tgz', '@scope/target/-/target-1.0.0.tgz'])
      assert.equal((await fetch(`${origin}/${path}`)).status, 404);
    assert.ok(lane.records.every((record) => record.note === 'excluded'));
    assert.notEqual((await npm(origin, ['pack', 'target@1.0.1'])).code, 0);
    assert.notEqual((await npm(origin, ['install', 'other@npm:target@1.0.1'])).code, 0);
  });

  test('control: not excluded, they exist in both spellings', async () => {
    const { origin, packument } = await openLane();
    for (const path of ['target', '@scope/target', '@scope%2ftarget', '@scope%2Ftarget', '%40scope%2ftarget'])
      assert.ok(await packument(path), path);
    assert.equal((await npm(origin, ['pack', 'target@1.0.1'])).code, 0);
    assert.equal((await npm(origin, ['install', 'other@npm:target@1.0.1'])).code, 0);
  });

  test('a tarball that does not have its integrity is never handed out', async () => {
    const { origin } = await openLane();
    const answer = await fetch(`${origin}/altered/-/altered-1.0.0.tgz`);
    assert.equal(answer.status, 502);
    assert.match(await answer.text(), /sha512/);
    assert.equal((await fetch(`${origin}/target/-/target-1.0.0.tgz`)).status, 200);
  });

  test("dates that contradict T0's manifest are not believed: direct ranges give their lowest", async () => {
    const { lane, origin, packument } = await openLane({ directRanges: { mirrored: '^1.1.0', demo: '^1.0.0' } });
    assert.equal(lane.resolution(), 'lowest');
    assert.match(lane.doubts.join(), /^mirrored \^1\.1\.0: of 2 versions the earliest is dated 2024-01-01/);
    assert.deepEqual(await installed(origin, { mirrored: '^1.1.0', demo: '^1.0.0' }), {
      mirrored: '1.1.0',
      demo: '1.0.0',
      '@scope/helper': '1.5.0',
    });
    assert.equal((await packument('mirrored'))?.['dist-tags']['latest'], '1.1.0');
  });

  test('control: with a cutoff that the dates can meet they are believed', async () => {
    const { lane, origin } = await openLane({
      directRanges: { mirrored: '^1.1.0' },
      cutoff: new Date('2024-01-15T00:00:00Z'),
    });
    assert.equal(lane.resolution(), 'date');
    assert.deepEqual(await installed(origin, { mirrored: '^1.1.0' }), { mirrored: '1.1.0', '@scope/helper': '1.5.0' });
  });

  test('an indirect range that asks for more than the lowest is still solved', async () => {
    const { origin } = await openLane({ directRanges: { mirrored: '^1.0.0', 'needs-more': '^1.0.0' } });
    const tree = await installed(origin, { mirrored: '^1.0.0', 'needs-more': '^1.0.0' });
    assert.deepEqual([tree['needs-more'], tree['mirrored']], ['1.0.0', '1.2.0']);
  });

  test('a range without a lower end says nothing about T0: the registry keeps its own choice', async () => {
    const { lane, origin } = await openLane({
      directRanges: { mirrored: '*', '@scope/helper': 'latest', 'needs-more': '^1.0.0', demo: '^2.0.0' },
    });
    assert.equal(lane.resolution(), 'lowest');
    assert.deepEqual(await installed(origin, { mirrored: '*', '@scope/helper': 'latest' }), {
      mirrored: '2.0.0',
      '@scope/helper': '1.5.0',
    });
  });

  test('excluded and foreign entries of a manifest say nothing about dates', async () => {
    const directRanges = {
      mirrored: '^1.0.0',
      a: 'git+ssh://host/a.git',
      b: 'file:../b',
      c: 'workspace:*',
      d: 'https://host/d.tgz',
      gone: '^1.0.0',
      demo: 'latest',
      e: 'user/repo',
    };
    const { lane } = await openLane({ exclude: ['mirrored'], directRanges });
    assert.equal(lane.resolution(), 'date');
  });

  test('with a lockfile npm ci takes what is locked, but not the excluded', async () => {
    const bytes = await makeTarball({ name: 'demo', version: '2.0.0' });
    const lockOf = (name: string, version: string, integrity: string) => ({
      'package.json': { name: 'x', version: '1.0.0', dependencies: { [name]: version } },
      'package-lock.json': {
        name: 'x',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'x', version: '1.0.0', dependencies: { [name]: version } },
          [`node_modules/${name}`]: { version, integrity },
        },
      },
    });
    const { lane, origin } = await openLane({ mode: 'lockfile', exclude: ['target'] });
    assert.equal(lane.resolution(), 'lockfile');
    const locked = await npm(origin, ['ci'], lockOf('demo', '2.0.0', integrityOf(bytes)));
    assert.equal(locked.code, 0, locked.stderr);
    const target = integrityOf(await makeTarball({ name: 'target', version: '1.0.1' }));
    assert.notEqual((await npm(origin, ['ci'], lockOf('target', '1.0.1', target))).code, 0);
    // A packument is there for those who ask, and was asked for in its short form, which tells hashes and no times.
    const listed = Served.parse(await (await fetch(`${origin}/demo`)).json());
    assert.ok(Object.keys(listed.versions).includes('3.0.0-beta.1') && listed['dist-tags']['latest'] === '2.0.0');
    const forms = fixture.upstream.requests.flatMap(({ path, headers }) => (path === '/demo' ? [headers.accept] : []));
    assert.ok(forms.some((form) => form?.startsWith(ABBREVIATED_TYPE)));
    const control = await openLane({ mode: 'lockfile' });
    assert.equal((await npm(control.origin, ['ci'], lockOf('target', '1.0.1', target))).code, 0);
  });

  test('names of JavaScript objects are names like others', async () => {
    const { packument, port, origin } = await openLane();
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      assert.equal(await packument(name), null);
    assert.equal((await fetch(`${origin}/constructor`, { method: 'POST', body: 'x' })).status, 403);
    assert.ok(port > 0);
  });
});

test("the machine's own upstream: is-number", async () => {
  const fixture = await LaneFixture.start();
  try {
    // A cutoff before any mirror's own dates: whichever kind of dates the upstream gives, 7.0.0 (2018) is what the
    // range means.
    const { lane, origin } = await fixture.open(
      { kind: 'npm', cutoff: new Date('2019-01-01T00:00:00Z'), directRanges: { 'is-number': '^7.0.0' } },
      'machine',
    );
    assert.ok(['date', 'lowest'].includes(lane.resolution()));
    const cwd = await fixture.newDirectory();
    const result = await runClient(
      ['npm', 'pack', 'is-number@^7.0.0', '--registry', `${origin}/`, '--no-update-notifier'],
      cwd,
    );
    assert.equal(result.stdout.toString().trim(), 'is-number-7.0.0.tgz', result.stderr.toString());
  } finally {
    await fixture.stop();
  }
});
