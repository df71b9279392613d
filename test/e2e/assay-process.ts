import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@assay/sandbox';

export const MAIN = join(import.meta.dirname, '../../packages/server/src/main.ts');

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface CallOptions {
  cwd?: string;
  /** Added to this process's environment. */
  env?: Record<string, string>;
  timeoutMs?: number;
}

/** This process's environment, without what belongs to its own run. */
export function inheritedEnvironment(added: Record<string, string> = {}): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, ...added })) {
    if (value !== undefined && name !== 'NODE_TEST_CONTEXT') environment[name] = value;
  }
  return environment;
}

/** Runs the command line as a user would, in a process of its own, without a terminal. */
export async function assay(
  words: string[],
  { cwd = tmpdir(), env = {}, timeoutMs = 300_000 }: CallOptions = {},
): Promise<Ended> {
  const { exitCode, stdout, stderr } = await runCommand([process.execPath, MAIN, ...words], {
    cwd,
    env: inheritedEnvironment(env),
    timeoutMs,
  });
  return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

/**
 * Asserts bad use or input: exit 2, nothing on standard output, one line that begins with `error: ` and holds
 * `pattern`.
 */
export function assertRefused({ exitCode, stdout, stderr }: Ended, pattern: RegExp): void {
  assert.equal(exitCode, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^error: [^\n]+\n$/);
  assert.match(stderr, pattern);
}
