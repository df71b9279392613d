import { AssayError } from '@assay/protocol';

/**
 * In bytes. Linux takes 4095 of a path, and every path that is checked here is put behind a directory of the host or of
 * a sandbox, which gets the rest.
 */
const MAX_PATH_BYTES = 3072;
const MAX_NAME_BYTES = 255;
const NUL = '\0';

/** Characters that HFS+ leaves out when it compares names, so that `.g\u200cit` is `.git` there. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

export interface PathRules {
  /** Let components called `.git` through: only for trees that Assay made itself. Default false. */
  git?: boolean;
}

/**
 * Why a path may not be written, or `null` when it may: relative, POSIX slashes, well-formed, no empty, `.`, `..` or
 * `.git` component, nor one that another file system takes for these. The one definition of a safe path.
 */
export function unsafePathReason(path: string, rules: PathRules = {}): string | null {
  if (path === '') return 'it is empty';
  if (path.includes(NUL)) return 'it holds a NUL';
  if (!path.isWellFormed()) return 'it is no valid UTF-8';
  if (path.startsWith('/')) return 'it is absolute';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'it is too long';
  for (const name of path.split('/')) {
    const reason = unsafeName(name, rules);
    if (reason !== null) return reason;
  }
  return null;
}

/** Throws `UNSAFE_PATH` when {@link unsafePathReason} gives a reason. */
export function assertSafePath(path: string, rules?: PathRules): void {
  const detail = unsafePathReason(path, rules);
  if (detail !== null) throw new AssayError('UNSAFE_PATH', { path: JSON.stringify(path.slice(0, 200)), detail });
}

function unsafeName(name: string, rules: PathRules): string | null {
  if (name === '') return 'it has an empty component';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'a component is too long';
  // A backslash is an ordinary character here and a separator on Windows.
  for (const part of name.split('\\')) {
    if (part === '.' || part === '..') return `it has a component ${part}`;
    if (rules.git !== true && isGitName(part)) return 'it leads into git data';
  }
  return null;
}

/**
 * Whether some file system takes the name for `.git`: case, NTFS short name, streams, trailing dots and spaces, HFS+
 * ignored characters.
 */
function isGitName(name: string): boolean {
  const bare = name
    .replace(HFS_IGNORED, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return bare === '.git' || bare === 'git~1';
}
