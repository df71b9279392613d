import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { TestCommand } from '@assay/protocol';
import { nodeCommandThatBuilds } from './command-that-builds.ts';

const pack = (name: string, more: object = {}): string => JSON.stringify({ name, main: './dist/index.js', ...more });
const root = (scripts: object): string => JSON.stringify({ private: true, workspaces: ['packages/*'], scripts });
const MONOREPO = {
  'package.json': root({ build: 'tsdown', test: 'vitest' }),
  'packages/config/package.json': pack('@x/config'),
  'packages/source/package.json': JSON.stringify({ name: '@x/source', main: 'src/index.js' }),
};
const UNBUILT_ROOT = {
  'package.json': root({ test: 'vitest' }),
  'packages/a/package.json': pack('a', { scripts: { build: 'tsc' }, dependencies: { b: '*' } }),
  'packages/b/package.json': pack('b', { scripts: { compile: 'tsc' }, devDependencies: { a: '*' } }),
  'packages/c/package.json': pack('c', { scripts: { build: 'tsc' } }),
};
const SINGLE = { 'package.json': pack('one', { scripts: { build: 'rollup -c', test: 'mocha' } }) };

const CASES: [title: string, files: Record<string, string>, log: string, expected: string[] | null][] = [
  [
    'an entry that vite does not find',
    MONOREPO,
    'src/a.test.ts\nError: Failed to resolve entry for package "@x/config". The package may have incorrect main/module/exports',
    ['npm run build'],
  ],
  [
    'a file that node does not find',
    MONOREPO,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/workspace/packages/config/dist/index.js' imported from /workspace/a.js",
    ['npm run build'],
  ],
  [
    'a link below node_modules',
    MONOREPO,
    "Cannot find module '/workspace/packages/cli/node_modules/@x/config/dist/index.js'",
    ['npm run build'],
  ],
  [
    'a program that a test starts',
    MONOREPO,
    'Error: ENOENT: no such file, open packages/config/dist/cli.js',
    ['npm run build'],
  ],
  ['a package of others', MONOREPO, "Cannot find package 'vite' imported from /workspace/packages/config/a.ts", null],
  ['a build of others', SINGLE, "Cannot find module '/workspace/node_modules/vite/dist/index.js'", null],
  ['a package that needs no build', MONOREPO, "Cannot find module '@x/source'", null],
  ['nothing that is missing', MONOREPO, 'AssertionError: "@x/config" is not "./dist/index.js"', null],
  [
    'packages alone, each after what it needs',
    UNBUILT_ROOT,
    "Cannot find module 'a' from 'x.test.js'",
    ["cd 'packages/b' && npm run compile", "cd 'packages/a' && npm run build"],
  ],
  ['a package without a workspace', SINGLE, "Cannot find module '../dist/index.js'\nRequire stack:", ['npm run build']],
  ['a package that is built', { ...SINGLE, 'dist/index.js': '' }, "Cannot find module '../dist/other.js'", null],
  ['no script that builds', { 'package.json': pack('one') }, "Cannot find module '../dist/index.js'", null],
];

for (const [title, files, log, expected] of CASES) {
  test(`nodeCommandThatBuilds: ${title}`, async (context) => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-node-builds-'));
    context.after(() => rm(tree, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const command = TestCommand.parse({ ecosystem: 'node', runner: 'vitest', args: ['--in=packages/a'] });
    const found = await nodeCommandThatBuilds(tree, command, log);
    assert.deepEqual(
      found?.args ?? null,
      expected && [...expected.map((line) => `--before=${line}`), '--in=packages/a'],
    );
    assert.equal(found && (await nodeCommandThatBuilds(tree, found, log)), null);
  });
}
