import { posix } from 'node:path';
import { AssayError } from '@assay/protocol';
import { workspaceDirectories } from './node-project-names.ts';
import { readPackage } from './read-package.ts';

const LOCAL = /^(?:file:|link:|portal:|(?=\.{0,2}\/|~\/))/;

/** Throws `ENVIRONMENT_FAILED` when a manifest takes packages from outside of the repository, where nothing is. */
export async function refuseOutside(tree: string): Promise<void> {
  const patterns = (await readPackage(tree))?.workspaces ?? [];
  const outside = patterns.find((pattern) => isOutside('', pattern.replace(/^!/, '')));
  if (outside !== undefined) throw failed(`the workspace holds ${outside}`);
  for (const directory of ['', ...(await workspaceDirectories(tree))]) {
    const manifest = await readPackage(tree, directory === '' ? '.' : directory);
    const ranges = { ...manifest?.dependencies, ...manifest?.devDependencies, ...manifest?.optionalDependencies };
    for (const [name, range] of Object.entries(ranges))
      if (LOCAL.test(range) && isOutside(directory, range.replace(LOCAL, '')))
        throw failed(`${posix.join(directory, 'package.json')} takes ${name} from ${range}`);
  }
}

function isOutside(directory: string, path: string): boolean {
  return (
    path.startsWith('/') || path.startsWith('~') || /^\.\.(?:\/|$)/.test(posix.normalize(posix.join(directory, path)))
  );
}

const failed = (what: string): AssayError =>
  new AssayError('ENVIRONMENT_FAILED', { detail: `${what}, which lies outside of the repository` });
