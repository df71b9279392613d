import assert from 'node:assert/strict';
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
