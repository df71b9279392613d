import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

/** Those that a sandbox with this machine's system would not find: what lies elsewhere, it does not hold. */
export async function missingPrograms(names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) =>
      (await Promise.all(['/usr/bin', '/bin'].map((directory) => isProgram(join(directory, name))))).includes(true),
    ),
  );
  return names.filter((_, index) => found[index] !== true);
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
