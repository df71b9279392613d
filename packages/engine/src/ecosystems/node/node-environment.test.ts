import assert from 'node:assert/strict';
import { access, mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import type { PreparedEnvironment } from '../ecosystem.ts';
import { countingListener, EnvironmentFixture } from '../environment.fixture.ts';
import { buildNodeEnvironment } from './build-node-environment.ts';
import { nodeTestCommand } from './node-test-command.ts';
import { restoreNodeEnvironment } from './restore-node-environment.ts';

const T0 = '2023-06-15T12:00:00Z';
/** Keeps the interpreter that runs this test in use, so that none is fetched. */
const engines = { node: `>=${process.versions.node.split('.')[0]}` };
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const LOCKED = {
  'package.json': json({ name: 'locked-demo', version: '1.0.0', engines, dependencies: { 'is-number': '^7.0.0' } }),
  'package-lock.json': json({
    name: 'locked-demo',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'locked-demo', version: '1.0.0', dependencies: { 'is-number': '^7.0.0' } },
      'node_modules/is-number': {
        version: '7.0.0',
        resolved: 'https://registry.example/is-number/-/is-number-7.0.0.tgz',
        integrity: 'sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==',
        engines: { node: '>=0.12.0' },
      },
    },
  }),
  'index.js': "module.exports = require('is-number');\n",
};

const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('Node environments', { timeout: 600_000 }, () => {
  let fixture: EnvironmentFixture;
  before(async () => {
    fixture = await EnvironmentFixture.make();
  });
  after(() => fixture.dispose());

  describe('from a lockfile', () => {
    let tree: string;
    let environment: PreparedEnvironment;
    before(async () => {
      tree = await fixture.tree('locked', LOCKED);
      environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    });

    test('holds what the lockfile pins, wherever that came from', async () => {
      assert.equal(environment.spec.resolution, 'lockfile');
      assert.deepEqual(environment.spec.pins, ['is-number==7.0.0']);
      assert.deepEqual(environment.spec.excluded, ['locked-demo']);
      const answer = await fixture.runIn(environment, tree, [
        'node',
        '-p',
        "require('./index.js')(5) + ' ' + process.execPath",
      ]);
      assert.equal(answer.stdout, 'true /opt/node/bin/node\n', answer.stderr);
    });

    test('is built once, also for a later commit with the same lockfile', async () => {
      const sandboxes = fixture.created.length;
      const other = await fixture.tree('locked-later', { ...LOCKED, 'index.js': 'module.exports = 1;\n' });
      const again = await buildNodeEnvironment(fixture.request(other, 'node:test', '2023-11-02T00:00:00Z'));
      assert.equal(again.spec.digest, environment.spec.digest);
      assert.equal(fixture.created.length, sandboxes);
    });

    test('is made again from the files of a bundle, without any network', async () => {
      const bundleDirectory = await fixture.bundle(environment, 'bundle');
      const cacheDirectory = join(fixture.directory, 'other-cache');
      const restored = await restoreNodeEnvironment({
        spec: environment.spec,
        bundleDirectory,
        provider: fixture.provider,
        cacheDirectory,
      });
      assert.deepEqual(await readdir(cacheDirectory), ['layers'], 'no tool was fetched');
      assert.equal((await fixture.runIn(restored, tree, ['node', '-p', "require('./index.js')(5)"])).stdout, 'true\n');
      const manifest = 'node_modules/is-number/package.json';
      assert.equal(
        await readFile(join(restored.layerDirectories[0] ?? '', '..', manifest), 'utf8'),
        await readFile(join(environment.layerDirectories[0] ?? '', '..', manifest), 'utf8'),
      );
    });

    test('refuses a bundle without its modules', async () => {
      const request = {
        spec: environment.spec,
        bundleDirectory: await fixture.tree('empty-bundle', { x: '' }),
        provider: fixture.provider,
        cacheDirectory: join(fixture.directory, 'cache'),
      };
      await assert.rejects(
        restoreNodeEnvironment(request),
        (error) => AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED',
      );
    });
  });

  test('a workspace of later yarn has its modules where node looks for them', async () => {
    const own = (name: string, path: string, dependencies: string): string =>
      `"${name}@workspace:${path}":\n  version: 0.0.0-use.local\n  resolution: "${name}@workspace:${path}"\n${dependencies}  languageName: unknown\n  linkType: soft\n\n`;
    const tree = await fixture.tree('berry', {
      'package.json': json({ name: 'berry-demo', private: true, engines, workspaces: ['packages/*'] }),
      'packages/a/package.json': json({
        name: '@berry/a',
        dependencies: { '@berry/b': 'workspace:^', 'is-number': '^7.0.0' },
      }),
      'packages/b/package.json': json({ name: '@berry/b', version: '1.0.0', main: 'index.js' }),
      'packages/b/index.js': 'module.exports = 2;',
      '.yarnrc.yml': 'yarnPath: .yarn/releases/own.cjs\nplugins:\n  - path: .yarn/plugins/own.cjs\n',
      'yarn.lock': `__metadata:\n  version: 8\n  cacheKey: 10c0\n\n${own('@berry/a', 'packages/a', '  dependencies:\n    "@berry/b": "workspace:^"\n    is-number: "npm:^7.0.0"\n')}${own('@berry/b', 'packages/b', '').replace('"@berry/b@workspace:packages', '"@berry/b@workspace:^, @berry/b@workspace:packages')}${own('berry-demo', '.', '')}"is-number@npm:^7.0.0":\n  version: 7.0.0\n  resolution: "is-number@npm:7.0.0"\n  languageName: node\n  linkType: hard\n`,
    });
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.equal(environment.spec.resolution, 'lockfile');
    assert.ok(environment.spec.pins.includes('is-number==7.0.0'), environment.spec.pins.join(' '));
    const asked = "require('@berry/b') + ' ' + require('is-number')(5)";
    const answer = await fixture.runIn(environment, tree, ['/bin/sh', '-c', `cd packages/a && node -p "${asked}"`]);
    assert.equal(answer.stdout, '2 true\n', answer.stderr);
  });

  test('a workspace with the lockfile of bun is installed by bun', async () => {
    const integrity = LOCKED['package-lock.json'].match(/sha512-[^"]+/)?.[0];
    const tree = await fixture.tree('bun', {
      'package.json': json({ name: 'bun-demo', private: true, engines, workspaces: ['packages/*'] }),
      'packages/a/package.json': json({
        name: 'bun-a',
        dependencies: { 'bun-b': 'workspace:*', 'is-number': '^7.0.0' },
      }),
      'packages/b/package.json': json({ name: 'bun-b', version: '1.0.0', main: 'index.js' }),
      'packages/b/index.js': 'module.exports = 2;',
      'bunfig.toml': '[install]\nregistry = "http://registry.example/"\n',
      'bun.lock': `{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "name": "bun-demo" },
    "packages/a": { "name": "bun-a", "dependencies": { "bun-b": "workspace:*", "is-number": "^7.0.0" } },
    "packages/b": { "name": "bun-b", "version": "1.0.0" },
  },
  "packages": {
    "bun-a": ["bun-a@workspace:packages/a"],
    "bun-b": ["bun-b@workspace:packages/b"],
    "is-number": ["is-number@7.0.0", "http://registry.example/is-number/-/is-number-7.0.0.tgz", {}, "${integrity}"],
  }
}
`,
    });
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.equal(environment.spec.resolution, 'lockfile');
    const asked = "require('bun-b') + ' ' + require('is-number')(5)";
    const answer = await fixture.runIn(environment, tree, ['/bin/sh', '-c', `cd packages/a && node -p "${asked}"`]);
    assert.equal(answer.stdout, '2 true\n', answer.stderr);
  });

  test('without dependencies nothing is installed', async () => {
    const tree = await fixture.tree('bare', {
      'package.json': json({ name: 'bare', version: '1.0.0', engines }),
      'index.js': '',
    });
    const sandboxes = fixture.created.length;
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.equal(environment.spec.resolution, 'none');
    assert.deepEqual([...environment.bundleFiles], []);
    assert.equal(fixture.created.length, sandboxes);
    assert.equal((await fixture.runIn(environment, tree, ['node', '-p', '1+1'])).stdout, '2\n');
  });

  test('a project that its own dependencies depend on stands in for its releases', async () => {
    const tree = await fixture.tree('self', {
      // is-odd depends on is-number.
      'package.json': json({
        name: 'is-number',
        version: '6.0.1',
        engines,
        main: 'index.js',
        devDependencies: { 'is-odd': '^3.0.0' },
      }),
      'index.js': 'module.exports = (value) => "ours";\n',
    });
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.ok(
      environment.spec.pins.some((pin) => pin.startsWith('is-odd==3.0.')),
      environment.spec.pins.join(' '),
    );
    assert.ok(['date', 'lowest'].includes(environment.spec.resolution));
    const found = await fixture.runIn(environment, tree, ['node', '-p', "require('is-number')(1)"]);
    assert.equal(found.stdout, 'ours\n', found.stderr);
  });

  test('an addon of the repository is compiled, and its suite finds it', async () => {
    const addon = `#include <node_api.h>
static napi_value Init(napi_env env, napi_value exports) { napi_value text; napi_create_string_utf8(env, "compiled", NAPI_AUTO_LENGTH, &text); return text; }
NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
`;
    const tree = await fixture.tree('addon', {
      'package.json': json({
        name: 'addon-demo',
        // Debian's Node has its headers beside it.
        engines: { node: '20' },
        scripts: { test: 'node --test' },
        devDependencies: { 'is-number': '7.0.0' },
      }),
      'binding.gyp': '{"targets": [{"target_name": "demo", "sources": ["demo.c"]}]}',
      'demo.c': addon,
    });
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.deepEqual(environment.notes, []);
    assert.equal(environment.compiledFrom?.test('demo.c'), true);
    const [line = ''] = (await nodeTestCommand(tree))?.args ?? [];
    const script = `${line.replace('--before=', '')} && node -p "require('./build/Release/demo.node')"`;
    const found = await fixture.runIn(environment, tree, ['/bin/sh', '-c', script]);
    assert.equal(found.stdout, 'compiled\n', found.stderr);
  });

  test('a postinstall that reaches out or writes elsewhere gets nowhere', async (context) => {
    const listener = await countingListener();
    context.after(() => listener.close());
    const elsewhere = join(fixture.directory, 'elsewhere');
    await mkdir(elsewhere);
    const attack = `const fs = require('node:fs'), net = require('node:net'), path = require('node:path');
for (const target of process.argv.slice(2)) { try { fs.mkdirSync(path.dirname(target), { recursive: true }); fs.writeFileSync(target, 'owned'); } catch {} }
net.connect(${listener.port}, '127.0.0.1').on('error', () => {}).on('connect', function () { this.destroy(); });
fs.mkdirSync('node_modules/ran', { recursive: true }); fs.writeFileSync('node_modules/ran/package.json', '{"name":"ran","version":"1.0.0"}');
`;
    const mark = join(elsewhere, 'mark');
    const tree = await fixture.tree('hostile', {
      'package.json': json({
        name: 'hostile-demo',
        version: '1.0.0',
        engines,
        dependencies: { 'is-number': '7.0.0' },
        scripts: { postinstall: `node attack.cjs ${mark} /opt/tree/mark /opt/node/mark /usr/lib/mark /etc/mark` },
      }),
      'attack.cjs': attack,
    });
    const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
    assert.ok(environment.spec.pins.includes('ran==1.0.0'), 'the attack did run');
    assert.equal(listener.connections(), 0);
    assert.deepEqual((await readdir(tree)).sort(), ['attack.cjs', 'package.json']);
    for (const path of [mark, '/usr/lib/mark', '/etc/mark']) assert.equal(await pathExists(path), false, path);

    assert.equal(
      (await runCommand([process.execPath, join(tree, 'attack.cjs'), mark], { cwd: elsewhere })).exitCode,
      0,
    );
    assert.equal(listener.connections(), 1, 'control: outside, the same code connects');
    assert.equal(await readFile(mark, 'utf8'), 'owned', 'control: outside, the same code writes');
  });

  test('what cannot be installed says why, and says so again from the cache', async () => {
    const tree = await fixture.tree('failing', {
      'package.json': json({ name: 'failing-demo', engines, dependencies: { 'is-number': '^99.0.0' } }),
    });
    const failed = (error: unknown): boolean =>
      AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED' && error.message.includes('is-number');
    await assert.rejects(buildNodeEnvironment(fixture.request(tree, 'node:test', T0)), failed);
    const sandboxes = fixture.created.length;
    await assert.rejects(buildNodeEnvironment(fixture.request(tree, 'node:test', T0)), failed);
    assert.equal(fixture.created.length, sandboxes);
  });
});
