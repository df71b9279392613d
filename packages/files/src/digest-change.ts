import { sha256 } from './content-digest.ts';
import type { ChangeSet } from './change-set.ts';

/** Returns the sha256 of a change as hex, independent of the order of its files. */
export function digestChange(change: ChangeSet): string {
  const lines = [
    ...change.files.map((file) => `${file.path}\0${sha256(file.content)}\0${file.executable ? 'x' : '-'}`),
    ...change.deleted.map((path) => `${path}\0deleted\0`),
  ];
  return sha256(lines.sort().join('\n'));
}
