import type { ChangeSet } from '../files/change-set.ts';
import { WORKSPACE } from './dockerfiles.ts';

/** `solution/solve.sh`: what Harbor's oracle runs in the agent's container, where `solution/` lies beside the script. */
export function solveScript(reference: ChangeSet): string {
  const deletions = reference.deleted.flatMap((path) => [
    `rm -f -- ${quoted(path)}`,
    ...(path.includes('/') ? [`rmdir -p --ignore-fail-on-non-empty -- ${quoted(path.slice(0, path.lastIndexOf('/')))}`] : []),
  ]);
  const modes = reference.files.map((file) => `chmod ${file.executable ? '755' : '644'} -- ${quoted(file.path)}`);
  return [
    '#!/bin/sh',
    '# Applies the reference solution to the repository.',
    'set -eu',
    'here=$(cd -- "$(dirname -- "$0")" && pwd)',
    `cd ${WORKSPACE}`,
    ...deletions,
    ...(reference.files.length > 0 ? ['cp -R --remove-destination "$here/files/." .'] : []),
    ...modes,
    '',
  ].join('\n');
}

/** As one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
