import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { LaneFixture } from '../../../../lanes/src/package-lane/testing/lane-fixture.ts';
import { integrityOf, makeTarball } from '../../../../lanes/src/package-lane/testing/npm-files.ts';
import type { CliPlatform, CliRecipe } from './cli-agent.ts';
import { claudeCode } from './claude-code.ts';
import { installCli } from './install-cli.ts';

const PLATFORM: CliPlatform = { arch: 'x64', libc: 'glibc', avx2: true };

/** A small recipe like the real ones. */
const RECIPE: CliRecipe = {
  ...claudeCode,
  name: 'tool',
  package: '@scope/tool',
  version: '2.0.0',
  integrity: {},
  parts: ({ arch }) => ({
    own: false,
    optional: [
      { name: `@scope/tool-${arch}`, needed: true },
      { name: 'extra', needed: false },
    ],
  }),
};

const failsWith = (code: string, words: RegExp) => (error: unknown) =>
  AssayError.is(error) && error.code === code && words.test(error.message);

describe('a CLI from npm', () => {
  let fixture: LaneFixture;
  let cache = '';
  before(async () => {
    fixture = await LaneFixture.start();
  });
  after(() => fixture.stop());
  beforeEach(async () => {
    cache = await fixture.newDirectory();
    fixture.upstream.routes.clear();
    fixture.upstream.requests.length = 0;
    const program = await makeTarball(
      { name: '@scope/tool', version: '2.0.0-x64', scripts: { postinstall: 'touch /tmp/never' } },
      { 'bin/tool': '#!/bin/sh\necho tool\n', 'readme.txt': 'read' },
    );
    publish('@scope/tool', {
      '1.0.0': { bytes: Buffer.from('never asked for') },
      // The program is another version of the same package, under another name.
      '2.0.0': {
        bytes: Buffer.from('never asked for'),
        optionalDependencies: { '@scope/tool-x64': 'npm:@scope/tool@2.0.0-x64', extra: '1.5.0' },
      },
      '2.0.0-x64': { bytes: program },
      '3.0.0': {
        bytes: Buffer.from('never asked for'),
        optionalDependencies: { '@scope/tool-x64': 'npm:@scope/tool@3.0.0-x64' },
      },
    });
    publish('extra', { '1.5.0': { bytes: await makeTarball({ name: 'extra', version: '1.5.0' }) } });
  });

  const options = (more: object = {}) => ({
    cacheDirectory: cache,
    upstream: { url: fixture.upstream.url, certificates: [] },
    platform: PLATFORM,
    ...more,
  });

  function publish(
    name: string,
    releases: Record<string, { bytes: Buffer; optionalDependencies?: Record<string, string>; integrity?: string }>,
  ): void {
    const versions = Object.fromEntries(
      Object.entries(releases).map(([version, { bytes, optionalDependencies, integrity }]) => {
        const path = `/files/${name.replace('/', '-')}-${version}.tgz`;
        fixture.upstream.routes.set(path, { body: bytes });
        return [
          version,
          {
            name,
            version,
            optionalDependencies,
            dist: { tarball: `${fixture.upstream.url.origin}${path}`, integrity: integrity ?? integrityOf(bytes) },
          },
        ];
      }),
    );
    fixture.upstream.routes.set(`/${name.replace('/', '%2f')}`, {
      body: JSON.stringify({ name, 'dist-tags': { latest: '2.0.0' }, versions }),
    });
  }

  const asked = (words: RegExp): number => fixture.upstream.requests.filter(({ path }) => words.test(path)).length;
  const layers = async (): Promise<string[]> => await readdir(join(cache, 'layers')).catch(() => []);

  test('the program for this machine, at the version of the release, with what it was on record', async () => {
    const told: string[] = [];
    const installed = await installCli(RECIPE, '2.0.0', options({ progress: (text: string) => told.push(text) }));
    assert.equal(installed.version, '2.0.0');
    assert.deepEqual(told, ['fetching @scope/tool@2.0.0-x64', 'fetching extra@1.5.0']);
    assert.deepEqual(
      installed.packages.map(({ name, version }) => `${name}@${version}`),
      ['@scope/tool@2.0.0-x64', 'extra@1.5.0'],
    );
    for (const { integrity } of installed.packages) assert.match(integrity, /^sha512-/);
    const program = join(installed.directory, 'node_modules/@scope/tool-x64/bin/tool');
    assert.match(await readFile(program, 'utf8'), /echo tool/);
    assert.deepEqual((await readdir(join(installed.directory, 'node_modules'))).sort(), ['@scope', 'extra']);
    assert.equal(
      (await stat(join(installed.directory, 'node_modules/@scope/tool-x64/readme.txt'))).mode & 0o777,
      0o644,
    );
    assert.equal((await stat(join(installed.directory, 'node_modules/@scope'))).mode & 0o777, 0o755);
    assert.equal(asked(/never|1\.0\.0|2\.0\.0\.tgz/), 0);
  });

  test('once: later calls ask nobody, and two at once share one download', async () => {
    const [first, second] = await Promise.all([
      installCli(RECIPE, '2.0.0', options()),
      installCli(RECIPE, '2.0.0', options()),
    ]);
    assert.deepEqual(first, second);
    assert.equal(asked(/2\.0\.0-x64/), 1);
    fixture.upstream.routes.clear();
    const before = fixture.upstream.requests.length;
    assert.deepEqual(
      await installCli(RECIPE, '2.0.0', options({ progress: (text: string) => assert.fail(text) })),
      first,
    );
    assert.equal(fixture.upstream.requests.length, before);
  });

  test('a version that npm does not have, or has not for this machine, is told in one line', async () => {
    await assert.rejects(
      installCli(RECIPE, '9.9.9', options()),
      failsWith('BAD_OPTION', /^--agent tool@9\.9\.9: npm has no @scope\/tool@9\.9\.9; its newest is 3\.0\.0$/),
    );
    await assert.rejects(
      installCli(RECIPE, '3.0.0', options()),
      failsWith('BAD_OPTION', /no program for this machine: npm has no @scope\/tool@3\.0\.0-x64/),
    );
    await assert.rejects(
      installCli(RECIPE, '2.0.0', options({ platform: { ...PLATFORM, arch: 'riscv64' } })),
      failsWith('BAD_OPTION', /no program for this machine/),
    );
    assert.deepEqual(await layers(), []);
  });

  test('other bytes than the registry says, or than the recipe was tried with, are refused', async () => {
    const pinned = { ...RECIPE, integrity: { '@scope/tool@2.0.0-x64': integrityOf(Buffer.from('other')) } };
    await assert.rejects(installCli(pinned, '2.0.0', options()), failsWith('LANE_FAILED', /is not what it was/));
    fixture.upstream.routes.set('/files/@scope-tool-2.0.0-x64.tgz', { body: await makeTarball({ name: 'evil' }) });
    await assert.rejects(installCli(RECIPE, '2.0.0', options()), failsWith('LANE_FAILED', /sha512/));
    assert.deepEqual(await layers(), []);
  });

  test('one that is interrupted leaves nothing, and the next begins anew', async () => {
    const path = '/files/@scope-tool-2.0.0-x64.tgz';
    const good = fixture.upstream.routes.get(path);
    fixture.upstream.routes.set(path, { hang: 'in-body', body: 'half' });
    const controller = new AbortController();
    const running = installCli(RECIPE, '2.0.0', options({ signal: controller.signal }));
    while (asked(/2\.0\.0-x64/) === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await assert.rejects(running, failsWith('INTERRUPTED', /./));
    assert.deepEqual(await layers(), []);
    assert.ok(good);
    fixture.upstream.routes.set(path, good);
    assert.equal((await installCli(RECIPE, '2.0.0', options())).packages.length, 2);
  });

  test('one whose process is killed leaves nothing that counts, and no lock that holds', async () => {
    const path = '/files/@scope-tool-2.0.0-x64.tgz';
    const good = fixture.upstream.routes.get(path);
    fixture.upstream.routes.set(path, { hang: 'in-body', body: 'half' });
    const script = join(cache, 'install.mjs');
    await writeFile(
      script,
      `
      import { installCli } from ${JSON.stringify(new URL('install-cli.ts', import.meta.url).href)};
      import { claudeCode } from ${JSON.stringify(new URL('claude-code.ts', import.meta.url).href)};
      const recipe = { ...claudeCode, name: 'tool', package: '@scope/tool', integrity: {}, parts: () => ({ own: false, optional: [{ name: '@scope/tool-x64', needed: true }, { name: 'extra', needed: false }] }) };
      await installCli(recipe, '2.0.0', { cacheDirectory: ${JSON.stringify(cache)}, platform: ${JSON.stringify(PLATFORM)}, upstream: { url: new URL(${JSON.stringify(fixture.upstream.url.href)}), certificates: [] } });
    `,
    );
    const child = spawn(process.execPath, [script], { stdio: 'inherit' });
    while (asked(/2\.0\.0-x64/) === 0) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(good);
    fixture.upstream.routes.set(path, good);
    assert.equal((await installCli(RECIPE, '2.0.0', options())).packages.length, 2);
    assert.equal((await layers()).filter((name) => /^agent-tool-2\.0\.0-[0-9a-f]{16}$/.test(name)).length, 1);
  });
});
