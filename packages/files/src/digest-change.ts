import { createHash } from 'node:crypto';
import type { ChangeSet } from './change-set.ts';

/** sha256 hex of a change: the same whatever order its files come in. */
export function digestChange(change: ChangeSet): string {
  const lines = [
    ...change.files.map(
      (file) =>
        `${file.path}\0${createHash('sha256').update(file.content).digest('hex')}\0${file.executable ? 'x' : '-'}`,
    ),
    ...change.deleted.map((path) => `${path}\0deleted\0`),
  ];
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}
