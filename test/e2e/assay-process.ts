import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultProblem, RESULTS } from '@assay/protocol';
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

/**
 * Runs the command line as a user would, in a process of its own, without a terminal. What `--json` prints has to be
 * what `@assay/protocol` declares.
 */
export async function assay(
  words: string[],
  { cwd = tmpdir(), env = {}, timeoutMs = 1_200_000 }: CallOptions = {},
): Promise<Ended> {
  const { exitCode, stdout, stderr } = await runCommand([process.execPath, MAIN, ...words], {
    cwd,
    env: inheritedEnvironment(env),
    timeoutMs,
  });
  const ended = { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
  assertDeclared(words, ended);
  return ended;
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

/** Nothing is printed for words that are no command line. */
function assertDeclared(words: readonly string[], { stdout }: Ended): void {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const name = Object.keys(RESULTS).find((each) => each === own.slice(0, each.split(' ').length).join(' '));
  if (name === undefined || !own.includes('--json') || stdout === '') return;
  const document: unknown = JSON.parse(stdout);
  assert.equal(resultProblem(name, document), null, `assay ${own.join(' ')}`);
}
