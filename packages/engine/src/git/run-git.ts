import { tmpdir } from 'node:os';
import { AssayError } from '@assay/protocol';
import { runCommand, type CommandResult } from '@assay/sandbox';
import { GIT_SETTINGS, gitEnvironment } from './git-environment.ts';

export interface GitOptions {
  stdin?: string | Uint8Array;
  /** Added to the hardened environment. */
  env?: Record<string, string>;
  /** Default: the git directory, or the directory for temporary files when there is none. */
  cwd?: string;
  /** Limit on the output; beyond it `GIT_FAILED` is thrown. Default 1 GiB. */
  maxOutputBytes?: number;
  /** Exit codes that are answers rather than failures. Default `[0]`. */
  exitCodes?: readonly number[];
  signal?: AbortSignal;
}

const DEFAULT_OUTPUT_BYTES = 1024 ** 3;

const MISSING = new RegExp(
  [
    'bad object',
    'missing (blob|tree|commit|tag|object)',
    'unable to (read|find|get object|load|parse)',
    'could not (read|fetch|get object|parse)',
    'not a valid object name',
    'failed to read object',
    'object file .* is empty',
    'cannot read object',
    'bad tree object',
    'invalid object',
  ].join('|'),
  'i',
);

/**
 * Runs git on one of our own repositories (or on none), without system or user configuration, and returns its output.
 * Throws `MISSING_OBJECT` when the repository lacks an object that the command needs, else `GIT_FAILED`.
 */
export async function runGit(gitDirectory: string | null, args: string[], options: GitOptions = {}): Promise<Buffer> {
  const result = await startGit(gitDirectory, args, options);
  const command = args[0] ?? '';
  if (result.truncated) throw new AssayError('GIT_FAILED', { command, detail: 'too much output' });
  if (result.exitCode !== null && (options.exitCodes ?? [0]).includes(result.exitCode)) return result.stdout;
  throw gitError(command, result);
}

function startGit(gitDirectory: string | null, args: string[], options: GitOptions): Promise<CommandResult> {
  const cwd = options.cwd ?? gitDirectory ?? tmpdir();
  return runCommand(['git', ...GIT_SETTINGS, ...args], {
    cwd,
    env: { ...gitEnvironment(gitDirectory, cwd), ...options.env },
    maxOutputBytes: options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES,
    stdin: options.stdin,
    signal: options.signal,
  });
}

function gitError(command: string, { stderr, exitCode, signal }: CommandResult): AssayError {
  const lines = stderr.toString('utf8').trim().split('\n');
  const detail = (lines.find((line) => line.startsWith('fatal:')) ?? lines.at(-1) ?? '').slice(0, 500);
  const missing = lines.find((line) => MISSING.test(line));
  if (missing !== undefined) return new AssayError('MISSING_OBJECT', { detail: missing.slice(0, 500) });
  return new AssayError('GIT_FAILED', { command, detail: detail || (signal ?? `exit code ${exitCode}`) });
}
