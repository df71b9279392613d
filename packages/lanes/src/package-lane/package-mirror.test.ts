import assert from 'node:assert/strict';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { LaneRecord } from './contract.ts';
import { openPackageMirror, type PackageMirror, type PackageMirrorOptions } from './package-mirror.ts';
import { FixtureUpstream, LaneFixture, pythonWithPip, runClient } from './testing/lane-fixture.ts';
import { publishTarballs, publishWheels } from './testing/publish.ts';
import { sha256 } from './testing/python-files.ts';
import { fetchNpmPackage, fetchPythonTool } from './tool-download.ts';

const LATER = new Date('2030-01-01T00:00:00Z');
const RELEASES = {
  '1.0.0': { uploaded: '2019-01-01T00:00:00Z' },
  '1.1.0': { uploaded: '2020-01-01T00:00:00Z', requires: ['helper'] },
  '2.0.0': { uploaded: '2021-01-01T00:00:00Z' },
};

describe('all indexes on one port, with real clients', () => {
  let fixture: LaneFixture;
  let registry: FixtureUpstream;
  let wheels: Map<string, Buffer>;
  let integrities: Map<string, string>;
  const closers: Array<() => Promise<void>> = [];
  before(async () => {
    fixture = await LaneFixture.start();
    registry = await FixtureUpstream.start();
    for (const name of ['demo', 'helper', 'target']) {
      const releases = name === 'demo' ? RELEASES : { '1.0.0': { uploaded: '2019-01-01T00:00:00Z' } };
      const published = [
        publishWheels(fixture.upstream, name, releases),
        await publishTarballs(registry, name, releases),
      ] as const;
      if (name === 'demo') [wheels, integrities] = published;
    }
  });
  after(async () => {
    for (const close of closers) await close();
    await registry.stop();
    await fixture.stop();
  });

  async function open(
    options: Partial<PackageMirrorOptions> = {},
  ): Promise<{ mirror: PackageMirror; pypi: string; npm: string; records: LaneRecord[] }> {
    const records: LaneRecord[] = [];
    const mirror = await openPackageMirror({
      cutoff: new Date('2020-06-01T00:00:00Z'),
      exclude: ['target'],
      port: 0,
      cacheDirectory: join(fixture.directory, 'cache'),
      upstreams: {
        pypi: { url: fixture.upstream.url, certificates: [] },
        npm: { url: registry.url, certificates: [] },
      },
      onRecord: (record) => records.push(record),
      ...options,
    });
    closers.push(() => mirror.close());
    return { mirror, pypi: addressOf(mirror, 'pypi'), npm: addressOf(mirror, 'npm'), records };
  }

  /** Runs a client in a new directory with `files`; what is installed below `into`. */
  async function run(argv: string[], env: Record<string, string>, into: string, files: Record<string, string> = {}) {
    const cwd = await fixture.newDirectory();
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const result = await runClient(argv, cwd, env);
    const installed = (await readdir(join(cwd, into)).catch(() => []))
      .filter((name) => !/^[._]|\.py$/.test(name))
      .sort();
    return {
      code: result.exitCode,
      output: result.stdout.toString() + result.stderr.toString(),
      installed,
      read: (path: string) => readFile(join(cwd, path), 'utf8'),
    };
  }

  type PythonInstall = (pypi: string, words: string[], files?: Record<string, string>) => ReturnType<typeof run>;
  const pythonClients: Record<'pip' | 'uv', () => Promise<PythonInstall>> = {
    pip: async () => {
      const python = await pythonWithPip();
      return (pypi, words, files) =>
        run(
          [
            python,
            '-m',
            'pip',
            'install',
            '--no-cache-dir',
            '--disable-pip-version-check',
            '--retries',
            '0',
            '--target',
            'site',
            ...words,
          ],
          { PIP_INDEX_URL: pypi },
          'site',
          files,
        );
    },
    uv: async () => {
      const [uv, python] = [await fetchPythonTool('uv', join(fixture.directory, 'tools')), await pythonWithPip()];
      return (pypi, words, files) =>
        run(
          [uv, 'pip', 'install', '--no-cache', '--python', python, '--target', 'site', ...words],
          { UV_NO_CONFIG: '1', UV_DEFAULT_INDEX: pypi, NO_COLOR: '1' },
          'site',
          files,
        );
    },
  };

  for (const [name, prepare] of Object.entries(pythonClients)) {
    test(`${name} installs what was there at the date; a locked version by its hash; nothing excluded`, async () => {
      const install = await prepare();
      const { pypi, records } = await open();
      const dated = await install(pypi, ['demo']);
      assert.deepEqual(dated.installed, ['demo-1.1.0.dist-info', 'helper-1.0.0.dist-info'], dated.output);
      assert.ok(
        records.some(({ path }) => path.endsWith('.whl.metadata')),
        'the metadata was read apart',
      );
      const locked = (version: string, bytes: string) => ({
        'lock.txt': `demo==${version} --hash=sha256:${sha256(wheels.get(bytes) ?? Buffer.alloc(0))}\n`,
      });
      const words = ['--require-hashes', '-r', 'lock.txt'];
      assert.deepEqual((await install(pypi, words, locked('1.0.0', '1.0.0'))).installed, ['demo-1.0.0.dist-info']);
      assert.notEqual((await install(pypi, words, locked('1.0.0', '2.0.0'))).code, 0);
      assert.notEqual((await install(pypi, words, locked('2.0.0', '2.0.0'))).code, 0);
      const refused = await install(pypi, ['target']);
      assert.notEqual(refused.code, 0);
      assert.match(
        refused.output,
        /No matching distribution found for target|target was not found in the package registry/,
      );
      assert.equal(records.at(-1)?.note, 'excluded');
      const control = await open({ cutoff: LATER, exclude: [] });
      assert.deepEqual((await install(control.pypi, ['demo', 'target'])).installed, [
        'demo-2.0.0.dist-info',
        'target-1.0.0.dist-info',
      ]);
      assert.deepEqual((await install(control.pypi, words, locked('2.0.0', '2.0.0'))).installed, [
        'demo-2.0.0.dist-info',
      ]);
    });
  }

  const manifest = (dependencies: Record<string, string>): { 'package.json': string } => ({
    'package.json': JSON.stringify({ name: 'x', version: '1.0.0', dependencies }),
  });
  const npmEnvironment = (npm: string): Record<string, string> => ({
    npm_config_registry: npm,
    pnpm_config_registry: npm,
    npm_config_replace_registry_host: 'always',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    CI: '1',
  });

  test('npm installs what was there at the date; a lock file that names its registry; nothing excluded', async () => {
    const { npm, records } = await open();
    const dated = await run(['npm', 'install'], npmEnvironment(npm), 'node_modules', manifest({ demo: '*' }));
    assert.deepEqual(dated.installed, ['demo', 'helper'], dated.output);
    assert.match(await dated.read('node_modules/demo/package.json'), /"version":"1\.1\.0"/);
    const locked = (version: string) => ({
      ...manifest({ demo: '*' }),
      'package-lock.json': JSON.stringify({
        name: 'x',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'x', version: '1.0.0', dependencies: { demo: '*' } },
          'node_modules/demo': {
            version,
            resolved: `${registry.url.origin}/demo/-/demo-${version}.tgz`,
            integrity: integrities.get(version),
          },
        },
      }),
    });
    const asked = registry.requests.length;
    const older = await run(['npm', 'ci'], npmEnvironment(npm), 'node_modules', locked('1.0.0'));
    assert.match(await older.read('node_modules/demo/package.json').catch(() => older.output), /"version":"1\.0\.0"/);
    assert.notEqual((await run(['npm', 'ci'], npmEnvironment(npm), 'node_modules', locked('2.0.0'))).code, 0);
    assert.ok(
      registry.requests.slice(asked).every(({ headers }) => headers['user-agent'] === 'assay-package-lane'),
      'npm itself never went to the address in the lock file',
    );
    const refused = await run(['npm', 'install'], npmEnvironment(npm), 'node_modules', manifest({ target: '*' }));
    assert.notEqual(refused.code, 0);
    assert.match(refused.output, /target does not exist here: this index shows packages as of a date, without some/);
    assert.equal(records.findLast(({ status }) => status === 404)?.note, 'excluded');
    const control = await open({ cutoff: LATER, exclude: [] });
    assert.deepEqual(
      (await run(['npm', 'install'], npmEnvironment(control.npm), 'node_modules', manifest({ demo: '*', target: '*' })))
        .installed,
      ['demo', 'target'],
    );
    assert.equal((await run(['npm', 'ci'], npmEnvironment(control.npm), 'node_modules', locked('2.0.0'))).code, 0);
  });

  /** From version 12 on the program is in a package for each platform. */
  async function pnpmProgram(range: string): Promise<string[]> {
    const tools = join(fixture.directory, 'tools');
    if (/^\^(?:9|10|11)\./.test(range))
      return [process.execPath, join(await fetchNpmPackage('pnpm', range, tools), 'bin', 'pnpm.cjs')];
    const program = join(await fetchNpmPackage(`@pnpm/exe.linux-${process.arch}`, range, tools), 'pnpm');
    await chmod(program, 0o755);
    return [program];
  }

  for (const range of ['^9.0.0', '^10.0.0', '^11.0.0', '^12.0.0']) {
    test(`pnpm ${range} installs what was there at the date, and then what its lock file says; nothing excluded`, async () => {
      const pnpm = [...(await pnpmProgram(range)), 'install', '--store-dir', 'store'];
      const version = (result: Awaited<ReturnType<typeof run>>): Promise<string> =>
        result.read('node_modules/demo/package.json').then(
          (text) => /"version":"([^"]*)"/.exec(text)?.[1] ?? '',
          () => result.output,
        );
      const { npm } = await open();
      const dated = await run(
        [...pnpm, '--no-frozen-lockfile'],
        npmEnvironment(npm),
        'node_modules/.pnpm',
        manifest({ demo: '*' }),
      );
      assert.equal(await version(dated), '1.1.0');
      // Whatever the date, what is locked is what is installed.
      const control = await open({ cutoff: LATER, exclude: [] });
      const locked = { ...manifest({ demo: '*' }), 'pnpm-lock.yaml': await dated.read('pnpm-lock.yaml') };
      assert.equal(
        await version(
          await run([...pnpm, '--frozen-lockfile'], npmEnvironment(control.npm), 'node_modules/.pnpm', locked),
        ),
        '1.1.0',
      );
      assert.equal(
        await version(
          await run(
            [...pnpm, '--no-frozen-lockfile'],
            npmEnvironment(control.npm),
            'node_modules/.pnpm',
            manifest({ demo: '*' }),
          ),
        ),
        '2.0.0',
      );
      const refused = await run(
        [...pnpm, '--no-frozen-lockfile'],
        npmEnvironment(npm),
        'node_modules',
        manifest({ target: '*' }),
      );
      assert.notEqual(refused.code, 0);
      assert.match(refused.output, /GET http:\/\/127\.0\.0\.1:\d+\/npm\/target: Not Found - 404/);
    });
  }

  test('only under the name of this machine, only below the two indexes, and not on a port that is taken', async () => {
    const { pypi, mirror } = await open();
    const { port } = new URL(pypi);
    const ask = (path: string, host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) =>
        http
          .get({ port, host: '127.0.0.1', path, headers: { host }, agent: false }, (answer) =>
            resolve(answer.resume().statusCode),
          )
          .on('error', reject),
      );
    assert.equal(await ask('/pypi/simple/demo/', 'rebound.invalid'), 403);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST'])
      assert.equal(await ask('/pypi/simple/demo/', host), 200);
    for (const path of [
      '/',
      '/npm',
      '/npm/',
      '/pypi/',
      '/simple/demo/',
      '/demo',
      '/other/demo',
      '/npm/pypi/simple/demo/',
    ])
      assert.equal(await ask(path, 'localhost'), 404, path);
    await assert.rejects(
      open({ port: Number(port) }),
      (error) =>
        AssayError.is(error) &&
        error.code === 'BAD_OPTION' &&
        /--port: 127\.0\.0\.1:\d+ cannot be listened on \(EADDRINUSE\)/.test(error.message),
    );
    await mirror.close();
    await assert.rejects(ask('/pypi/simple/demo/', 'localhost'));
  });
});

const addressOf = ({ indexes }: PackageMirror, id: string): string => indexes[id]?.address ?? '';
