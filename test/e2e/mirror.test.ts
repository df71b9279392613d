import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { FixtureUpstream } from '../../packages/lanes/src/package-lane/testing/lane-fixture.ts';
import { publishTarballs, publishWheels } from '../../packages/lanes/src/package-lane/testing/publish.ts';
import { assay, assertRefused, inheritedEnvironment, MAIN } from './assay-process.ts';

const TOKEN = 'npm_mirror-token-0123456789';
type Child = ChildProcessByStdio<null, Readable, Readable>;

describe('assay mirror', () => {
  let directory = '';
  let pypi: FixtureUpstream;
  let npm: FixtureUpstream;
  let environment: Record<string, string> = {};
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-mirror-'));
    [pypi, npm] = await Promise.all([FixtureUpstream.start(), FixtureUpstream.start()]);
    publishWheels(pypi, 'demo', {
      '1.0': { uploaded: '2019-01-01T00:00:00Z' },
      '2.0': { uploaded: '2021-01-01T00:00:00Z' },
    });
    // A registry that gives as `time` when it fetched.
    await publishTarballs(npm, 'fetched', {
      '1.0.0': { uploaded: '2024-01-01T00:00:00Z' },
      '1.1.0': { uploaded: '2024-01-01T00:00:00Z' },
    });
    environment = {
      ASSAY_CACHE: join(directory, 'cache'),
      PIP_INDEX_URL: pypi.url.href.replace('//', `//user:${TOKEN}@`),
      PIP_CONFIG_FILE: '/dev/null',
      npm_config_registry: npm.url.href,
      [`npm_config_//${npm.url.host}/:_authToken`]: TOKEN,
    };
  });
  after(async () => {
    await Promise.all([pypi.stop(), npm.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  async function start(
    words: string[],
  ): Promise<{ base: string; end: () => Promise<{ exit: unknown; stdout: string; stderr: string }> }> {
    const child: Child = spawn(process.execPath, [MAIN, 'mirror', ...words], {
      env: inheritedEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    after(() => child.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      const found = /pnpm: export npm_config_registry=(http:\/\/127\.0\.0\.1:\d+)\/npm\/ [^\n]*\n/.exec(stderr)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(stderr)));
    const base = await promise;
    const end = async (): Promise<{ exit: unknown; stdout: string; stderr: string }> => {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      const [exit] = await closed;
      return { exit, stdout, stderr };
    };
    return { base, end };
  }

  test('prints the settings of each client, serves, says what it refused and why, and ends at Ctrl-C', async () => {
    const { base, end } = await start([
      '--before',
      '2020-06-01',
      '--exclude',
      'Target',
      '--exclude',
      '@co/target',
      '--json',
    ]);
    const page = await (await fetch(`${base}/pypi/simple/demo/`)).text();
    assert.ok(page.includes(`${base}/pypi/packages/demo/demo-1.0-py3-none-any.whl`) && !page.includes('demo-2.0'));
    assert.equal((await fetch(`${base}/pypi/packages/demo/demo-1.0-py3-none-any.whl`)).status, 200);
    for (const path of ['/pypi/simple/TARGET/', '/npm/target', '/npm/@co%2ftarget', '/npm/fetched', '/npm/fetched'])
      assert.equal((await fetch(base + path)).status, 404, path);
    const { exit, stdout, stderr } = await end();
    assert.equal(exit, 130);
    const { requests, ...rest } = JSON.parse(stdout) as {
      requests: { answered: number; refused: number; failed: number };
    };
    assert.deepEqual(rest, {
      before: '2020-06-01T00:00:00.000Z',
      excluded: ['Target', '@co/target'],
      indexes: {
        pypi: { address: `${base}/pypi/simple/`, resolution: 'date' },
        npm: { address: `${base}/npm/`, resolution: 'date' },
      },
    });
    assert.deepEqual([requests.answered, requests.refused, requests.failed], [2, 5, 0]);
    for (const line of [
      `pip: export PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=${base}/pypi/simple/`,
      `uv: export UV_NO_CONFIG=1 UV_DEFAULT_INDEX=${base}/pypi/simple/`,
      `npm: export npm_config_registry=${base}/npm/ npm_config_replace_registry_host=always`,
      `pnpm: export npm_config_registry=${base}/npm/ pnpm_config_registry=${base}/npm/`,
      'refused: GET /pypi/simple/TARGET/: excluded',
      'refused: GET /npm/target: excluded',
      'refused: GET /npm/@co%2ftarget: excluded',
      'refused: GET /npm/fetched: nothing visible: of 2 versions the earliest is dated 2024-01-01T00:00:00.000Z',
    ])
      assert.equal(stderr.split('\n').filter((each) => each === line).length, 1, `${line}\n${stderr}`);
    await assert.rejects(fetch(base));
    assert.ok(npm.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`));
    const cached = await Promise.all(
      (await readdir(join(directory, 'cache'), { recursive: true, withFileTypes: true })).flatMap((entry) =>
        entry.isFile() ? [readFile(join(entry.parentPath, entry.name), 'latin1')] : [],
      ),
    );
    assert.ok(
      cached.length > 0 && ![stdout, stderr, ...cached].some((text) => text.includes(TOKEN)),
      'the credentials are nowhere',
    );
  });

  test("a manifest shows that npm's dates are not the publishers'", async () => {
    await writeFile(join(directory, 'package.json'), JSON.stringify({ dependencies: { fetched: '^1.0.0' } }));
    const { base, end } = await start(['--before', '2020-06-01', '--manifest', join(directory, 'package.json')]);
    const packument = (await (await fetch(`${base}/npm/fetched`)).json()) as { 'dist-tags': Record<string, string> };
    assert.deepEqual(packument['dist-tags'], { latest: '1.0.0' });
    const { exit, stdout, stderr } = await end();
    assert.deepEqual([exit, stdout.replace(/\(.*\)/, '()')], [130, '1 requests answered (), 0 refused, 0 failed\n']);
    assert.match(
      stderr,
      /the registry's dates are not the publishers'.*\nfetched \^1\.0\.0: of 2 versions the earliest is dated 2024-01-01/,
    );
  });

  test('bad input is one clear line', async () => {
    await writeFile(join(directory, 'list.json'), '[]');
    await writeFile(join(directory, 'broken.json'), '{');
    await writeFile(join(directory, 'odd.json'), '{"dependencies": {"a": 1}}');
    const before = ['--before', '2020-06-01'];
    const cases: Array<[string[], RegExp]> = [
      [[], /--before/],
      [['--before', 'yesterday'], /date/],
      [['--before', '2020-13-01'], /date/],
      [[...before, '--exclude', '../up'], /--exclude: "\.\.\/up" is no name of a package/],
      [[...before, '--exclude', ''], /--exclude <NAME>' argument '' is invalid\. Give a value/],
      [[...before, '--exclude', 'a\u001b[31mb'], /--exclude: .* is no name/],
      [[...before, '--port', '0'], /--port/],
      [[...before, '--port', '70000'], /--port: there is no port 70000/],
      [[...before, '--port', pypi.url.port], /--port: 127\.0\.0\.1:\d+ cannot be listened on \(EADDRINUSE\)/],
      [[...before, '--manifest', join(directory, 'absent.json')], /--manifest: .*cannot be read/],
      [[...before, '--manifest', directory], /--manifest: .*it is no file of at most/],
      [[...before, '--manifest', join(directory, 'broken.json')], /it is no JSON/],
      [[...before, '--manifest', join(directory, 'list.json')], /it is no package\.json/],
      [[...before, '--manifest', join(directory, 'odd.json')], /it is no package\.json: dependencies\.a/],
      [[...before, 'extra'], /argument/],
    ];
    for (const [words, pattern] of cases)
      assertRefused(await assay(['mirror', ...words], { env: environment }), pattern);
  });

  test('a machine that has neither client says so', async () => {
    const { exitCode, stdout, stderr } = await assay(['mirror', '--before', '2020-06-01'], {
      env: { ...environment, PATH: '/nowhere', PIP_NO_INDEX: '1' },
    });
    assert.deepEqual([exitCode, stdout], [5, '']);
    assert.match(stderr, /^error: no upstream for \w+ is configured on this machine: [^\n]+\n$/);
  });
});
