import { dirname } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions } from '../contract.ts';

/** The end of a command that runs inside. */
export interface InsideResult {
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;
  timedOut: boolean;
  truncated: boolean;
}

/** Runs a command inside, in the root directory. */
export type RunInside = (argv: string[], options?: Pick<ExecOptions, 'stdin' | 'timeout'>) => Promise<InsideResult>;

export type FileKind = 'file' | 'directory' | 'link' | 'other';

const COUNTING_MS = 10_000;
const WRITE = 'if [ -n "$2" ]; then mkdir -p -- "$2" || exit; fi; cat > "$1"';
/** A named pipe would be read for ever, and so would a file that grows. */
const READ = `
if [ -e "$1" ] && ! [ -f "$1" ] && ! [ -d "$1" ]; then echo "it is no regular file" >&2; exit 1; fi
exec head -c "$2" -- "$1"`;
const KIND = `
if [ -L "$1" ]; then echo link
elif [ -f "$1" ]; then echo file
elif [ -d "$1" ]; then echo directory
elif [ -e "$1" ]; then echo other
fi`;

/** Makes parent directories. Throws `SANDBOX_FILE_FAILED`, as the others here do. */
export async function writeInside(run: RunInside, path: string, content: string | Uint8Array): Promise<void> {
  const result = await run(['/bin/sh', '-c', WRITE, 'sh', path, dirname(path)], { stdin: content });
  if (result.exitCode !== 0) throw fileError(path, result);
}

/** The bytes of a regular file that has no more than `limit` of them. */
export async function readInside(run: RunInside, path: string, limit: number): Promise<Buffer> {
  const result = await run(['/bin/sh', '-c', READ, 'sh', path, String(limit + 1)]);
  if (result.exitCode !== 0) throw fileError(path, result);
  if (result.truncated)
    throw new AssayError('SANDBOX_FILE_FAILED', { path, detail: 'it is larger than the output limit' });
  return result.stdout;
}

export async function kindInside(run: RunInside, path: string): Promise<FileKind | null> {
  const result = await run(['/bin/sh', '-c', KIND, 'sh', path]);
  const said = result.stdout.toString('utf8').trim();
  if (result.exitCode !== 0) throw fileError(path, result);
  return said === 'link' || said === 'file' || said === 'directory' || said === 'other' ? said : null;
}

/** Counts with `du`, which goes on where it may not look and then ends with an error. */
export async function diskUsageInside(run: RunInside, path: string): Promise<number> {
  const result = await run(['du', '-sk', '--', path], { timeout: COUNTING_MS });
  const total = /^(\d+)\s/.exec(result.stdout.toString('utf8'))?.[1];
  if (total === undefined || result.timedOut) throw fileError(path, result);
  return Number(total) * 1024;
}

function fileError(path: string, { stderr, exitCode, timedOut }: InsideResult): AssayError {
  const said = stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
  const detail = timedOut ? 'it takes too long' : said === '' ? `exit ${exitCode}` : said;
  return new AssayError('SANDBOX_FILE_FAILED', { path, detail });
}
