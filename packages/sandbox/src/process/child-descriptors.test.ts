import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Starts a sandbox from a process that inherited descriptor 77, and returns what the sandbox finds there. */
async function seenInSandbox(): Promise<string> {
  const module = fileURLToPath(new URL('../providers/bubblewrap/bubblewrap-provider.ts', import.meta.url));
  const script = `
    import { bubblewrapProvider } from ${JSON.stringify(module)};
    const sandbox = await bubblewrapProvider().create();
    const result = await sandbox.exec('readlink /proc/self/fd/77; cat /proc/self/fd/77/passwd');
    await sandbox.destroy();
    console.log(result.stdout.trim());`;
  const leak = openSync('/etc', 'r');
  try {
    const stdio: Array<'ignore' | 'pipe' | 'inherit' | number> = [
      'ignore',
      'pipe',
      'inherit',
      ...Array.from({ length: 74 }, () => 'ignore' as const),
      leak,
    ];
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio });
    assert.ok(child.stdout);
    return (await text(child.stdout)).trim();
  } finally {
    closeSync(leak);
  }
}

test('a descriptor that this process was given does not reach a sandbox', async () => {
  assert.equal(await seenInSandbox(), '/dev/null');
});
