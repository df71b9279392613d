import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '@assay/protocol';
import { ownerIdentity } from '@assay/sandbox';
import { takeLease, type Lease } from './lease-file.ts';

async function taken(lock: string, leaseMs?: number): Promise<Lease> {
  const lease = await takeLease(lock, leaseMs);
  if ('heldBy' in lease) assert.fail(`${lease.heldBy} has it`);
  return lease;
}

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
    const lease = await taken(lock);
    assert.deepEqual(await takeLease(lock), { heldBy: process.pid });
    assert.deepEqual(await readdir(directory), ['lock']);
    await lease.release();
    assert.deepEqual(await readdir(directory), []);
    await (await taken(lock)).release();
  }));

test("a dead owner's lock, and a broken one, are taken over", () =>
  withDirectory(async (lock) => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    for (const content of [String(child.pid), '', 'no number']) {
      await writeFile(lock, content);
      await (await taken(lock)).release();
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
        await (await taken(lock)).release();
      }
    } finally {
      child.kill('SIGKILL');
    }
  }));

test('what is no file is no lock, is not waited for, and stays', { timeout: 20_000 }, () =>
  withDirectory(async (lock) => {
    execFileSync('mkfifo', [lock]);
    const refused = (error: unknown): boolean => AssayError.is(error) && error.code === 'OUTPUT_UNWRITABLE';
    await assert.rejects(takeLease(lock), refused);
    await rm(lock);
    await mkdir(join(lock, 'mine'), { recursive: true });
    await assert.rejects(takeLease(lock), refused);
    assert.deepEqual(await readdir(lock), ['mine']);
  }),
);

test('of many that take over one dead lock, one gets it', () =>
  withDirectory(async (lock, directory) => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeFile(lock, String(child.pid));
    const module = new URL('lease-file.ts', import.meta.url).href;
    const script = `const { takeLease } = await import(${JSON.stringify(module)}); const lease = await takeLease(process.argv[1]); console.log('heldBy' in lease ? lease.heldBy : 0); process.stdin.resume();`;
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

describe('a lease of another machine', () => {
  const FOREIGN = '4711-1\n00000000-0000-4000-8000-000000000000\nx\n';

  test('is respected while it is renewed, whether a process of that id lives here or not', () =>
    withDirectory(async (lock) => {
      await writeFile(lock, FOREIGN);
      assert.deepEqual(await takeLease(lock), { heldBy: 4711 });
    }));

  test('is taken over when it has run out', () =>
    withDirectory(async (lock) => {
      await writeFile(lock, FOREIGN);
      await utimes(lock, 1, 1);
      await (await taken(lock)).release();
    }));
});

test('a lease is renewed while it is held', { timeout: 20_000 }, () =>
  withDirectory(async (lock) => {
    const lease = await taken(lock, 30);
    await utimes(lock, 1, 1);
    while ((await stat(lock)).mtimeMs < 10_000) await sleep(5);
    await lease.release();
  }),
);

test('whoever lost its lease is told, and leaves that of the other alone', { timeout: 20_000 }, () =>
  withDirectory(async (lock, directory) => {
    const lease = await taken(lock, 30);
    await writeFile(lock, 'another');
    while (!lease.lost.aborted) await sleep(5);
    await lease.release();
    assert.deepEqual(await readdir(directory), ['lock']);
  }),
);
