import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { cacheDirectory } from '@assay/files/store/paths';
import { AssayError, type ErrorKind } from '@assay/protocol/errors';
import { harmlessText } from '@assay/protocol/harmless-text';
import { harmlessLine } from './reporters/sanitise.ts';

/** A disk with less room is full. */
const ROOM_BYTES = 1024 * 1024;

/** How a command that threw ends. */
export interface Failure {
  exitCode: number;
  /** For standard error, harmless: one line, unless it is a bug. */
  text: string;
  /** For `--json`. */
  document: { error: { code: string; kind: ErrorKind; message: string } };
}

const EXIT_CODES = { user: 2, task: 2, agent: 1, infrastructure: 1, machine: 5, bug: 1 } as const satisfies Record<
  ErrorKind,
  number
>;

/** `interrupted` is the exit code of the signal that came before, or null: whatever was thrown after it is no news. */
export function describeError(error: unknown, interrupted: number | null): Failure {
  if (interrupted !== null) return known(new AssayError('INTERRUPTED'), interrupted);
  if (AssayError.is(error) && error.code === 'INTERRUPTED') return known(error, 130);
  if (AssayError.is(error) && error.kind !== 'bug') return known(error, EXIT_CODES[error.kind]);
  const refused = systemRefusal(error);
  return refused === null
    ? bug(error)
    : {
        exitCode: EXIT_CODES.machine,
        text: `error: ${refused}`,
        document: { error: { code: 'SYSTEM', kind: 'machine', message: refused } },
      };
}

/**
 * Describes a refusal of the operating system that our code cannot mend: missing rights, a full or read-only disk, no
 * descriptors left. Null for any other error.
 */
function systemRefusal(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return null;
  // Node's recursive mkdir says so of a read-only file system, too.
  const noPlace = error.syscall === 'mkdir' && ['ENOENT', 'ENOTDIR'].includes(String(error.code));
  if (noPlace || ['EACCES', 'EPERM', 'EROFS', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(String(error.code)))
    return harmlessLine(error.message);
  return error.code === 'ENOSPC' ? harmlessLine(`${error.message}${fullPlaces()}`) : null;
}

/** The system's message names no place. */
function fullPlaces(): string {
  const full = [...new Set([process.cwd(), tmpdir(), cacheDirectory()])].filter((path) => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize < ROOM_BYTES;
    } catch {
      return false;
    }
  });
  return full.length === 0 ? '' : `: the disk of ${full.join(' and of ')} is full`;
}

function known(error: AssayError, exitCode: number): Failure {
  const message = harmlessLine(error.message);
  return { exitCode, text: `error: ${message}`, document: { error: { code: error.code, kind: error.kind, message } } };
}

function bug(error: unknown): Failure {
  const code = AssayError.is(error) ? error.code : 'UNEXPECTED';
  const message = harmlessLine(error instanceof Error ? error.message : inspect(error));
  const text = `error: this is a bug in Assay; please report it with what follows\n${harmlessText(inspect(error))}`;
  return { exitCode: EXIT_CODES.bug, text, document: { error: { code, kind: 'bug', message } } };
}
