import { listTree } from '../tree-files.ts';
import { readPackage } from './read-package.ts';

/** Lists the names of the root package and of the packages in its workspaces. */
export async function nodeProjectNames(tree: string): Promise<string[]> {
  const names = new Set<string>();
  for (const directory of ['.', ...(await workspaceDirectories(tree))]) {
    const name = (await readPackage(tree, directory))?.name;
    if (name) names.add(name);
  }
  return [...names].sort();
}

/**
 * Lists the directories of workspace packages, relative to the tree. Only patterns without `*` or with one at the end
 * count, which covers nearly all.
 */
export async function workspaceDirectories(tree: string): Promise<string[]> {
  const patterns = (await readPackage(tree))?.workspaces ?? ['packages/*'];
  const found: string[] = [];
  for (const pattern of patterns.map((each) => each.replace(/^\.\//, '').replace(/\/$/, ''))) {
    if (pattern.startsWith('!') || pattern.includes('..') || pattern.startsWith('/')) continue;
    const parent = /^(.*?)\/\*{1,2}$/.exec(pattern)?.[1] ?? (pattern === '*' ? '.' : null);
    if (parent === null) {
      if (!pattern.includes('*')) found.push(pattern);
      continue;
    }
    const entries = await listTree(tree, parent);
    found.push(
      ...entries
        .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
        .map((entry) => (parent === '.' ? entry.name : `${parent}/${entry.name}`)),
    );
  }
  return [...new Set(found)].sort();
}
