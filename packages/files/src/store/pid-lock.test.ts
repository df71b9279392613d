import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '@assay/protocol';
import { ownerIdentity } from '@assay/sandbox';
import { takePidLock } from './pid-lock.ts';

async function withDirectory(use: (lock: string, directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-lock-test-'));
  try {
    await use(join(directory, 'lock'), directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('a free lock is taken, a living owner is named', () =>
  withDirectory(async (lock, directory) => {
    assert.equal(await takePidLock(lock), 0);
    assert.equal(await takePidLock(lock), process.pid);
    assert.deepEqual(await readdir(directory), ['lock']);
  }));

test("a dead owner's lock, and a broken one, are taken over", () =>
  withDirectory(async (lock) => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    for (const content of [String(child.pid), '', 'no number']) {
      await writeFile(lock, content);
      assert.equal(await takePidLock(lock), 0);
    }
  }));

test('a process id that came again owns nothing, and neither does a killed process that nobody waits for', () =>
  withDirectory(async (lock) => {
    const namespace = /-ns\d+$/.exec(ownerIdentity())?.[0] ?? '';
    const child = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const zombie = String((await once(child.stdout, 'data'))[0]).trim();
      const fields = async (): Promise<string[]> =>
        (await readFile(`/proc/${zombie}/stat`, 'latin1')).replace(/^.*\) /s, '').split(' ');
      while ((await fields())[0] !== 'Z') await sleep(10);
      const startedAt = (await fields())[19] ?? '';
      for (const content of [`${process.pid}-1${namespace}`, `${zombie}-${startedAt}${namespace}`]) {
        await writeFile(lock, content);
        assert.equal(await takePidLock(lock), 0, content);
      }
    } finally {
      child.kill('SIGKILL');
    }
  }));

test('what is no file is no lock, is not waited for, and stays', { timeout: 20_000 }, () =>
  withDirectory(async (lock) => {
    execFileSync('mkfifo', [lock]);
    const refused = (error: unknown): boolean => AssayError.is(error) && error.code === 'OUTPUT_UNWRITABLE';
    await assert.rejects(takePidLock(lock), refused);
    await rm(lock);
    await mkdir(join(lock, 'mine'), { recursive: true });
    await assert.rejects(takePidLock(lock), refused);
    assert.deepEqual(await readdir(lock), ['mine']);
  }),
);

test('of many that take over one dead lock, one gets it', () =>
  withDirectory(async (lock, directory) => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeFile(lock, String(child.pid));
    const module = new URL('pid-lock.ts', import.meta.url).href;
    const script = `const { takePidLock } = await import(${JSON.stringify(module)}); console.log(await takePidLock(process.argv[1])); process.stdin.resume();`;
    const rivals = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '--eval', script, lock]),
    );
    const answers = await Promise.all(
      rivals.map(async (rival) => String((await once(rival.stdout, 'data'))[0]).trim()),
    );
    for (const rival of rivals) rival.kill('SIGKILL');
    assert.equal(answers.filter((answer) => answer === '0').length, 1, answers.join(' '));
    assert.deepEqual(await readdir(directory), ['lock']);
  }));
