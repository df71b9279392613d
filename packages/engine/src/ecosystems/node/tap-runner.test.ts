import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { flatHead } from './flat-runner.fixture.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';

/** What tap 15 and 16 are made of, which is a fifth of them; the others, of up to 140 MB, are for work on the runner. */
const CORE = 'npm:libtap@1.4.1';
const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? [CORE, '16.3.10', '18.8.0', '21.7.4', '14.11.0'] : [CORE];

for (const version of VERSIONS) {
  describe(`tap ${version}`, () => {
    const subject = nodeRunnerConformance('tap', [`tap@${version}`], {
      extension: 'cjs',
      head: `const tap = require('tap');\nconst assert = require('node:assert/strict');\n${flatHead(
        '(title, body) => tap.test(title, async (t) => { await body(t); })',
        '(title, body) => tap.test(title, { skip: true }, body)',
      )}`,
      libraryHead: `const fs = require('node:fs');`,
      retried: '',
      own: {
        code: `tap.test('planned', (t) => { t.plan(2); t.equal(1, 1); setTimeout(() => t.ok(true), 2); });
tap.test('one fails', (t) => { t.ok(true); t.equal(1, 2); t.end(); });
tap.test('to do', { todo: true }, (t) => { t.fail(); t.end(); });
tap.ok(false, 'to do and false', { todo: true });
tap.test('too slow', { timeout: 20 }, (t) => { setTimeout(() => t.end(), 500); });
tap.test('parent', (t) => {
  t.test('child', (st) => { st.pass(); st.end(); });
  t.test('bad child', (st) => { st.fail(); st.end(); });
  t.end();
});
tap.ok(true, 'of the file itself');`,
        results: {
          planned: 'passed',
          'one fails': 'failed',
          'to do': 'skipped',
          'to do and false': 'xfailed',
          'too slow': 'failed',
          parent: 'failed',
          'parent > child': 'passed',
          'parent > bad child': 'failed',
          'of the file itself': 'passed',
        },
      },
      reported: (title) => title.replace(/\s+/g, ' '),
      hookStatus: 'failed',
      exitsUnseen: { onLoad: true, inTest: false },
    });

    test('without files, the suite is what tap finds: modules, too, and no fixtures', async () => {
      const code = `import tap from 'tap'; await new Promise((resolve) => setTimeout(resolve, 20)); tap.test('x', async (t) => { t.pass(); }); tap.test('y', async (t) => { t.fail(); });`;
      const files = { 'test/a.mjs': code, 'lib/b.test.mjs': code, 'test/fixtures/c.mjs': code, 'lib/d.mjs': code };
      await withRun(subject, { files, run: [] }, ({ report, exec }) => {
        assert.deepEqual(
          Object.fromEntries([...report.results].map(([id, { status }]) => [id, status])),
          {
            'lib/b.test.mjs > x': 'passed',
            'lib/b.test.mjs > y': 'failed',
            'test/a.mjs > x': 'passed',
            'test/a.mjs > y': 'failed',
          },
          exec.stderr,
        );
        assert.deepEqual(report.uncollected, []);
      });
    });
  });
}
