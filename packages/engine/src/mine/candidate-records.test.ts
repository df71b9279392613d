import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type CandidateRecord } from '@assay/protocol';
import { appendRecord, compactRecords, findRecord, readRecords } from './candidate-records.ts';

describe('candidates.jsonl', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-records-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const where = { source: 'local:x', pipeline: 'p', at: '2030-01-01T00:00:00.000Z', recalled: false };
  const one: CandidateRecord = {
    ...where,
    candidate: 'abcdef0123',
    commit: 'abcdef0123'.repeat(4),
    outcome: 'rejected',
    reason: 'flaky',
    detail: 'wavers',
    stage: 'prove',
    seconds: { read: 0.1, prove: 2 },
    evidence: ['1 of 2 runs'],
  };
  const other: CandidateRecord = {
    ...where,
    candidate: 'abcdef9999',
    commit: 'abcdef9999'.repeat(4),
    outcome: 'deferred',
    kind: 'machine',
    code: 'INTERPRETER_MISSING',
    detail: 'looked in /home/someone',
    evidence: ['/home/someone'],
  };

  test('keeps the last line of each candidate, and no place of this machine; a torn line harms nothing', async () => {
    appendRecord(directory, other);
    appendRecord(directory, { ...one, detail: 'an earlier run' });
    await appendFile(join(directory, 'candidates.jsonl'), '{"candidate":\n');
    appendRecord(directory, one);
    await compactRecords(directory);
    const text = await readFile(join(directory, 'candidates.jsonl'), 'utf8');
    assert.doesNotMatch(text, /someone|earlier/);
    assert.equal(text.trim().split('\n').length, 2);
    const { detail: _detail, ...neutral } = other;
    assert.deepEqual(await readRecords(directory), [{ ...neutral, evidence: [] }, one]);
  });

  test('one is found by its name and by its commit; what is none, or stands for several, is refused', async () => {
    for (const name of ['abcdef0123', one.commit ?? '', 'abcdef01', 'ABCDEF01'])
      assert.deepEqual(await findRecord(directory, name), one);
    for (const name of ['abcdef', 'fff0', 'HEAD', ''])
      await assert.rejects(findRecord(directory, name), (error) => AssayError.is(error) && error.code === 'BAD_OPTION');
  });

  test('one that is made of several commits is found by each of them, unless one is a candidate by itself', async () => {
    const [merge, first, second, tests] = ['1', '2', '3', '4'].map((digit) => digit.repeat(40));
    const whole = { ...one, candidate: 'merge', commit: merge, brought: [first ?? '', second ?? ''], tests };
    const alone = { ...one, candidate: 'alone', commit: second };
    for (const record of [whole, alone]) appendRecord(directory, record);
    for (const [name, expected] of [
      ['1111', whole],
      ['2222', whole],
      ['3333', alone],
      ['4444', whole],
    ] as const)
      assert.deepEqual(await findRecord(directory, name), expected);
  });
});
