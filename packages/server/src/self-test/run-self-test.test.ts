import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProgressEvent, SelfTestResult } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { runSelfTest, type SelfTestOptions } from './run-self-test.ts';

const HEAD = "import test from 'node:test';\n";
const PASSES = `${HEAD}test('passes', () => {});\n`;
const CHECKS = { format: 'true', typecheck: 'true', lint: 'true', tiers: 'true' };

let root = '';
const write = async (files: Record<string, string | object>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
};
const git = async (...words: string[]): Promise<void> => {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost', '-c', `safe.directory=${root}`];
  const { exitCode, stderr } = await runCommand(['git', ...identity, ...words], { cwd: root });
  assert.equal(exitCode, 0, stderr.toString('utf8'));
};

/** Runs the self-test. Returns its result, and the jobs in the order in which they started. */
async function run(options: Partial<SelfTestOptions> = {}): Promise<SelfTestResult & { started: string[] }> {
  const started: string[] = [];
  const result = await runSelfTest({
    root,
    strict: true,
    all: false,
    changed: false,
    signal: new AbortController().signal,
    onEvent: (event: ProgressEvent) => {
      if (event.type === 'item-start') started.push(event.item);
    },
    ...options,
  });
  return { ...result, started };
}

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-checkout-'));
  await write({ 'package.json': { type: 'module', scripts: CHECKS }, '.gitignore': '.assay\n' });
});
after(() => rm(root, { recursive: true, force: true }));

describe('a test file', () => {
  const BAD: Record<string, [source: string, passed: number, why: RegExp]> = {
    'with a failing test': [`${PASSES}test('fails', () => { throw new Error('so it is') });`, 1, /so it is/],
    'with a skipped test where none may be': [`${HEAD}test('skipped', { skip: 'no root' }, () => {});`, 0, /no root/],
    'that holds no test': ['export const nothing = 0;', 0, /^holds no test/],
    'that cannot be loaded': [`${PASSES}import './not-there.ts';`, 0, /not-there/],
    'that ends with success before its tests do': [
      `${PASSES}test('next', async () => { process.exit(0) });`,
      0,
      /ended before its/,
    ],
    'that is killed': [`${PASSES}test('next', () => process.kill(process.pid, 'SIGKILL'));`, 0, /ended with a signal/],
    'that fails after its tests': [`${PASSES}process.on('exit', () => { process.exitCode = 7 });`, 1, /ended with 7/],
    'that leaves a process running': [
      `${PASSES}import { spawn } from 'node:child_process';
spawn('sleep', ['4321'], { detached: true, stdio: 'ignore' }).unref();`,
      1,
      /^left running:\nsleep 4321$/,
    ],
  };
  for (const [name, [source, passed, why]] of Object.entries(BAD)) {
    test(`${name} fails`, async () => {
      await write({ 'test/bad/bad.test.ts': source });
      const result = await run({ filter: 'bad/' });
      assert.equal(result.failed, 1, JSON.stringify(result.failures));
      assert.match(result.failures[0]?.detail ?? '', why);
      assert.ok(result.passed <= passed);
      await rm(join(root, 'test/bad'), { recursive: true });
    });
  }

  test('in a suite is named by its titles, and the suite itself does not count', async () => {
    await write({
      'test/bad/bad.test.ts': `import test, { describe } from 'node:test';
describe('outer', () => { describe('inner', () => { test('one', () => {}); test('two', () => { throw 1 }) }) });`,
    });
    const { passed, failures } = await run({ filter: 'bad/' });
    assert.deepEqual([passed, failures.map(({ name }) => name)], [1, ['test/bad/bad.test.ts > outer > inner > two']]);
    await rm(join(root, 'test/bad'), { recursive: true });
  });

  test('has a compile cache', async () => {
    await write({
      'test/cache.test.ts': `import assert from 'node:assert'; import { getCompileCacheDir } from 'node:module'; ${HEAD}
test('cached', () => assert.ok(getCompileCacheDir()?.includes('.assay')));`,
    });
    assert.deepEqual((await run({ filter: 'cache' })).failures, []);
    await rm(join(root, 'test/cache.test.ts'));
  });
});

describe('a run', () => {
  test('has a failing check among its failures, and counts each check', async () => {
    await write({ 'package.json': { type: 'module', scripts: { ...CHECKS, lint: 'echo too long; exit 1' } } });
    await write({ 'test/fine.test.ts': PASSES });
    const result = await run();
    assert.deepEqual([result.passed, result.failures], [4, [{ name: 'lint', detail: 'too long' }]]);
    await write({ 'package.json': { type: 'module', scripts: CHECKS } });
  });

  test('starts what failed the last time after the checks, whatever it takes, and keeps how long each took', async () => {
    await write({
      'test/slow.test.ts': `${HEAD}test('fails', () => { throw 1 });`,
      'packages/a/src/a.test.ts': PASSES,
    });
    await run();
    const { started } = await run();
    assert.deepEqual(started.slice(0, 5), ['format', 'typecheck', 'lint', 'tiers', 'test/slow.test.ts']);
    const history: unknown = JSON.parse(await readFile(join(root, '.assay/test-history.json'), 'utf8'));
    assert.deepEqual(Object.keys(history as object).includes('packages/a/src/a.test.ts'), true);
    await rm(join(root, 'test/slow.test.ts'));
  });
});

describe('--changed', () => {
  test('runs the checks, and what a change to main can affect', async () => {
    await assert.rejects(run({ changed: true }), { code: 'BAD_OPTION' });
    await write({
      'packages/a/src/a.test.ts': `${PASSES}import './a.ts';`,
      'packages/a/src/a.ts': "export { b } from '@assay/b/deep';\n",
      'packages/a/package.json': { name: '@assay/a' },
      'packages/b/package.json': { name: '@assay/b', exports: { './*': './src/*.ts' } },
      'packages/b/src/deep.ts': "export const b = 1; export const path = 'data/table.csv';\n",
      'packages/b/src/data/table.csv': '1\n',
      'packages/b/src/other.test.ts': PASSES,
    });
    await write({ 'node_modules/@assay/b/package.json': { name: '@assay/b', exports: { './*': './src/*.js' } } });
    await write({
      'node_modules/@assay/b/src/deep.js': 'export const b = 1;\n',
      '.gitignore': '.assay\nnode_modules\n',
    });
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'first');
    const checks = ['format', 'typecheck', 'lint', 'tiers'];
    assert.deepEqual((await run({ changed: true })).started, checks);
    await write({ 'packages/b/src/data/table.csv': '2\n' });
    assert.deepEqual((await run({ changed: true })).started, [...checks, 'packages/a/src/a.test.ts']);
    await git('checkout', '--quiet', '-b', 'work');
    await git('commit', '--quiet', '-a', '-m', 'second');
    await write({ 'test/new.test.ts': PASSES });
    const { started } = await run({ changed: true });
    assert.deepEqual(started.toSorted(), [...checks, 'packages/a/src/a.test.ts', 'test/new.test.ts'].toSorted());
    await write({ 'package.json': { type: 'module', scripts: CHECKS, private: true } });
    assert.equal((await run({ changed: true })).started.length, checks.length + 4);
  });
});
