import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { makeTemporaryDirectory } from './temporary-directory.ts';

const MODULE = new URL('temporary-directory.ts', import.meta.url).href;
const script = (end: string): string =>
  `import { makeTemporaryDirectory } from ${JSON.stringify(MODULE)}; console.log(await makeTemporaryDirectory('test')); ${end}`;

async function run(end: string): Promise<{ directory: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script(end)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout, 'data');
  return {
    directory: String(chunk).trim(),
    kill: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

test('what a killed process left goes with the next process that asks, and what a living one has stays', async () => {
  const killed = await run('setInterval(() => {}, 1000);');
  const living = await run('setInterval(() => {}, 1000);');
  assert.ok(existsSync(killed.directory));
  await killed.kill();
  assert.ok(existsSync(killed.directory), 'control: nothing else removes it');
  const next = await run('');
  assert.equal(existsSync(killed.directory), false);
  assert.equal(existsSync(living.directory), true);
  await next.kill();
  await living.kill();
});

test('two directories of one process are apart', async () => {
  const [a, b] = [await makeTemporaryDirectory('x'), await makeTemporaryDirectory('x')];
  assert.notEqual(a, b);
  await Promise.all([a, b].map((directory) => rm(directory, { recursive: true })));
});
