import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withRun } from '../runner-conformance.ts';
import { nodeRunnerConformance } from './runner-test-home.ts';

/** The newest; the others are for work on the runner. */
const VERSIONS = process.env['ASSAY_TEST_ALL_RUNNERS'] ? ['5.13.0', '2.99.0', '3.99.0', '4.6.0'] : ['5.13.0'];

for (const version of VERSIONS) {
  const isOld = Number(version.split('.')[0]) < 3;
  describe(`jasmine ${version}`, () => {
    const subject = nodeRunnerConformance('jasmine', [`jasmine@${version}`], {
      extension: 'cjs',
      head: `const assert = require('node:assert/strict');\nconst test = (...args) => it(...args); test.skip = (...args) => xit(...args);\n`,
      libraryHead: `const fs = require('node:fs');`,
      retried: '',
      own: {
        code: `test('expects', () => { expect([1]).toEqual([1]); });
test('expects too much', () => { expect(1).toBe(1); expect(1).toBe(2); });
test('pending', () => { pending('later'); });
it('has no body');
test('too slow', async () => { await new Promise((resolve) => setTimeout(resolve, 2000)); }, 20);
describe('hooks of all', () => { afterAll(() => { throw new Error('after all'); }); test('fine', () => {}); });`,
        results: {
          expects: 'passed',
          'expects too much': 'failed',
          pending: 'skipped',
          'has no body': 'skipped',
          'too slow': 'failed',
          'hooks of all > fine': 'passed',
          'hooks of all': 'error',
        },
      },
      sameTitles: !version.startsWith('5.'),
      hookStatus: 'failed',
      exitsUnseen: { onLoad: true, inTest: true },
    });
    if (isOld) return;

    test('the configuration of T0 is followed, its order and its end at the first failure are not', async () => {
      const files = {
        'spec/support/jasmine.json': JSON.stringify({
          spec_dir: 'spec',
          spec_files: ['**/*[sS]pec.js', '!**/not*'],
          helpers: ['helpers/**/*.js'],
          random: true,
          stopOnSpecFailure: true,
          env: { random: true, stopOnSpecFailure: true },
        }),
        'spec/helpers/prepare.js': 'globalThis.prepared = true;',
        'spec/aSpec.js': `for (let n = 0; n < 5; n += 1) it('case ' + n, () => { expect(globalThis.prepared).toBe(n > 0); });`,
        'lib/other.spec.js': `it('is not of the suite', () => {});`,
      };
      await withRun(subject, { files, run: [], args: ['--random=true'] }, ({ report, exec }) => {
        assert.deepEqual(
          [...report.results].map(([id, { status }]) => `${id}: ${status}`),
          ['failed', 'passed', 'passed', 'passed', 'passed'].map((status, n) => `spec/aSpec.js > case ${n}: ${status}`),
          exec.stderr,
        );
        assert.deepEqual(report.uncollected, []);
      });
    });
  });
}
