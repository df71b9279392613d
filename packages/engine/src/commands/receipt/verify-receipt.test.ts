import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  canonicalJson,
  type Judgement,
  type ReceiptResult,
  type Trial,
  type Verdict,
  type ReceiptReport,
} from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { sha256 } from '@assay/files/content-digest';
import { digestChange } from '@assay/files/digest-change';
import { resultsOfJudgement, subjectOfJudgement } from '@assay/judging/receipts/subject-of-judgement';
import {
  CASES,
  COMPOSITE,
  PROMPT,
  sampleFile,
  sampleKey,
  taskSubject,
  VERDICT,
} from '../../../../judging/src/receipts/sample-receipts.fixture.ts';
import type { RejudgeStandard } from './verification.ts';
import { verifyReceipt } from './verify-receipt.ts';

const key = sampleKey();
const trust = key.publicKey;
let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-verify-'));
});
after(() => rm(directory, { recursive: true, force: true }));

const statusOf = ({ checks }: ReceiptReport, name: string): string | undefined =>
  checks.find((check) => check.name === name)?.status;
const failing = ({ checks }: ReceiptReport): string[] =>
  checks.filter(({ status }) => status === 'fail').map(({ name }) => name);

describe('a receipt in the directory of a trial', () => {
  const change: ChangeSet = {
    files: [
      { path: 'src/a.py', content: Buffer.from('print(1)\n'), executable: false },
      { path: 'run.sh', content: Buffer.from('#!'), executable: true },
    ],
    deleted: ['old.py'],
  };
  const verdict: Verdict = { ...VERDICT, digests: { ...VERDICT.digests, submission: digestChange(change) } };
  const trial: Trial = {
    version: 1,
    id: 'ink-1a2b.1',
    task: 'ink-1a2b',
    agent: 'nop',
    attempt: 1,
    outcome: 'fail',
    reward: 0,
    trust: verdict.trust,
    isolation: 'namespace',
    durationMs: 2500,
    startedAt: '2026-03-01T10:00:00.000Z',
    agentRun: { exitCode: 0, timedOut: false, durationMs: 1 },
  };
  const job = {
    version: 1,
    id: 'j',
    createdAt: '2026-03-01T10:00:00.000Z',
    agent: 'nop',
    attempts: 1,
    timeoutSec: null,
    provider: 'bubblewrap',
    unseal: [],
    tasks: [{ id: 'ink-1a2b', digest: `sha256:${'1'.repeat(64)}` }],
  };
  const submissionFiles = { 'submission/files/src/a.py': 'print(1)\n', 'submission/files/run.sh': '#!' };
  const manifest = {
    files: [
      { path: 'src/a.py', executable: false, size: 9 },
      { path: 'run.sh', executable: true, size: 2 },
    ],
    deleted: ['old.py'],
    dropped: [],
  };

  /** A new job directory with that one trial; answers with the receipt's path. */
  async function makeTrial(changed: Record<string, unknown> = {}): Promise<string> {
    const root = await mkdtemp(join(directory, 'job-'));
    const place = join(root, 'trials', trial.id);
    const files: Record<string, unknown> = {
      'verdict.json': verdict,
      'trial.json': trial,
      '../../job.json': job,
      'submission/manifest.json': manifest,
      ...submissionFiles,
      ...changed,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(place, path, '..'), { recursive: true });
      if (content !== null)
        await writeFile(join(place, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
    await writeFile(join(place, 'receipt.json'), sampleFile(taskSubject(verdict), key));
    return join(place, 'receipt.json');
  }

  test('is valid, with everything beside it looked at', async () => {
    const report = await verifyReceipt({ file: await makeTrial(), trust });
    assert.deepEqual(failing(report), []);
    assert.equal(report.valid, true);
    for (const name of [
      'format',
      'signature',
      'results',
      'score',
      'verdict',
      'times',
      'verdict.json',
      'trial.json',
      'job.json',
      'submission',
    ])
      assert.equal(statusOf(report, name), 'pass', name);
    assert.deepEqual([statusOf(report, 'task'), statusOf(report, 'verifier')], ['unchecked', 'unchecked']);
    assert.equal(report.receipt?.verdict.outcome, 'fail');
  });

  const lies: Record<string, [Record<string, unknown>, string]> = {
    'a verdict that says more': [{ 'verdict.json': { ...verdict, outcome: 'pass', reward: 1 } }, 'verdict.json'],
    'a test that passed after all': [
      { 'verdict.json': { ...verdict, tests: verdict.tests.map((each) => ({ ...each, status: 'passed' })) } },
      'verdict.json',
    ],
    'another trust': [{ 'verdict.json': { ...verdict, trust: { level: 'split', reasons: [] } } }, 'verdict.json'],
    'a stronger isolation': [{ 'verdict.json': { ...verdict, isolation: 'vm' } }, 'verdict.json'],
    'no verdict': [{ 'verdict.json': null }, 'verdict.json'],
    'a trial that passed': [{ 'trial.json': { ...trial, outcome: 'pass', reward: 1 } }, 'trial.json'],
    'the trial of another receipt': [{ 'trial.json': { ...trial, id: 'ink-1a2b.2' } }, 'trial.json'],
    'a job of other tasks': [
      { '../../job.json': { ...job, tasks: [{ id: 'ink-1a2b', digest: `sha256:${'9'.repeat(64)}` }] } },
      'job.json',
    ],
    'a changed file': [{ 'submission/files/src/a.py': 'print(2)\n' }, 'submission'],
    'a file more': [{ 'submission/files/b.py': '' }, 'submission'],
    'a file less': [{ 'submission/files/src/a.py': null }, 'submission'],
    'another mode': [
      {
        'submission/manifest.json': {
          ...manifest,
          files: manifest.files.map((each) => ({ ...each, executable: true })),
        },
      },
      'submission',
    ],
    'another deletion': [{ 'submission/manifest.json': { ...manifest, deleted: [] } }, 'submission'],
    'a path that leads out': [{ 'submission/manifest.json': { ...manifest, deleted: ['../../x'] } }, 'submission'],
    'no list': [{ 'submission/manifest.json': '{' }, 'submission'],
  };
  for (const [name, [changed, check]] of Object.entries(lies)) {
    test(`beside ${name} it is not valid`, async () => {
      const report = await verifyReceipt({ file: await makeTrial(changed), trust });
      assert.deepEqual(failing(report), [check]);
      assert.equal(report.valid, false);
    });
  }

  test('a link in place of a file is not followed', async () => {
    const file = await makeTrial({ 'submission/files/src/a.py': null });
    await writeFile(join(directory, 'elsewhere.py'), 'print(1)\n');
    await symlink(join(directory, 'elsewhere.py'), join(file, '../submission/files/src/a.py'));
    assert.deepEqual(failing(await verifyReceipt({ file, trust })), ['submission']);
  });

  test('moved away from its trial it is looked at alone', async () => {
    const file = join(directory, 'receipt.json');
    await writeFile(file, await readFile(await makeTrial()));
    const report = await verifyReceipt({ file, trust });
    assert.deepEqual(
      [report.valid, statusOf(report, 'submission'), statusOf(report, 'verdict.json')],
      [true, 'unchecked', undefined],
    );
  });

  test('by another key nothing of it is believed', async () => {
    const report = await verifyReceipt({ file: await makeTrial(), trust: sampleKey().keyId, rejudge: true });
    assert.deepEqual([report.valid, report.receipt, failing(report)], [false, null, ['signature']]);
    assert.equal(report.checks.length, 2);
  });
});

describe('files that are no receipts', () => {
  test('are not valid, with one line', async () => {
    const contents: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      binary: Buffer.from([0, 1, 255]),
      huge: Buffer.alloc(4 * 1024 * 1024 + 1),
      cut: sampleFile(taskSubject(), key).subarray(0, 200),
    };
    for (const [name, content] of Object.entries(contents)) {
      const file = join(directory, name);
      await writeFile(file, content);
      const { valid, checks } = await verifyReceipt({ file, trust });
      assert.equal(valid, false);
      assert.deepEqual(
        checks.map((check) => [check.name, check.status]),
        [['format', 'fail']],
      );
      assert.doesNotMatch(checks[0]?.detail ?? '', /\n/);
    }
    await runCommand(['mkfifo', join(directory, 'pipe')]);
    assert.deepEqual(failing(await verifyReceipt({ file: join(directory, 'pipe'), trust })), ['format']);
    assert.deepEqual(failing(await verifyReceipt({ file: directory, trust })), ['format']);
    await assert.rejects(verifyReceipt({ file: join(directory, 'nothing'), trust }), { code: 'RECEIPT_UNREADABLE' });
    await assert.rejects(verifyReceipt({ file: join(directory, 'empty'), trust: 'nobody' }), { code: 'BAD_OPTION' });
  });
});

describe('a receipt on a standard', () => {
  let standard = '';
  let submission = '';
  before(async () => {
    standard = join(directory, 'standard.json');
    submission = join(directory, 'submission.js');
    await writeFile(standard, '{"type":"test_cases"}');
    await writeFile(submission, 'const f = () => 1;');
  });

  async function makeFile(judgement: Judgement, withhold = false): Promise<string> {
    const digests = {
      ...judgement.digests,
      standard: sha256(await readFile(standard)),
      submission: sha256(await readFile(submission)),
    };
    const subject = subjectOfJudgement(
      { ...judgement, digests },
      { provider: 'quickjs', withhold, startedAt: new Date(0), finishedAt: new Date(1) },
    );
    const file = join(await mkdtemp(join(directory, 'standard-')), 'receipt.json');
    await writeFile(file, sampleFile(subject, key));
    return file;
  }

  /** A hook that remembers that it was asked. */
  function answering(results: ReceiptResult[]): { hook: RejudgeStandard; asked: unknown[] } {
    const asked: unknown[] = [];
    return {
      asked,
      hook: ({ standard: document, submission: work, provider }) => {
        asked.push([document, work, provider]);
        return Promise.resolve(results);
      },
    };
  }

  test('compares the bytes of standard and submission', async () => {
    const file = await makeFile(CASES);
    const good = await verifyReceipt({ file, trust, standard, submission });
    assert.deepEqual([good.valid, statusOf(good, 'standard'), statusOf(good, 'submission')], [true, 'pass', 'pass']);
    assert.deepEqual(failing(await verifyReceipt({ file, trust, standard: submission, submission })), ['standard']);
    assert.deepEqual(failing(await verifyReceipt({ file, trust, standard, submission: standard })), ['submission']);
    await assert.rejects(verifyReceipt({ file, trust, standard: join(directory, 'nothing') }), { code: 'BAD_OPTION' });
    await assert.rejects(verifyReceipt({ file, trust, task: directory }), { code: 'BAD_OPTION' });
  });

  test('cases are judged again and compared one by one', async () => {
    const file = await makeFile(CASES);
    const same = answering(resultsOfJudgement(CASES));
    const report = await verifyReceipt({
      file,
      trust,
      rejudge: true,
      standard,
      submission,
      rejudgeStandard: same.hook,
    });
    assert.deepEqual([report.valid, report.differences, statusOf(report, 'rejudge')], [true, [], 'pass']);
    assert.deepEqual(same.asked, [[standard, submission, 'quickjs']]);
    const other = answering(
      resultsOfJudgement({ ...CASES, results: CASES.results.slice(1).map((each) => ({ ...each, passed: false })) }),
    );
    const different = await verifyReceipt({
      file,
      trust,
      rejudge: true,
      standard,
      submission,
      rejudgeStandard: other.hook,
    });
    assert.equal(different.valid, false);
    assert.deepEqual(different.differences, [
      { id: 'case-1', recorded: 'passed', now: 'nothing' },
      { id: 'case-2', recorded: 'passed', now: 'failed' },
    ]);
  });

  test('of withheld cases the root is compared', async () => {
    const file = await makeFile(CASES, true);
    const request = { file, trust, rejudge: true, standard, submission };
    assert.equal(
      (await verifyReceipt({ ...request, rejudgeStandard: answering(resultsOfJudgement(CASES)).hook })).valid,
      true,
    );
    assert.equal(
      (await verifyReceipt({ ...request, rejudgeStandard: answering(resultsOfJudgement(CASES).toReversed()).hook }))
        .valid,
      false,
    );
  });

  test('what a model said is computed again, and called not repeatable', async () => {
    const { hook, asked } = answering([]);
    const report = await verifyReceipt({ file: await makeFile(PROMPT), trust, rejudge: true, rejudgeStandard: hook });
    assert.equal(report.valid, true);
    assert.match(
      report.checks.find(({ name }) => name === 'rejudge')?.detail ?? '',
      /^not repeatable: the score of 70 was computed again/,
    );
    assert.deepEqual(asked, []);
    const withheld = await verifyReceipt({
      file: await makeFile(PROMPT, true),
      trust,
      rejudge: true,
      rejudgeStandard: hook,
    });
    assert.deepEqual(failing(withheld), ['rejudge']);
  });

  test('of a composite the cases and probes are compared, the rest is computed', async () => {
    const [cases, prompt, checklist] = resultsOfJudgement(COMPOSITE);
    assert.ok(cases && prompt && checklist);
    const request = { file: await makeFile(COMPOSITE), trust, rejudge: true, standard, submission };
    const report = await verifyReceipt({ ...request, rejudgeStandard: answering([cases, checklist]).hook });
    assert.equal(report.valid, true);
    assert.match(
      report.checks.find(({ name }) => name === 'rejudge')?.detail ?? '',
      /^4 results came out the same; 3 not repeatable/,
    );
    const changed = await verifyReceipt({ ...request, rejudgeStandard: answering([cases]).hook });
    assert.deepEqual(changed.differences, [{ id: 's3/i2', recorded: 'failed', now: 'nothing' }]);
  });

  test('without a judge it says so, and is not called valid', async () => {
    const report = await verifyReceipt({ file: await makeFile(CASES), trust, rejudge: true, standard, submission });
    assert.deepEqual(failing(report), ['rejudge']);
    await assert.rejects(verifyReceipt({ file: await makeFile(CASES), trust, rejudge: true, standard }), {
      code: 'BAD_OPTION',
    });
  });

  test('what does not hold is not run again', async () => {
    const { hook, asked } = answering([]);
    const report = await verifyReceipt({
      file: await makeFile(CASES),
      trust,
      rejudge: true,
      standard,
      submission: standard,
      rejudgeStandard: hook,
    });
    assert.deepEqual([failing(report), statusOf(report, 'rejudge'), asked], [['submission'], 'unchecked', []]);
  });
});

test('a link to a receipt is as good as the receipt', async () => {
  await writeFile(join(directory, 'linked-to'), sampleFile(taskSubject(), key));
  await symlink(join(directory, 'linked-to'), join(directory, 'link'));
  assert.equal((await verifyReceipt({ file: join(directory, 'link'), trust })).valid, true);
});

test('a receipt stays what it was after a trip through a JSON library', async () => {
  const bytes = sampleFile(taskSubject(), key);
  const file = join(directory, 'trip.json');
  await writeFile(file, `${canonicalJson(JSON.parse(bytes.toString('utf8')))}\n`);
  assert.equal((await verifyReceipt({ file, trust })).valid, true);
});
