import type { ChangeSet } from '@assay/files/change-set';
import { WORKSPACE } from './dockerfiles.ts';

/**
 * Writes `solution/solve.sh`, which Harbor's oracle runs in the agent's container, with `solution/` beside the script.
 */
export function solveScript(reference: ChangeSet): string {
  const deletions = reference.deleted.map((path) => `remove ${quoted(path)}`);
  const modes = reference.files.map((file) => `chmod ${file.executable ? '755' : '644'} -- ${quoted(file.path)}`);
  return [
    '#!/bin/sh',
    '# Applies the reference solution to the repository.',
    'set -eu',
    'here=$(cd -- "$(dirname -- "$0")" && pwd)',
    `cd ${WORKSPACE}`,
    ...(deletions.length > 0 ? [REMOVE, ...deletions] : []),
    ...(reference.files.length > 0 ? ['cp -R --remove-destination "$here/files/." .'] : []),
    ...modes,
    '',
  ].join('\n');
}

/** Git keeps no empty directories, so each is removed with its last file. */
const REMOVE = [
  'remove() {',
  '  rm -f -- "$1"',
  '  case "$1" in */*) rmdir -p -- "${1%/*}" 2>/dev/null || true ;; esac',
  '}',
].join('\n');

/** Quotes any text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
