import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestStatus } from '@assay/protocol';
import type { ExecResult } from '@assay/sandbox';
import type { ChannelReport } from './read-channel.ts';
import { scoreLog, scoreResults } from './score-results.ts';

const EXPECTED = { failToPass: ['f'], passToPass: ['p', 'q'] };
const EXEC: ExecResult = { stdout: '', stderr: '', exitCode: 0 };

function reportOf(statuses: Record<string, TestStatus>, more: Partial<ChannelReport> = {}): ChannelReport {
  const results = new Map(Object.entries(statuses).map(([id, status]) => [id, { id, status, durationMs: 1 }]));
  return { results, uncollected: [], signals: [], started: true, ended: true, problems: [], ...more };
}
const GOOD = { f: 'passed', p: 'passed', q: 'passed' } as const;

describe('scoreResults', () => {
  test('passes when every expected test passed, whatever the exit code and the other tests', () => {
    const score = scoreResults(reportOf({ ...GOOD, other: 'failed' }), { ...EXEC, exitCode: 1 }, EXPECTED);
    assert.equal(score.reward, 1);
    assert.equal(score.outcome, 'pass');
    assert.equal(score.note, undefined);
    assert.deepEqual(score.components, {
      f2p_rate: 1,
      p2p_rate: 1,
      f2p_total: 1,
      f2p_passed: 1,
      p2p_total: 2,
      p2p_passed: 2,
    });
    assert.deepEqual(
      score.tests.map(({ id }) => id),
      ['f', 'p', 'q'],
    );
    assert.equal(score.trust.level, 'in-process');
  });

  for (const status of ['failed', 'error', 'skipped', 'xfailed', 'xpassed'] as const) {
    test(`${status} is no pass`, () => {
      const score = scoreResults(reportOf({ ...GOOD, q: status }), EXEC, EXPECTED);
      assert.equal(score.reward, 0);
      assert.equal(score.components.p2p_rate, 0.5);
      assert.match(score.note ?? '', /q \(/);
    });
  }

  test('a missing record is no pass', () => {
    const score = scoreResults(reportOf({ f: 'passed', p: 'passed' }, { uncollected: ['test_q.py'] }), EXEC, EXPECTED);
    assert.equal(score.reward, 0);
    assert.deepEqual(score.tests.at(-1), { id: 'q', status: 'missing', durationMs: 0 });
    assert.match(score.note ?? '', /not loaded: test_q\.py/);
  });

  const broken: Record<string, [Partial<ChannelReport>, Partial<ExecResult>, RegExp]> = {
    'no start': [
      { started: false, ended: false, problems: ['no-start', 'no-end'] },
      { exitCode: 3 },
      /did not start \(exit code 3\)/,
    ],
    'no end': [{ ended: false, problems: ['no-end'] }, {}, /ended before its end/],
    'a time-out': [{ ended: false, problems: ['no-end'] }, { timedOut: true, exitCode: 124 }, /in time/],
    'a time-out after the end': [{}, { timedOut: true, exitCode: 124 }, /in time/],
    'no memory': [{ ended: false, problems: ['no-end'] }, { outOfMemory: true, exitCode: 137 }, /out of memory/],
    'a flood': [{ ended: false, problems: ['no-end'] }, { truncated: true }, /more than the result channel takes/],
    'too large': [{ ended: false, problems: ['too-large', 'no-end'] }, {}, /more than the result channel takes/],
    'an id twice': [{ problems: ['duplicate'] }, {}, /twice/],
    'a count that differs': [{ problems: ['count'] }, {}, /number of records/],
  };
  for (const [name, [report, exec, note]] of Object.entries(broken)) {
    test(`${name} fails, though every record says passed`, () => {
      const score = scoreResults(reportOf(GOOD, report), { ...EXEC, ...exec }, EXPECTED);
      assert.equal(score.reward, 0);
      assert.equal(score.trust.level, 'in-process');
      assert.match(score.note ?? '', note);
    });
  }

  test('a noisy log does not spoil a whole channel', () => {
    assert.equal(scoreResults(reportOf(GOOD), { ...EXEC, truncated: true }, EXPECTED).reward, 1);
  });

  test('a forged channel is trusted for nothing', () => {
    const score = scoreResults(reportOf(GOOD, { problems: ['forged'] }), EXEC, EXPECTED);
    assert.equal(score.reward, 0);
    assert.equal(score.trust.level, 'forged');
  });

  test('nothing expected shows nothing', () => {
    assert.equal(scoreResults(reportOf({}), EXEC, { failToPass: [], passToPass: [] }).reward, 0);
  });

  test('ids that are names of object members', () => {
    const score = scoreResults(reportOf({}), EXEC, { failToPass: ['__proto__', 'constructor'], passToPass: [] });
    assert.deepEqual(
      score.tests.map(({ status }) => status),
      ['missing', 'missing'],
    );
  });
});

describe('scoreLog, the reader that can be fooled', () => {
  const forms: Record<string, string> = {
    'result first': 'PASSED f\nPASSED p\nPASSED q - reason',
    'result last': 'f PASSED\np PASSED [ 50%]\nq PASSED [100%]',
    marks: '  ✔ f (1.5ms)\n✓ p\n√ q',
    colours: '\u001b[32mPASSED\u001b[0m f\nPASSED p\nPASSED q',
  };
  for (const [name, log] of Object.entries(forms)) {
    test(`reads ${name}`, () => {
      const score = scoreLog(log, { ...EXEC, exitCode: 1 }, EXPECTED);
      assert.equal(score.reward, 1);
      assert.equal(score.trust.level, 'unsealed');
    });
  }

  test('an honest failure counts', () => {
    assert.equal(scoreLog('FAILED f - assert\nPASSED p\nPASSED q', { ...EXEC, exitCode: 1 }, EXPECTED).reward, 0);
    assert.equal(scoreLog('✖ f\n✔ p\n✔ q', EXEC, EXPECTED).reward, 0);
    assert.equal(scoreLog('', { ...EXEC, exitCode: 1 }, EXPECTED).reward, 0);
  });

  test('is fooled by a forged line beside an honest one, and by silence with exit code 0', () => {
    assert.equal(scoreLog('PASSED f\nFAILED f\nPASSED p\nPASSED q', { ...EXEC, exitCode: 1 }, EXPECTED).reward, 1);
    assert.equal(scoreLog('', EXEC, EXPECTED).reward, 1);
  });
});
