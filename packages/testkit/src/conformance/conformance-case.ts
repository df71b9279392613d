import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  sandboxOwner,
  type ExecResult,
  type Mount,
  type Sandbox,
  type SandboxOptions,
  type SandboxProvider,
} from '@assay/sandbox';
import type { Capability } from './capabilities.ts';

/** One thing that every provider must do, or must not let happen. Rejects when it does not hold. */
export interface ConformanceCase {
  /** A sentence, unique in the suite: known gaps are listed by it. */
  name: string;
  /** Not run with a provider that lacks one of these. */
  needs?: readonly Capability[];
  run(provider: SandboxProvider): Promise<void>;
}

/** Makes a sandbox for `use` and destroys it in any case. */
export async function withSandbox<T>(
  provider: SandboxProvider,
  options: SandboxOptions,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await provider.create(options);
  try {
    return await use(sandbox);
  } finally {
    await sandbox.destroy();
  }
}

/** A directory of the host that goes with the test. The user of a sandbox may write in it. */
export async function withHostDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-conformance-'));
  if (sandboxOwner) chownSync(directory, sandboxOwner.uid, sandboxOwner.gid);
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The exit code, with what the command said when it is another. */
export function assertExit(result: ExecResult, expected: number): void {
  assert.equal(
    result.exitCode,
    expected,
    `exit ${result.exitCode}\nstdout: ${result.stdout.slice(0, 2000)}\nstderr: ${result.stderr.slice(0, 2000)}`,
  );
}

/** Runs a command that has to work and returns what it prints, without the last line end. */
export async function output(sandbox: Sandbox, command: string): Promise<string> {
  const result = await sandbox.exec(command);
  assertExit(result, 0);
  return result.stdout.replace(/\n$/, '');
}

/** The Node that runs the tests, for what a shell cannot do. */
export const NODE = '/opt/node';
export const NODE_MOUNT: Mount = { kind: 'read-only', source: process.execPath, target: NODE };

/** Runs a script with {@link NODE}; its output must be one JSON document. */
export async function runNode(sandbox: Sandbox, script: string): Promise<unknown> {
  const result = await sandbox.exec('', { argv: [NODE, '--input-type=module', '-e', script] });
  assertExit(result, 0);
  return JSON.parse(result.stdout);
}

/** Asks again until it is true. Rejects after `attempts`. */
export async function eventually(what: string, check: () => boolean | Promise<boolean>, attempts = 200): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not so in time: ${what}`);
}
