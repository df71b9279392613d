import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { TestCommand } from '@assay/protocol';
import { commandsOfOtherVariables, nodeTestCommand } from './node-test-command.ts';
import { foreignNodeRunner } from './read-scripts.ts';

type Manifest = Record<string, unknown>;
const scripts = (test: string, more: Record<string, string> = {}, rest: Manifest = {}): Manifest => ({
  scripts: { test, ...more },
  ...rest,
});

const ZONES =
  'cross-env TZ=Pacific/Auckland npm run test-tz && cross-env TZ=Europe/London npm run test-tz && npm run test-tz && jest --coverage';
const CASES: Array<[title: string, manifest: Manifest, expected: string | null]> = [
  ['vitest', scripts('vitest run'), 'vitest'],
  [
    'linter first',
    scripts('pnpm lint && vitest run --typecheck', { lint: 'eslint . && prettier -c src test' }),
    'vitest',
  ],
  ['vitest with a directory', scripts('vitest --run --coverage --dir test unit'), 'vitest --dir test unit'],
  ['jest', scripts('yarn lint && jest'), 'jest'],
  [
    'jest with coverage and a config',
    scripts('jest --coverage --runInBand --config jest.unit.js --maxWorkers 2'),
    'jest --config jest.unit.js',
  ],
  [
    'jest as modules',
    scripts("NODE_OPTIONS='--experimental-vm-modules --no-warnings' npx jest --ci"),
    'jest --experimental-vm-modules --no-warnings',
  ],
  [
    'jest by its file',
    scripts('node --experimental-vm-modules node_modules/jest/bin/jest.js --verbose'),
    'jest --experimental-vm-modules',
  ],
  [
    'mocha under nyc',
    scripts('nyc --reporter=lcov mocha -r ts-node/register --reporter dot "test/**/*.ts"'),
    'mocha -r ts-node/register test/**/*.ts',
  ],
  [
    'mocha under c8 and cross-env',
    scripts('cross-env NODE_ENV=test c8 mocha --timeout 5000 --exit'),
    'mocha --env=NODE_ENV=test --timeout 5000 --exit',
  ],
  [
    'variables of scripts around it',
    scripts('TZ=Asia/Tokyo npm run unit', { unit: 'NODE_PATH=src CI=1 TOKEN=$SECRET mocha' }),
    'mocha --env=TZ=Asia/Tokyo --env=NODE_PATH=src',
  ],
  ['the first of several variables', scripts('TZ=Asia/Tokyo mocha && TZ=UTC mocha'), 'mocha --env=TZ=Asia/Tokyo'],
  ['the one without variables, else', scripts('TZ=Asia/Tokyo mocha && mocha'), 'mocha'],
  ['the whole suite, after a part in other zones', scripts(ZONES, { 'test-tz': 'date && jest test/zone.js' }), 'jest'],
  ['other flags are another suite', scripts('mocha test/unit && mocha --ui tdd'), 'mocha test/unit'],
  [
    'mocha by its path',
    scripts('node ./node_modules/.bin/mocha --require should test/'),
    'mocha --require should test/',
  ],
  [
    'mocha behind a script',
    scripts('npm run lint && npm run test:unit', { lint: 'eslint .', 'test:unit': 'mocha --recursive' }),
    'mocha --recursive',
  ],
  ['run-s', scripts('run-s lint test:*', { lint: 'eslint .', 'test:mocha': 'mocha spec' }), 'mocha spec'],
  ['node:test', scripts('node --test'), 'node:test'],
  [
    'node:test with a loader',
    scripts('node --import tsx --test --test-reporter spec "test/*.test.ts"'),
    'node:test --import tsx test/*.test.ts',
  ],
  ['node:test under c8', scripts('c8 --100 node --test test/'), 'node:test test/'],
  ['tsx', scripts('tsx --test test/a.ts'), 'node:test --import tsx test/a.ts'],
  [
    'coverage of node itself',
    scripts('node --test --experimental-test-coverage --experimental-strip-types'),
    'node:test --experimental-strip-types',
  ],
  ['tap', scripts('tap --timeout 60 -Rspec --node-arg=--expose-gc test/*.js'), 'tap --expose-gc test/*.js'],
  ['tap, where no script names it', { devDependencies: { tap: '^16.0.0' } }, 'tap'],
  ['jasmine', scripts('jasmine --config=a.json --random=false --seed=1'), 'jasmine --config=a.json'],
  [
    'jasmine, started by node',
    scripts('node --no-warnings node_modules/jasmine/bin/jasmine.js'),
    'jasmine --no-warnings',
  ],
  ['ava', scripts('xo && ava'), 'ava'],
  ['ava with flags', scripts('c8 ava --tap --serial --timeout 2m -c 4 "test/*.js"'), 'ava --serial test/*.js'],
  ['ava, where no script names it', { devDependencies: { ava: '6' } }, 'ava'],
  [
    'tape under nyc, its output piped',
    scripts("nyc tape -r ts-node/register -i .gitignore 'test/**/*.js' | tap-spec"),
    'tape -r ts-node/register test/**/*.js',
  ],
  ['borp', scripts('borp -p "test/*.js" --coverage --timeout 100 --reporter spec'), 'node:test test/*.js'],
  [
    'what finds files for node:test',
    scripts('glob -c "tsx --no-warnings --test" "./test/**/*.test.ts"'),
    'node:test --import tsx --no-warnings ./test/**/*.test.ts',
  ],
  ['jest, whose flag of one letter takes no value', scripts('jest -i test'), 'jest test'],
  ['bun that starts another runner', scripts('bun run unit', { unit: 'bunx --bun vitest run' }), 'vitest'],
  ['bun itself', scripts('bun test', {}, { devDependencies: { vitest: '1' } }), null],
  ['a file of its own', scripts('node test.js'), null],
  ['no script, but a dependency', { devDependencies: { mocha: '^10.0.0' } }, 'mocha'],
  ['a compiler of many packages', scripts('turbo run test', {}, { devDependencies: { vitest: '1' } }), 'vitest'],
  ['nothing', {}, null],
  ['a script that calls itself', scripts('npm test'), null],
];

for (const [title, manifest, expected] of CASES) {
  test(`nodeTestCommand: ${title}`, async (context) => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
    context.after(() => rm(tree, { recursive: true, force: true }));
    await writeFile(join(tree, 'package.json'), JSON.stringify(manifest));
    const command = await nodeTestCommand(tree);
    assert.equal(command && [command.runner, ...command.args].join(' '), expected);
  });
}

const FILES: Array<[title: string, script: string | null, files: Record<string, string>, expected: string | null]> = [
  ['of node:test', 'node test.js', { 'test.js': `import test from 'node:test';` }, 'node:test test.js'],
  ['of tape', 'node -r esm test', { 'test/index.js': `const test = require("tape");` }, 'tape -r esm test/index.js'],
  [
    'whose neighbours are tests',
    'c8 node test/all',
    { 'test/all.js': `require('./a');`, 'test/a.js': `const { test } = require('node:test');` },
    'node:test test/all.js',
  ],
  [
    'through a compiler',
    'tsx test/a.ts',
    { 'test/a.ts': `import { it } from "node:test"` },
    'node:test --import tsx test/a.ts',
  ],
  ['of no runner', 'node test.js', { 'test.js': `require('assert').ok(1);` }, null],
  [
    'that makes ready what a runner runs',
    'node test/set-up.js && mocha lib',
    { 'test/set-up.js': `require('tape');` },
    'mocha lib',
  ],
  ['outside', 'node ../test.js', { 'test.js': `require('tape')` }, null],
  ['and no script', null, { 'src/deep/a.test.ts': `import { it } from 'node:test';` }, 'node:test'],
  ['in prose alone', null, { 'test/a.js': `// needs 'node:test' or 'tape'` }, null],
];

for (const [title, script, files, expected] of FILES) {
  test(`nodeTestCommand: a file ${title}`, async (context) => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
    context.after(() => rm(tree, { recursive: true, force: true }));
    const manifest = script === null ? {} : { scripts: { test: script } };
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const command = await nodeTestCommand(tree);
    assert.equal(command && [command.runner, ...command.args].join(' '), expected);
  });
}

const pack = (test: string): string => JSON.stringify({ scripts: { test } });
const WORKSPACES: Array<[title: string, files: Record<string, string>, expected: string | null]> = [
  [
    'of npm, each package with its own command',
    {
      'package.json': JSON.stringify({
        workspaces: ['packages/*', 'site'],
        scripts: { test: 'npm test --workspaces' },
      }),
      'packages/a/package.json': pack('mocha --ui tdd'),
      'packages/b/package.json': pack('mocha test/unit'),
      'site/package.json': pack('jest'),
      'packages/c/package.json': pack('eslint .'),
    },
    'mocha --in=packages/a --ui tdd --in=packages/b test/unit',
  ],
  [
    'of pnpm',
    {
      'package.json': pack('pnpm -r test'),
      'pnpm-workspace.yaml': "packages:\n  - 'libs/*' # ours\n  - \"apps/**\"\n  - '!libs/old'\ncatalog:\n  - x\n",
      'libs/a/package.json': pack('vitest run'),
      'libs/old/package.json': pack('vitest run'),
      'apps/web/ui/package.json': pack('vitest'),
    },
    'vitest --in=apps/web/ui --in=libs/a',
  ],
  [
    'whose packages are built before their tests',
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*'] }),
      'packages/a/package.json': JSON.stringify({
        main: './dist/index.js',
        scripts: { build: 'tsc', pretest: 'npm run build', test: 'mocha' },
      }),
      'packages/b/package.json': JSON.stringify({ main: 'dist/index.js', scripts: { build: 'tsc', test: 'mocha' } }),
      'packages/c/dist/index.js': '',
      'packages/c/package.json': JSON.stringify({
        exports: { '.': './dist/index.js' },
        scripts: { build: 'tsc', test: 'npm run build && mocha' },
      }),
    },
    'mocha --in=packages/a --before=npm run build --in=packages/b --in=packages/c',
  ],
  [
    'whose root configures the runner for all',
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*'], scripts: { test: 'turbo run test' } }),
      'vitest.workspace.ts': 'export default [];',
      'packages/a/package.json': pack('vitest run'),
    },
    'vitest',
  ],
  [
    'without a runner anywhere',
    { 'package.json': JSON.stringify({ workspaces: ['packages/*'] }), 'packages/a/package.json': pack('eslint .') },
    null,
  ],
];

for (const [title, files, expected] of WORKSPACES) {
  test(`nodeTestCommand: a workspace ${title}`, async (context) => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
    context.after(() => rm(tree, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const command = await nodeTestCommand(tree);
    assert.equal(command && [command.runner, ...command.args].join(' '), expected);
  });
}

test('commandsOfOtherVariables: each set of variables once, before those of packages', async (context) => {
  const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
  context.after(() => rm(tree, { recursive: true, force: true }));
  await writeFile(join(tree, 'package.json'), JSON.stringify(scripts(ZONES, { 'test-tz': 'jest a' })));
  const command = TestCommand.parse({ ecosystem: 'node', runner: 'jest', args: ['--before=npm run build', '--ci'] });
  const others = await commandsOfOtherVariables(tree, command);
  assert.deepEqual(
    others.map(({ args }) => args.join(' ')),
    ['Pacific/Auckland', 'Europe/London'].map((zone) => `--env=TZ=${zone} --before=npm run build --ci`),
  );
  const [first] = others;
  assert.deepEqual(
    (await commandsOfOtherVariables(tree, { ...command, args: first?.args ?? [] })).map(({ args }) => args[0]),
    ['--env=TZ=Europe/London', '--before=npm run build'],
  );
  assert.deepEqual(await commandsOfOtherVariables(tree, { ...command, runner: 'mocha' }), []);
});

test('nodeTestCommand: a package that a link takes out of the workspace is none', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
  context.after(() => rm(place, { recursive: true, force: true }));
  const tree = join(place, 'tree');
  for (const directory of ['tree/packages', 'outside']) await mkdir(join(place, directory), { recursive: true });
  await writeFile(join(tree, 'package.json'), JSON.stringify({ workspaces: ['packages/a', '../outside'] }));
  await writeFile(join(place, 'outside/package.json'), pack('mocha'));
  await symlink(join(place, 'outside'), join(tree, 'packages/a'));
  assert.equal(await nodeTestCommand(tree), null);
});

test('nodeTestCommand: no manifest, or a broken one', async (context) => {
  const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
  context.after(() => rm(tree, { recursive: true, force: true }));
  assert.equal(await nodeTestCommand(tree), null);
  await writeFile(join(tree, 'package.json'), '{"scripts": ');
  assert.equal(await nodeTestCommand(tree), null);
});

test('foreignNodeRunner: names what the test script starts and Assay does not run', async (context) => {
  const tree = await mkdtemp(join(tmpdir(), 'assay-node-command-'));
  context.after(() => rm(tree, { recursive: true, force: true }));
  const named: (string | null)[] = [];
  for (const script of ['eslint . && bun test --coverage', 'c8 uvu test', 'bun run unit', 'vitest']) {
    await writeFile(join(tree, 'package.json'), JSON.stringify(scripts(script)));
    named.push(await foreignNodeRunner(tree));
  }
  assert.deepEqual(named, ['bun test', 'uvu', null, null]);
});
