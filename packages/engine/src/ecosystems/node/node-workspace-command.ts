import { join } from 'node:path';
import { listTree } from '../tree-files.ts';
import type { NodeRunner } from './runner-arguments.ts';

/** A package's own command. */
export interface PackageCommand {
  runner: NodeRunner;
  args: string[];
}

const MAX_PACKAGES = 100;

/**
 * Puts the commands of a workspace's packages together, where the root has none: those of the runner that most packages
 * use, each after `--in=DIRECTORY`, in which it runs. Null when no package has one.
 */
export async function workspaceCommand(
  tree: string,
  directories: readonly string[],
  commandOf: (directory: string) => Promise<PackageCommand | null>,
): Promise<PackageCommand | null> {
  const found: (PackageCommand & { directory: string })[] = [];
  for (const directory of directories.slice(0, MAX_PACKAGES)) {
    // Empty, too, for a directory that a link takes out of the tree.
    if ((await listTree(tree, directory)).length === 0) continue;
    const command = await commandOf(join(tree, directory));
    if (command) found.push({ ...command, directory });
  }
  const counts = new Map<NodeRunner, number>();
  for (const { runner } of found) counts.set(runner, (counts.get(runner) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most) return null;
  const chosen = found.filter(({ runner }) => runner === most[0]);
  return { runner: most[0], args: chosen.flatMap(({ directory, args }) => [`--in=${directory}`, ...args]) };
}
