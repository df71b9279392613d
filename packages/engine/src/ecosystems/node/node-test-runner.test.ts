import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { splitConformance } from '../split-conformance.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';
import { splitScenario } from './split-scenarios.ts';

describe('node:test', () => {
  const subject = nodeRunnerConformance('node:test', [], {
    extension: 'mjs',
    head: `import { test, describe, beforeEach, afterEach } from 'node:test';\nimport assert from 'node:assert/strict';\n`,
    libraryHead: `import fs from 'node:fs';`,
    retried: '',
    own: {
      code: `test('todo', { todo: true }, () => {});
test('todo that fails', { todo: true }, () => { throw new Error('no'); });
test('skips itself', (t) => t.skip());
test('too slow', { timeout: 20 }, () => new Promise((resolve) => setTimeout(resolve, 2000)));
test('parent', async (t) => { await t.test('child', () => {}); await t.test('bad child', () => { throw new Error('no'); }); });`,
      results: {
        todo: 'xpassed',
        'todo that fails': 'xfailed',
        'skips itself': 'skipped',
        'too slow': 'failed',
        parent: 'failed',
        'parent > child': 'passed',
        'parent > bad child': 'failed',
      },
    },
    hookStatus: 'failed',
    exitsUnseen: { onLoad: true, inTest: true },
  });
  splitConformance({ ...subject, ...splitScenario('node:test') });

  test('without files, the suite is what node itself would take, or what the patterns of T0 name', async () => {
    const code = `require('node:test').test('x', () => {});`;
    const files = {
      'test/a.js': code,
      'lib/b.test.cjs': code,
      'lib/c.js': code,
      'spec/d.spec.js': code,
      'node_modules/p/e.test.js': code,
    };
    await withRun(subject, { files, run: [] }, ({ report }) => {
      assert.deepEqual([...report.results.keys()].sort(), ['lib/b.test.cjs > x', 'test/a.js > x']);
    });
    await withRun(
      subject,
      { files, run: [], args: ['--no-warnings', '--import', 'node:path', 'spec/**/*.spec.{js,mjs}', 'lib/c.js'] },
      ({ report }) => {
        assert.deepEqual([...report.results.keys()].sort(), ['lib/c.js > x', 'spec/d.spec.js > x']);
      },
    );
  });

  test('packages of a workspace run in their own directories, each with its words', async () => {
    const code = (name: string): string =>
      `const { test } = require('node:test'); const fs = require('node:fs');
test('${name}', () => { if (fs.readFileSync('here', 'utf8') !== '${name}') throw new Error(process.cwd()); });`;
    const files = {
      'packages/a/here': 'a',
      'packages/a/test/x.test.js': code('a'),
      'packages/a/inner/here': 'inner',
      'packages/a/inner/test/x.test.js': code('inner'),
      'packages/b/here': 'b',
      'packages/b/checks/x.js': code('b'),
      'packages/b/test/unasked.test.js': code('b'),
      'other/x.test.js': code('other'),
    };
    const args = ['--in=packages/a', 'test', '--in=packages/a/inner', '--in=packages/b', '--no-warnings', 'checks'];
    const ids = [
      'packages/a/inner/test/x.test.js > inner',
      'packages/a/test/x.test.js > a',
      'packages/b/checks/x.js > b',
    ];
    const passed = (results: ReadonlyMap<string, { status: string }>): string[] =>
      [...results].filter(([, { status }]) => status === 'passed').map(([id]) => id);
    await withRun(subject, { files, run: [], args }, ({ report, exec }) => {
      assert.deepEqual(report.problems, [], exec.stderr);
      assert.deepEqual(passed(report.results).sort(), ids, exec.stderr);
    });
    const run = ['packages/a/inner/test/x.test.js', 'other/x.test.js'];
    await withRun(subject, { files, run, args }, ({ report, exec }) => {
      assert.deepEqual([...report.results.keys()], ids.slice(0, 1), exec.stderr);
      assert.deepEqual(report.uncollected, ['other/x.test.js']);
    });
  });

  test('what tests load is made before they run, and what cannot be made fails them', async () => {
    const code = `const { test } = require('node:test'); const fs = require('node:fs'); test('x', () => { fs.readFileSync('dist/made'); });`;
    const files = { 'test/a.test.js': code, 'packages/b/test/b.test.js': code };
    const make = '--before=mkdir -p dist && echo 1 > dist/made';
    const statuses = (results: ReadonlyMap<string, { status: string }>): string[] =>
      [...results.values()].map(({ status }) => status);
    const run = Object.keys(files).slice(0, 1);
    await withRun(subject, { files, run, args: [make, 'test'] }, ({ report, exec }) => {
      assert.deepEqual(report.problems, [], exec.stderr);
      assert.deepEqual(statuses(report.results), ['passed'], exec.stderr);
    });
    await withRun(subject, { files, run, args: ['--before=echo PASSED; exit 1'] }, ({ report }) =>
      assert.deepEqual(statuses(report.results), ['failed']),
    );
    await withRun(subject, { files, run: [], args: ['--in=packages/b', make] }, ({ report, root }) => {
      assert.deepEqual(statuses(report.results), ['passed']);
      assert.ok(!existsSync(join(root, 'dist')));
    });
  });

  test('a file cannot speak for another', async () => {
    const files = {
      'test/a.test.cjs': `const fs = require('node:fs'); require('node:test').test('x', () => {});
process.stdout.write(Buffer.from([0xff, 0x0f])); console.log('✔ test/b.test.cjs > y');`,
      'test/b.test.cjs': `require('node:test').test('y', () => { throw new Error('no'); });`,
    };
    await withRun(subject, { files, run: Object.keys(files) }, ({ report }) => {
      assert.equal(report.results.get('test/b.test.cjs > y')?.status, 'failed');
      assert.equal(report.results.size, 2);
    });
  });
});
