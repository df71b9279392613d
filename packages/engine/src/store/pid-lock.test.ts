import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { takePidLock } from './pid-lock.ts';

async function withDirectory(use: (lock: string, directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-lock-test-'));
  try {
    await use(join(directory, 'lock'), directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('a free lock is taken, a living owner is named', () => withDirectory(async (lock, directory) => {
  assert.equal(await takePidLock(lock), 0);
  assert.equal(await takePidLock(lock), process.pid);
  assert.deepEqual(await readdir(directory), ['lock']);
}));

test("a dead owner's lock, and a broken one, are taken over", () => withDirectory(async (lock) => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  for (const content of [String(child.pid), '', 'no number']) {
    await writeFile(lock, content);
    assert.equal(await takePidLock(lock), 0);
  }
}));

test('of many that take over one dead lock, one gets it', () => withDirectory(async (lock, directory) => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await writeFile(lock, String(child.pid));
  const module = new URL('pid-lock.ts', import.meta.url).href;
  const script = `const { takePidLock } = await import(${JSON.stringify(module)}); console.log(await takePidLock(process.argv[1])); process.stdin.resume();`;
  const rivals = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '--eval', script, lock]));
  const answers = await Promise.all(rivals.map(async (rival) => String((await once(rival.stdout, 'data'))[0]).trim()));
  for (const rival of rivals) rival.kill('SIGKILL');
  assert.equal(answers.filter((answer) => answer === '0').length, 1, answers.join(' '));
  assert.deepEqual(await readdir(directory), ['lock']);
}));
