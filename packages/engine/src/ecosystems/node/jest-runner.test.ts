import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { splitConformance } from '../split-conformance.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';
import { splitScenario } from './split-scenarios.ts';

const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? ['29.7.0', '26.6.3', '27.5.1', '30.2.0'] : ['29.7.0'];

for (const version of VERSIONS) {
  describe(`jest ${version}`, () => {
    const major = Number(version.split('.')[0]);
    const subject = nodeRunnerConformance('jest', [`jest@${version}`], {
      extension: 'js',
      head: `const assert = require('assert');\n`,
      libraryHead: `const fs = require('fs');`,
      retried: `jest.retryTimes(3);\nlet runs = 0;\ntest('second time', () => { runs += 1; if (runs < 2) throw new Error('no'); });`,
      own: {
        code: `test.todo('todo');
test('too slow', async () => { await new Promise((resolve) => setTimeout(resolve, 2000)); }, 20);
test.each([[1, 'a'], [2, 'b']])('each %i %s', (number) => { expect(number).toBe(1); });
${major < 29 ? '' : `test.failing('fails as it should', () => { throw new Error('no'); });`}`,
        results: {
          todo: 'skipped',
          'too slow': 'failed',
          'each 1 a': 'passed',
          'each 2 b': 'failed',
          ...(major < 29 ? {} : { 'fails as it should': major < 30 ? ('passed' as const) : ('xfailed' as const) }),
        },
      },
      hookStatus: 'failed',
      // Until 29.1 a single file runs in jest's main process.
      exitsUnseen: { onLoad: major < 29, inTest: major < 29 },
    });
    splitConformance({ ...subject, ...splitScenario('jest') });

    test('the configuration of T0 is followed, its reporters, bail and coverage are not', async () => {
      const files = {
        'package.json': JSON.stringify({
          jest: {
            testMatch: ['**/checks/*.js'],
            setupFiles: ['./setup.js'],
            bail: 1,
            reporters: ['./evil.js'],
            collectCoverage: true,
          },
        }),
        'setup.js': 'globalThis.prepared = true;',
        'checks/a.js': `test('fails', () => { throw new Error('no'); }); test('prepared', () => { expect(globalThis.prepared).toBe(true); }); test('snapshot', () => { expect(1).toMatchSnapshot(); });`,
      };
      await withRun(
        subject,
        { files, run: [], args: ['--coverage', '--bail', '-i', '--watch', '--stack-trace-limit=7'] },
        ({ report, exec }) => {
          const statuses = Object.fromEntries([...report.results].map(([id, { status }]) => [id, status]));
          assert.deepEqual(
            statuses,
            { 'checks/a.js > fails': 'failed', 'checks/a.js > prepared': 'passed', 'checks/a.js > snapshot': 'failed' },
            exec.stderr,
          );
        },
      );
    });
  });
}
