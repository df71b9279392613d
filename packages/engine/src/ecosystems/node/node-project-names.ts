import picomatch from 'picomatch';
import { listTree, readTreeText } from '../tree-files.ts';
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

const DEPTH = 5;
const MAX_PACKAGES = 500;

/**
 * Lists the directories of workspace packages, relative to the tree: what the patterns of the root's manifest or of
 * pnpm's settings name, less what those after a `!` do.
 */
export async function workspaceDirectories(tree: string): Promise<string[]> {
  const patterns = (await readPnpmPackages(tree)) ?? (await readPackage(tree))?.workspaces ?? ['packages/*'];
  const cleaned = patterns.map((each) => each.replace(/^(!?)\.\//, '$1').replace(/\/$/, ''));
  const without = picomatch(cleaned.filter((each) => each.startsWith('!')).map((each) => each.slice(1)));
  const found = new Set<string>();
  for (const pattern of cleaned) {
    if (pattern.startsWith('!') || pattern.includes('..') || pattern.startsWith('/')) continue;
    for (const directory of await matching(tree, pattern)) if (!without(directory)) found.add(directory);
  }
  return [...found].sort().slice(0, MAX_PACKAGES);
}

async function matching(tree: string, pattern: string): Promise<string[]> {
  if (!/[*?{[]/.test(pattern)) return pattern === '.' ? [] : [pattern];
  const parts = pattern.split('/');
  const fixed = parts
    .slice(
      0,
      parts.findIndex((part) => /[*?{[]/.test(part)),
    )
    .join('/');
  const matches = picomatch(pattern);
  // `packages/*` names what has no manifest, too; below it, only packages count.
  const isDeep = pattern.includes('**');
  const found: string[] = [];
  const visit = async (directory: string, depth: number): Promise<void> => {
    for (const entry of await listTree(tree, directory === '' ? '.' : directory)) {
      if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (matches(path) && (!isDeep || (await readPackage(tree, path)) !== null)) found.push(path);
      if (depth > 1 && found.length < MAX_PACKAGES) await visit(path, depth - 1);
    }
  };
  await visit(fixed, isDeep ? DEPTH : parts.length - (fixed === '' ? 0 : fixed.split('/').length));
  return found;
}

/** The list `packages` of pnpm's settings; null without such a file or list. Of YAML, it takes what such lists use. */
async function readPnpmPackages(tree: string): Promise<string[] | null> {
  const text = (await readTreeText(tree, 'pnpm-workspace.yaml')) ?? '';
  const list = /^packages:[ \t]*(?:\[([^\]]*)\]|(?:#.*)?((?:\r?\n(?:[ \t]*-.*|[ \t]*#.*|[ \t]*))+))/m.exec(text);
  if (!list) return null;
  const lines = list[1] === undefined ? (list[2] ?? '').split('\n') : list[1].split(',');
  return lines
    .map((line) => /^\s*(?:-\s*)?(?:'([^']*)'|"([^"]*)"|([^\s#'"][^#]*?))\s*(?:#.*)?$/.exec(line))
    .map((match) => match?.[1] ?? match?.[2] ?? match?.[3] ?? '')
    .filter((pattern) => pattern !== '' && pattern !== '-');
}
