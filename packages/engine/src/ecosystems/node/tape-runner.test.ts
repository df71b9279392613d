import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { flatHead } from './flat-runner.fixture.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';

/** The newest tape; the last without `wait` is for work on the runner. */
const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? ['5.9.0', '4.17.0'] : ['5.9.0'];

for (const version of VERSIONS) {
  describe(`tape ${version}`, () => {
    const subject = nodeRunnerConformance('tape', [`tape@${version}`], {
      extension: 'cjs',
      head: `const tape = require('tape');\nconst assert = require('node:assert/strict');\n${flatHead(
        '(title, body) => tape(title, (t) => Promise.resolve().then(() => body(t)).then(() => t.end(), (error) => { t.fail(error); t.end(); }))',
        '(title, body) => tape(title, { skip: true }, body)',
      )}`,
      libraryHead: `const fs = require('node:fs');`,
      retried: '',
      own: {
        code: `tape('planned', (t) => { t.plan(2); t.equal(1, 1); setTimeout(() => t.ok(true), 2); });
tape('one fails', (t) => { t.ok(true); t.equal(1, 2); t.end(); });
tape('todo that fails', { todo: true }, (t) => { t.fail(); t.end(); });
tape('too slow', { timeout: 20 }, () => {});
tape('all assertions are left out', (t) => { t.skip('later'); t.end(); });
tape('parent', (t) => {
  t.test('child', (st) => { st.pass(); st.end(); });
  t.test('bad child', (st) => { st.fail(); st.end(); });
  t.end();
});`,
        results: {
          planned: 'passed',
          'one fails': 'failed',
          'todo that fails': 'xfailed',
          'too slow': 'failed',
          'all assertions are left out': 'skipped',
          parent: 'failed',
          'parent > child': 'passed',
          'parent > bad child': 'failed',
        },
      },
      hookStatus: 'failed',
      exitsUnseen: { onLoad: true, inTest: false },
    });

    test('a test that throws ends its process, and the tests before it keep their records', async () => {
      const files = {
        'test/a.cjs': `const test = require('tape'); test('first', (t) => { t.pass(); t.end(); }); test('second', () => { throw new Error('no'); }); test('third', (t) => { t.pass(); t.end(); });`,
        'test/b.cjs': `const test = require('tape'); test('other', (t) => { t.pass(); t.end(); });`,
      };
      await withRun(subject, { files, run: Object.keys(files) }, ({ report, exec }) => {
        assert.deepEqual(
          Object.fromEntries([...report.results].map(([id, { status }]) => [id, status])),
          { 'test/a.cjs > first': 'passed', 'test/a.cjs > second': 'failed', 'test/b.cjs > other': 'passed' },
          exec.stderr,
        );
        assert.deepEqual(report.uncollected, ['test/a.cjs']);
      });
    });

    test('without files, the suite is what the patterns of T0 name, with what they load first', async () => {
      const code = `const test = require('tape'); test('x', (t) => { t.ok(globalThis.prepared); t.end(); });`;
      const files = {
        'set-up.cjs': 'globalThis.prepared = true;',
        'test/a.js': code,
        'test/deep/b.js': code,
        'lib/c.js': code,
      };
      const run = { files, run: [], args: ['-r', './set-up.cjs', 'test/**/*.js'] };
      await withRun(subject, run, ({ report, exec }) => {
        assert.deepEqual([...report.results.keys()].sort(), ['test/a.js > x', 'test/deep/b.js > x'], exec.stderr);
        assert.ok([...report.results.values()].every(({ status }) => status === 'passed'));
      });
    });

    if (!version.startsWith('4.'))
      test('a file that is a module registers its tests later', async () => {
        const files = {
          'test/a.mjs': `await new Promise((resolve) => setTimeout(resolve, 20)); const { default: test } = await import('tape'); test('x', async (t) => { t.pass(); });`,
        };
        await withRun(subject, { files, run: ['test/a.mjs'] }, ({ report, exec }) => {
          assert.equal(report.results.get('test/a.mjs > x')?.status, 'passed', exec.stderr);
        });
      });
  });
}
