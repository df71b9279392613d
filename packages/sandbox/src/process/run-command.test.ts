import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './run-command.ts';

describe('runCommand', () => {
  test('gives output, exit code and signal', async () => {
    const result = await runCommand(['sh', '-c', 'cat; echo err >&2; exit 3'], { stdin: 'in' });
    assert.deepEqual(
      [String(result.stdout), String(result.stderr), result.exitCode, result.signal],
      ['in', 'err\n', 3, null],
    );
    const killed = await runCommand(['sh', '-c', 'kill -9 $$']);
    assert.deepEqual([killed.exitCode, killed.signal, killed.timedOut], [null, 'SIGKILL', false]);
  });

  test('the environment is exact', async () => {
    const result = await runCommand(['/usr/bin/env'], { env: { ONLY: 'this' } });
    assert.equal(String(result.stdout), 'ONLY=this\n');
    process.env['ASSAY_TEST_SECRET'] = 'x';
    assert.doesNotMatch(String((await runCommand(['env'])).stdout), /ASSAY_TEST_SECRET/);
  });

  test('output over the cap is dropped and marked', async () => {
    const result = await runCommand(['sh', '-c', 'head -c 5000000 /dev/zero; echo x >&2'], { maxOutputBytes: 1000 });
    assert.deepEqual(
      [result.stdout.length, String(result.stderr), result.truncated, result.exitCode],
      [1000, 'x\n', true, 0],
    );
    assert.equal((await runCommand(['head', '-c', '1000', '/dev/zero'], { maxOutputBytes: 1000 })).truncated, false);
  });

  test('a time-out and an abort kill the group, and its end kills what is left of it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-run-'));
    const late = join(directory, 'late');
    const script = `(sleep 1; echo x > ${late}) & echo started; `;
    try {
      const result = await runCommand(['sh', '-c', `${script} sleep 100`], { timeoutMs: 300 });
      assert.deepEqual([result.timedOut, result.signal], [true, 'SIGKILL']);
      await assert.rejects(runCommand(['sh', '-c', `${script} sleep 100`], { signal: AbortSignal.timeout(300) }), {
        code: 'INTERRUPTED',
      });
      await assert.rejects(runCommand(['true'], { signal: AbortSignal.abort() }), { code: 'INTERRUPTED' });
      assert.equal((await runCommand(['sh', '-c', script])).exitCode, 0);
      await sleep(1500);
      assert.equal(existsSync(late), false);
      await runCommand(['sh', '-c', `${script} wait`]);
      assert.equal(existsSync(late), true, 'control');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('a daemon that holds the pipes does not hold up the end', async () => {
    const result = await runCommand(['sh', '-c', 'setsid sleep 20 & echo x']);
    assert.equal(String(result.stdout), 'x\n');
    assert.ok(result.durationMs < 15_000);
  });

  test('what cannot be run rejects', async () => {
    await assert.rejects(runCommand(['no-such-command-here']), { code: 'COMMAND_NOT_FOUND' });
    await assert.rejects(runCommand(['/etc/passwd']), { code: 'COMMAND_NOT_FOUND' });
    await assert.rejects(runCommand(['true'], { cwd: '/no/such/directory' }), { code: 'ENOENT' });
  });

  test('given descriptors arrive from 3 on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-run-'));
    writeFileSync(join(directory, 'a'), 'A');
    const descriptor = openSync(join(directory, 'a'), 'r');
    try {
      assert.equal(String((await runCommand(['sh', '-c', 'cat <&3'], { fds: [descriptor] })).stdout), 'A');
    } finally {
      closeSync(descriptor);
      rmSync(directory, { recursive: true });
    }
  });
});
