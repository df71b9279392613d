import assert from 'node:assert/strict';
import { access, chmod, cp, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeCache } from '@assay/testkit';
import type { Receipt, ReceiptReport } from '@assay/protocol';
import { signReceipt } from '@assay/judging/receipts/envelope';
import { readKey } from '@assay/judging/receipts/key-file';
import { sealResults } from '@assay/judging/receipts/receipt-results';
import { makeDemoTask } from '../../packages/engine/src/commands/demo/demo-task.fixture.ts';
import { assay, assertRefused, type Ended } from './assay-process.ts';

let directory = '';
let task = '';
/** The repository as the reference solution leaves it. */
let solved = '';
let keyFile = '';
/** Receipts of trials: of the reference solution, and of handing in nothing. */
let oracle = '';
let nothing = '';

const call = (...words: string[]): Promise<Ended> =>
  assay(words, { cwd: directory, env: { ASSAY_CACHE: join(directory, 'cache'), ASSAY_KEY: keyFile } });

async function verify(exitCode: number, file: string, ...more: string[]): Promise<ReceiptReport> {
  const ended = await call('receipt', 'verify', file, '--json', '--trust', keyFile, ...more);
  assert.equal(ended.exitCode, exitCode, `${ended.stderr}${ended.stdout}`);
  return JSON.parse(ended.stdout);
}
const failing = ({ checks }: ReceiptReport): string[] =>
  checks.filter(({ status }) => status === 'fail').map(({ name }) => name);

async function runAgent(agent: string): Promise<string> {
  const out = join(directory, agent);
  const ended = await call('run', task, '--agent', agent, '--out', out, '--provider', 'namespace');
  assert.equal(ended.exitCode, 0, ended.stderr);
  const [trial = ''] = await readdir(join(out, 'trials'));
  return join(out, 'trials', trial, 'receipt.json');
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-receipts-'));
  await makeCache(join(directory, 'cache'));
  keyFile = join(directory, 'config', 'key.pem');
  ({ repository: solved, task } = await makeDemoTask(directory));
  oracle = await runAgent('oracle');
  nothing = await runAgent('nop');
});
after(() => rm(directory, { recursive: true, force: true }));

describe('receipts of trials', () => {
  test('hold as they lie there, and come out again', async () => {
    for (const [file, outcome] of [
      [oracle, 'pass'],
      [nothing, 'fail'],
    ] as const) {
      const report = await verify(0, file, '--task', task, '--rejudge');
      assert.equal(report.receipt?.verdict.outcome, outcome);
      assert.deepEqual(report.differences, []);
      assert.deepEqual(
        report.checks.filter(({ status }) => status !== 'pass'),
        [],
      );
    }
  });

  test('in the terminal: the answer first, then every check', async () => {
    const { exitCode, stdout } = await call('receipt', 'verify', oracle, '--trust', keyFile);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^valid: task \S+, pass, trust in-process, isolation namespace\n(  (pass|-   )  [^\n]+\n)+$/);
  });

  test('one signed by the trusted key that lies holds until it is judged again', async () => {
    const envelope: { payload: string } = JSON.parse(await readFile(nothing, 'utf8'));
    const { signer: _, ...honest }: Receipt = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'));
    const records = (honest.results.records ?? []).map((record) =>
      record.kind === 'test' ? { ...record, status: 'passed' as const } : record,
    );
    const lie = {
      ...honest,
      results: sealResults(records),
      verdict: { outcome: 'pass' as const, passed: true, reward: 1, components: {} },
    };
    const file = join(directory, 'lie.json');
    await writeFile(file, signReceipt(lie, await readKey(keyFile)));
    const submission = join(nothing, '..', 'submission');
    assert.equal((await verify(0, file, '--task', task, '--submission', submission)).valid, true);
    const report = await verify(1, file, '--task', task, '--submission', submission, '--rejudge');
    assert.deepEqual(failing(report), ['rejudge']);
    assert.deepEqual(report.differences?.at(-1), { id: '(outcome)', recorded: 'pass', now: 'fail' });
    assert.ok((report.differences?.length ?? 0) > 1);
    const shown = await call(
      'receipt',
      'verify',
      file,
      '--trust',
      keyFile,
      '--task',
      task,
      '--submission',
      submission,
      '--rejudge',
    );
    assert.match(shown.stdout, /^not valid[^]*\(outcome\): recorded pass, now fail\n/);
  });

  test('another submission, another task, an altered task', async () => {
    assert.deepEqual(failing(await verify(1, oracle, '--submission', join(nothing, '..', 'submission'))), [
      'submission',
    ]);
    const altered = join(directory, 'altered');
    await cp(task, altered, { recursive: true });
    await writeFile(join(altered, 'instruction.md'), 'Do something else.\n');
    assert.deepEqual(failing(await verify(1, oracle, '--task', altered, '--rejudge')), ['task']);
    assertRefused(await call('receipt', 'verify', oracle, '--trust', keyFile, '--task', directory), /neither a task/);
  });

  test('bad use', async () => {
    assertRefused(await call('receipt', 'verify', oracle), /--trust <KEY>/);
    assertRefused(
      await call('receipt', 'verify', oracle, '--trust', 'nobody'),
      /nobody is no file, no key id and no public key/,
    );
    assertRefused(
      await call('receipt', 'verify', join(directory, 'none'), '--trust', keyFile),
      /cannot read the receipt/,
    );
    assertRefused(
      await call('receipt', 'verify', oracle, '--trust', keyFile, '--rejudge'),
      /--rejudge: say with --task/,
    );
    assertRefused(
      await call('receipt', 'verify', oracle, '--trust', keyFile, '--standard', keyFile),
      /the receipt is about a task/,
    );
    const { exitCode, stdout } = await call('receipt', 'verify', keyFile, '--trust', keyFile);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^not valid\n  FAIL  format  [^\n]+\n$/);
  });
});

describe('grade --receipt', () => {
  test('writes a new file that verifies against the checkout', async () => {
    const file = join(directory, 'graded.json');
    const graded = await call('grade', task, '--submission', solved, '--receipt', file, '--provider', 'namespace');
    assert.equal(graded.exitCode, 0, graded.stderr);
    await verify(0, file, '--task', task, '--submission', solved, '--rejudge');
    assertRefused(await call('receipt', 'verify', file, '--trust', keyFile, '--submission', solved), /give --task too/);
    const bytes = await readFile(file);
    assertRefused(await call('grade', task, '--submission', solved, '--receipt', file), /never overwritten/);
    assert.deepEqual(await readFile(file), bytes);
    assertRefused(
      await call('grade', task, '--submission', solved, '--receipt', join(directory, 'no', 'where.json')),
      /there is no directory/,
    );
  });
});

describe('judge --receipt', () => {
  test('verifies against standard and submission, and comes out again; an altered submission does not', async () => {
    const standard = join(directory, 'standard.json');
    const submission = join(directory, 'answer.js');
    const file = join(directory, 'judged.json');
    await writeFile(
      standard,
      JSON.stringify({
        type: 'test_cases',
        functionName: 'f',
        cases: [
          { input: [1], expected: 1 },
          { input: [2], expected: 2 },
          { input: [3], expected: 'SECRET' },
        ],
      }),
    );
    await writeFile(submission, 'const f = (x) => x;\n');
    const judged = await call('judge', standard, '--submission', submission, '--receipt', file);
    assert.equal(judged.exitCode, 0, judged.stderr);
    const report = await verify(0, file, '--standard', standard, '--submission', submission, '--rejudge');
    assert.deepEqual([report.receipt?.verdict.score, report.receipt?.repeatable, report.differences], [66, true, []]);
    assert.doesNotMatch(
      Buffer.from(JSON.parse(await readFile(file, 'utf8')).payload, 'base64').toString('utf8'),
      /SECRET/,
    );
    await writeFile(submission, 'const f = (x) => x + 1;\n');
    assert.deepEqual(failing(await verify(1, file, '--standard', standard, '--submission', submission, '--rejudge')), [
      'submission',
    ]);
  });

  test("a person's answers are computed again, and the probes beside them run again", async () => {
    const standard = join(directory, 'checklist.json');
    const submission = join(directory, 'page.txt');
    const answers = join(directory, 'answers.json');
    const file = join(directory, 'attested.json');
    await writeFile(
      standard,
      JSON.stringify({
        type: 'checklist',
        items: ['reads well', { check: 'has a title', probe: { command: 'grep title page.txt' } }],
      }),
    );
    await writeFile(submission, 'title: ink\n');
    await writeFile(answers, JSON.stringify({ answers: [{ item: 1, passed: true, evidence: 'read it' }] }));
    const judged = await call('judge', standard, '--submission', submission, '--answers', answers, '--receipt', file);
    assert.equal(judged.exitCode, 0, judged.stderr);
    const report = await verify(0, file, '--standard', standard, '--submission', submission, '--rejudge');
    assert.match(report.checks.at(-1)?.detail ?? '', /^1 results came out the same; 1 not repeatable/);
  });
});

describe('keys', () => {
  test('new and show print the public half alone', async () => {
    const out = join(directory, 'other', 'key.pem');
    const made = await call('key', 'new', '--out', out, '--json');
    assert.equal(made.exitCode, 0, made.stderr);
    assert.equal((await lstat(out)).mode & 0o777, 0o600);
    const [, secret = 'none'] = (await readFile(out, 'utf8')).split('\n');
    const shown = await assay(['key', 'show', '--json'], { env: { ASSAY_KEY: out } });
    assert.deepEqual(JSON.parse(shown.stdout), JSON.parse(made.stdout));
    const plain = await assay(['key', 'show'], { env: { ASSAY_KEY: out } });
    for (const { stdout, stderr } of [made, shown, plain])
      assert.ok(!`${stdout}${stderr}`.includes(secret) && !/PRIVATE/.test(stdout + stderr));
    const { keyId, pem }: { keyId: string; pem: string } = JSON.parse(shown.stdout);
    await writeFile(join(directory, 'public.pem'), pem);
    for (const trust of [keyId, join(directory, 'public.pem')]) {
      const { exitCode, stdout } = await call('receipt', 'verify', oracle, '--trust', trust);
      assert.equal(exitCode, 1);
      assert.match(stdout, /not the trusted one/);
    }
    assertRefused(await call('key', 'new', '--out', out), /never overwritten/);
  });

  test('the default place is that of the environment', async () => {
    const env = { ASSAY_KEY: '', XDG_CONFIG_HOME: join(directory, 'xdg') };
    assertRefused(await assay(['key', 'show'], { env }), /no key at .*xdg\/assay\/receipt-key\.pem.*assay key new/);
    const { path }: { path: string } = JSON.parse((await assay(['key', 'new', '--json'], { env })).stdout);
    assert.equal(path, join(directory, 'xdg', 'assay', 'receipt-key.pem'));
  });

  test('one that others can read stops a run before its first trial', async () => {
    const open = join(directory, 'open.pem');
    await cp(keyFile, open);
    await chmod(open, 0o644);
    const out = join(directory, 'unsigned');
    const env = { ASSAY_KEY: open, ASSAY_CACHE: join(directory, 'cache') };
    assertRefused(
      await assay(['run', task, '--agent', 'nop', '--out', out], { env }),
      /the key at .* is not used: others may read or write it/,
    );
    await assert.rejects(access(out));
  });
});
