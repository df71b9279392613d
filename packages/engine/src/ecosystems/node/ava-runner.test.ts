import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { flatHead } from './flat-runner.fixture.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';

/** The newest of the majors that most repositories have; the others are for work on the runner. */
const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? ['6.4.1', '3.15.0', '4.3.3', '5.3.1'] : ['6.4.1'];

for (const version of VERSIONS) {
  const major = Number(version.split('.')[0]);
  describe(`ava ${version}`, () => {
    const subject = nodeRunnerConformance('ava', [`ava@${version}`], {
      extension: 'mjs',
      head: `import ava from 'ava';\nimport assert from 'node:assert/strict';\n${flatHead(
        '(title, body) => ava(title, async (t) => { await body(t); t.pass(); })',
        'ava.skip',
      )}`,
      libraryHead: `import fs from 'node:fs';`,
      retried: '',
      own: {
        code: `ava('asserts nothing', () => {});
ava.todo('todo');
ava.failing('fails as it should', (t) => { t.fail(); });
ava.failing('passes, and should not', (t) => { t.pass(); });
ava('with the assertions of ava', (t) => { t.is(1, 1); t.deepEqual({ a: [1] }, { a: [1] }); });
ava('with one that fails', (t) => { t.is(1, 2); });
ava.serial('serial', (t) => { t.pass(); });
ava('too slow', async (t) => { t.timeout(20); await new Promise((resolve) => setTimeout(resolve, 2000)); t.pass(); });`,
        results: {
          'asserts nothing': 'failed',
          todo: 'skipped',
          'fails as it should': 'xfailed',
          'passes, and should not': 'failed',
          'with the assertions of ava': 'passed',
          'with one that fails': 'failed',
          serial: 'passed',
          'too slow': 'failed',
        },
      },
      sameTitles: false,
      reported: (title) => (major >= 4 ? title.replace(/\s+/g, ' ') : title),
      hookStatus: 'failed',
      exitsUnseen: { onLoad: false, inTest: false },
    });

    test('hooks spoil the tests that they belong to', async () => {
      const files = {
        'test/before.mjs': `import test from 'ava'; test.beforeEach((t) => { if (t.title.endsWith('one')) throw new Error('no'); }); test('one', (t) => t.pass()); test('two', (t) => t.pass());`,
        'test/after.mjs': `import test from 'ava'; test.afterEach((t) => { if (t.title.endsWith('one')) throw new Error('no'); }); test('one', (t) => t.pass()); test('two', (t) => t.pass());`,
        'test/all.mjs': `import test from 'ava'; test.before(() => { throw new Error('no'); }); test('one', (t) => t.pass());`,
      };
      await withRun(subject, { files, run: Object.keys(files) }, ({ report, exec }) => {
        const statuses = Object.fromEntries([...report.results].map(([id, { status }]) => [id, status]));
        assert.deepEqual(
          statuses,
          {
            'test/before.mjs > one': 'error',
            'test/before.mjs > two': 'passed',
            'test/after.mjs > one': 'error',
            'test/after.mjs > two': 'passed',
            'test/all.mjs > one': 'error',
            'test/all.mjs > before hook': 'error',
          },
          exec.stderr,
        );
      });
    });

    test('the configuration of T0 is followed, its bail, its time and its reporter are not', async () => {
      const files = {
        'package.json': '{"private":true}',
        'ava.config.cjs': `module.exports = { files: ['checks/*.mjs'], require: ['./setup.cjs'], failFast: true, timeout: '1ms', tap: false, cache: false };`,
        'setup.cjs': 'globalThis.prepared = true;',
        'checks/a.mjs': `import test from 'ava'; test('fails', (t) => t.fail()); test('prepared', (t) => t.true(globalThis.prepared)); test('snapshot', (t) => t.snapshot(1));`,
        'checks/b.mjs': `import test from 'ava'; test('other', (t) => t.pass());`,
      };
      const statuses = (results: ReadonlyMap<string, { status: string }>): object =>
        Object.fromEntries([...results].map(([id, { status }]) => [id, status]));
      const a = { 'checks/a.mjs > fails': 'failed', 'checks/a.mjs > prepared': 'passed' };
      await withRun(subject, { files, run: ['checks/a.mjs', 'setup.cjs'], args: ['--serial'] }, ({ report, exec }) => {
        const { 'checks/a.mjs > snapshot': snapshot, ...rest } = statuses(report.results) as Record<string, string>;
        assert.deepEqual(rest, a, exec.stderr);
        assert.notEqual(snapshot, 'passed', 'a snapshot that is not there is not made');
        assert.deepEqual(report.uncollected, ['setup.cjs']);
      });
      await withRun(subject, { files, run: [] }, ({ report, exec }) => {
        assert.ok('checks/b.mjs > other' in statuses(report.results), exec.stderr);
      });
    });
  });
}
