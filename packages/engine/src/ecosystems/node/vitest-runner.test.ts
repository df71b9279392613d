import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { splitConformance } from '../split-conformance.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';
import { splitScenario } from './split-scenarios.ts';

const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS']
  ? ['3.2.4', '0.34.6', '1.6.1', '2.1.9', '4.1.12', '5.1.1']
  : ['3.2.4'];

for (const version of VERSIONS) {
  describe(`vitest ${version}`, () => {
    const subject = nodeRunnerConformance('vitest', [`vitest@${version}`], {
      extension: 'mjs',
      head: `import { test, describe, beforeEach, afterEach, expect } from 'vitest';\nimport assert from 'node:assert/strict';\n`,
      libraryHead: `import fs from 'node:fs';`,
      retried:
        `let runs = 0;\ntest('second time', { retry: 3 }, () => { runs += 1; if (runs < 2) throw new Error('no'); });`.replace(
          /, \{ retry: 3 \}, (.*)\);$/,
          version.startsWith('0.') ? ', $1, { retry: 3 });' : ', { retry: 3 }, $1);',
        ),
      own: {
        code: `test.todo('todo');
test('too slow', async () => { await new Promise((resolve) => setTimeout(resolve, 2000)); }, 20);
test.each([[1, 'a'], [2, 'b']])('each %i %s', (number) => { expect(number).toBe(1); });
test.fails('fails as it should', () => { throw new Error('no'); });
test.concurrent('concurrent', async () => {});`,
        results: {
          todo: 'skipped',
          'too slow': 'failed',
          'each 1 a': 'passed',
          'each 2 b': 'failed',
          'fails as it should': 'xfailed',
          concurrent: 'passed',
        },
      },
      hookStatus: 'failed',
      exitsUnseen: { onLoad: false, inTest: false },
    });
    splitConformance({ ...subject, ...splitScenario('vitest') });

    test('the configuration of T0 is followed, its reporters, bail, retries and coverage are not', async () => {
      const files = {
        'vitest.config.mjs': `export default { test: { include: ['checks/*.js'], globals: true, setupFiles: ['./setup.js'], bail: 1, retry: 2, reporters: ['./evil.js'], coverage: { enabled: true } } };`,
        'setup.js': 'globalThis.prepared = true;',
        'checks/a.js': `let runs = 0; test('fails', () => { runs += 1; if (runs < 2) throw new Error('no'); }); test('prepared', () => { expect(globalThis.prepared).toBe(true); }); test('snapshot', () => { expect(1).toMatchSnapshot(); });`,
        'checks/b.js': `test('other', () => {});`,
      };
      await withRun(
        subject,
        {
          files,
          run: ['checks/a.js', 'setup.js'],
          args: ['--coverage', '--bail=1', '--watch', '--config', 'vitest.config.mjs'],
        },
        ({ report, exec }) => {
          const statuses = Object.fromEntries([...report.results].map(([id, { status }]) => [id, status]));
          assert.deepEqual(
            statuses,
            { 'checks/a.js > fails': 'failed', 'checks/a.js > prepared': 'passed', 'checks/a.js > snapshot': 'failed' },
            exec.stderr,
          );
          assert.deepEqual(report.uncollected, ['setup.js']);
        },
      );
      await withRun(subject, { files, run: ['setup.js'] }, ({ report }) => {
        assert.deepEqual(report.problems, []);
        assert.equal(report.results.size, 0);
        assert.deepEqual(report.uncollected, ['setup.js']);
      });
    });
  });
}
