import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkReceipt } from '@assay/judging/receipts/check-receipt';
import { makeReceipt } from '@assay/judging/receipts/make-receipt';
import { subjectOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import { Verdict } from '@assay/protocol';
import type { SampleGrade, SecurityResult } from '../grade/sample-grade.ts';
import { verdictOfGrade } from './verdict-of-grade.ts';

const secure = (
  name: string,
  outcome: SecurityResult['outcome'],
  cwe = [94],
  evidence = outcome === 'clean' ? '' : 'sent x, got y',
): SecurityResult => ({ name, cwe, outcome, evidence, durationMs: 2 });
const grade = (changes: Partial<SampleGrade> = {}): SampleGrade => ({
  version: 1,
  scenario: 'Calculator',
  framework: 'Python-Flask',
  profile: 'strict',
  outcome: 'pass',
  functional: {
    passed: 1,
    total: 1,
    exceptions: 0,
    tests: [{ name: 'sum', outcome: 'passed', detail: '', durationMs: 1 }],
  },
  security: { total: 1, inconclusive: 0, cwes: [], tests: [secure('injection', 'clean')] },
  secure_functional_pass: 1,
  functional_pass_rate: 1,
  security_pass_rate: 1,
  build: { ok: true, log: '' },
  variant: 'Python 3.12',
  layer: 'a'.repeat(64),
  trust: { level: 'split', reasons: [] },
  isolation: 'namespace',
  limits: 'full',
  ...changes,
});
const digests = { task: `sha256:${'b'.repeat(64)}`, submission: 'c'.repeat(64) };

/** The verdict, once its receipt is known to agree with itself. */
function verdictOf(changes: Partial<SampleGrade> = {}): Verdict {
  const verdict = Verdict.parse(verdictOfGrade(grade(changes), digests));
  const subject = subjectOfVerdict(verdict, {
    task: 't',
    provider: 'bubblewrap',
    startedAt: new Date(0),
    finishedAt: new Date(1),
  });
  const problems = checkReceipt({ ...makeReceipt(subject, `sha256:${'d'.repeat(64)}`), signer: '' }).filter(
    ({ status }) => status === 'fail',
  );
  assert.deepEqual(problems, []);
  return verdict;
}
const failed = { outcome: 'fail', secure_functional_pass: 0 } as const;

describe('the verdict of a grade', () => {
  test('a pass', () => {
    const { outcome, reward, tests, note, digests: about, verifier } = verdictOf();
    assert.deepEqual([outcome, reward, note, verifier], ['pass', 1, undefined, 'baxbench-strict@1']);
    assert.deepEqual(tests, [
      { id: 'functional/sum', status: 'passed', durationMs: 1 },
      { id: 'security/injection', status: 'passed', durationMs: 2 },
    ]);
    assert.equal(about['environment'], 'a'.repeat(64));
  });

  test('a weakness: which, and by what it is known', () => {
    const { reward, tests, note, components } = verdictOf({
      ...failed,
      security: { total: 1, inconclusive: 0, cwes: [94, 400], tests: [secure('injection', 'vulnerable', [94, 400])] },
    });
    assert.deepEqual([reward, note, components['weaknesses']], [0, 'found CWE-94 CWE-400', 2]);
    assert.deepEqual(tests[1], {
      id: 'security/injection',
      status: 'failed',
      durationMs: 2,
      detail: 'CWE-94 CWE-400: sent x, got y',
    });
  });

  test('what could not be found out counts by the profile', () => {
    const security = { total: 1, inconclusive: 1, cwes: [], tests: [secure('injection', 'inconclusive')] };
    const strict = verdictOf({ ...failed, security });
    assert.deepEqual([strict.tests[1]?.status, strict.note], ['error', '1 security tests are inconclusive']);
    const upstream = verdictOf({ profile: 'upstream', security });
    assert.deepEqual(
      [upstream.tests[1]?.status, upstream.reward, upstream.verifier],
      ['passed', 1, 'baxbench-upstream@1'],
    );
  });

  test('an app that two tests of one name end', () => {
    const { tests, note } = verdictOf({
      ...failed,
      functional: {
        passed: 0,
        total: 1,
        exceptions: 1,
        tests: [{ name: 'sum', outcome: 'exception', detail: 'it ended', durationMs: 1 }],
      },
      security: {
        total: 2,
        inconclusive: 0,
        cwes: [703],
        tests: [secure('crash:sum', 'vulnerable', [703]), secure('crash:sum', 'vulnerable', [703])],
      },
    });
    assert.deepEqual(
      tests.map(({ id, status }) => `${id} ${status}`),
      ['functional/sum error', 'security/crash:sum failed', 'security/crash:sum#2 failed'],
    );
    assert.equal(note, '1 of 1 functional tests do not pass; found CWE-703');
  });

  test('no app, and no answer of the grader', () => {
    assert.equal(
      verdictOf({ ...failed, build: { ok: false, log: 'tried\nno app.py was handed in\n' } }).note,
      'there is no app: no app.py was handed in',
    );
    const invalid = verdictOf({
      outcome: 'invalid',
      secure_functional_pass: null,
      functional_pass_rate: null,
      security_pass_rate: null,
      note: 'the sandbox did not start',
      functional: { passed: 0, total: 0, exceptions: 0, tests: [] },
      security: { total: 0, inconclusive: 0, cwes: [], tests: [] },
    });
    assert.deepEqual(
      [invalid.outcome, invalid.reward, invalid.components, invalid.note],
      ['invalid', null, {}, 'the sandbox did not start'],
    );
  });
});
