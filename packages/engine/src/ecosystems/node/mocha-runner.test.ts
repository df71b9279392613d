import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { splitConformance } from '../split-conformance.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';
import { splitScenario } from './split-scenarios.ts';

/** The newest mocha that needs no newer Node than most repositories have; the others are for work on the runner. */
const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? ['11.7.5', '8.4.0', '10.8.2', '12.0.3'] : ['11.7.5'];

for (const version of VERSIONS) {
  describe(`mocha ${version}`, () => {
    const subject = nodeRunnerConformance('mocha', [`mocha@${version}`, 'chai@4.5.0'], {
      extension: 'cjs',
      head: `const test = it;\nconst assert = require('node:assert/strict');\n`,
      libraryHead: `const fs = require('node:fs');`,
      retried: `let runs = 0;\ntest('second time', function () { this.retries(3); runs += 1; if (runs < 2) throw new Error('no'); });`,
      own: {
        code: `test('pending');
test('skips itself', function () { this.skip(); });
test('too slow', function (done) { this.timeout(20); setTimeout(done, 2000); });
test('calls back', (done) => { setTimeout(done, 1); });
test('calls back twice', (done) => { done(); done(); });
describe('set-up', () => { before(() => { throw new Error('before'); }); test('first', () => {}); test('second', () => {}); });`,
        results: {
          pending: 'skipped',
          'skips itself': 'skipped',
          'too slow': 'failed',
          'calls back': 'passed',
          'calls back twice': 'failed',
          'set-up > first': 'error',
        },
      },
      hookStatus: 'error',
      exitsUnseen: { onLoad: true, inTest: true },
    });
    splitConformance({ ...subject, ...splitScenario('mocha') });

    test('a package of a workspace has its own options, and its files their paths from the root', async () => {
      const files = {
        'packages/a/.mocharc.json': JSON.stringify({ require: './setup.cjs', spec: 'checks/*.cjs' }),
        'packages/a/setup.cjs': 'globalThis.prepared = true;',
        'packages/a/checks/x.cjs': `it('x', () => { if (!globalThis.prepared) throw new Error('no'); });`,
        'packages/a/checks/bad.cjs': `require('./no-such-file');`,
        'packages/b/test/y.cjs': `it('y', () => { if (globalThis.prepared) throw new Error('no'); });`,
      };
      const args = ['--in=packages/a', '--in=packages/b', 'test/*.cjs'];
      for (const run of [[], ['packages/a/checks/x.cjs', 'packages/b/test/y.cjs', 'packages/a/checks/bad.cjs']])
        await withRun(subject, { files, run, args }, ({ report, exec }) => {
          assert.deepEqual(
            Object.fromEntries([...report.results].map(([id, { status }]) => [id, status])),
            { 'packages/a/checks/x.cjs > x': 'passed', 'packages/b/test/y.cjs > y': 'passed' },
            exec.stderr,
          );
          assert.deepEqual(report.uncollected, ['packages/a/checks/bad.cjs']);
          assert.ok(report.ended);
        });
    });

    test('options of T0 are followed, those that choose another run are not', async () => {
      const files = {
        '.mocharc.json': JSON.stringify({
          spec: 'test/*.cjs',
          require: './setup.cjs',
          bail: true,
          parallel: true,
          retries: 2,
          reporter: 'dot',
          'node-option': ['stack-trace-limit=7'],
        }),
        'setup.cjs': 'globalThis.prepared = true;',
        'test/a.cjs': `it('fails', () => { throw new Error('no'); }); it('prepared', () => { if (!globalThis.prepared) throw new Error('no'); }); it('node option', () => { if (!process.execArgv.includes('--stack-trace-limit=7')) throw new Error(String(process.execArgv)); });`,
        'test/b.cjs': `it('other', () => {});`,
      };
      const a = {
        'test/a.cjs > fails': 'failed',
        'test/a.cjs > prepared': 'passed',
        'test/a.cjs > node option': 'passed',
      };
      const statuses = (results: ReadonlyMap<string, { status: string }>): object =>
        Object.fromEntries([...results].map(([id, { status }]) => [id, status]));
      await withRun(subject, { files, run: ['test/a.cjs'] }, ({ report, exec }) =>
        assert.deepEqual(statuses(report.results), a, exec.stderr),
      );
      await withRun(subject, { files, run: [] }, ({ report }) =>
        assert.deepEqual(statuses(report.results), { ...a, 'test/b.cjs > other': 'passed' }),
      );
    });
  });
}
