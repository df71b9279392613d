import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from '@assay/files/store/paths';

/**
 * Makes a cache of the test's own at `directory`. It remembers nothing but what is keyed by all that went into it: that
 * (copies of interpreters, environments, indexes of the host's files) is shared with the other test files.
 */
export async function makeCache(directory: string): Promise<void> {
  await mkdir(directory);
  for (const name of ['artefacts', 'layers', 'tools']) {
    const shared = join(cacheDirectory(), name);
    await mkdir(shared, { recursive: true });
    await symlink(shared, join(directory, name));
  }
}
