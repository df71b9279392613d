import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

const MODULE = JSON.stringify(new URL('./execute-command.ts', import.meta.url).href);

/** Runs a command of one statement in a process of its own, as main.ts does. */
function runBody(body: string, json: boolean): { status: number | null; stdout: string; stderr: string } {
  const command = `{ name: 'wait', run: async () => { ${body} } }`;
  const script = `const { executeCommand } = await import(${MODULE});
    process.exit(await executeCommand({ command: ${command}, input: {}, rest: [], json: ${json} }));`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

describe('a command that waits for what can no longer come', () => {
  for (const body of [
    'await new Promise(() => {})',
    "await import('node:timers/promises').then((t) => t.setTimeout(5)); await new Promise(() => {})",
  ])
    test(`ends with one line and exit 1: ${body}`, () => {
      const { status, stdout, stderr } = runBody(body, false);
      assert.equal(status, 1, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, /^error: wait ended without an answer \(STALLED\)[^\n]*\n$/);
    });

  test('says so in the document of --json', () => {
    const { status, stdout } = runBody('await new Promise(() => {})', true);
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).error.code, 'STALLED');
  });

  test('one that ends is not disturbed', () => {
    const { status, stdout, stderr } = runBody("return { exitCode: 3, document: {}, render: () => 'done\\n' }", false);
    assert.deepEqual([status, stdout, stderr], [3, 'done\n', '']);
  });
});
