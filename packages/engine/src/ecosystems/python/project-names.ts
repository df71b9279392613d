import { listTree } from '../tree-files.ts';
import { declaredNames, normalizeName } from './declared-names.ts';
import { readManifests } from './read-manifests.ts';
import { workspaceMembers } from './workspace-members.ts';

/**
 * Lists every name under which a tree's manifests publish it, those of its workspace's members among them. If there are
 * none, guesses from the names of its packages, rather too many than too few.
 */
export async function pythonProjectNames(tree: string): Promise<string[]> {
  const manifests = await readManifests(tree);
  const members = (await workspaceMembers(tree, manifests)).map(({ name }) => name);
  const declared = [...declaredNames(manifests), ...members];
  const names = declared.length > 0 ? declared : await packageNames(tree);
  return [...new Set(names.map(normalizeName))].filter((name) => name !== '').sort();
}

const NOT_PROJECTS = new Set([
  'tests',
  'test',
  'testing',
  'docs',
  'doc',
  'examples',
  'example',
  'scripts',
  'tools',
  'benchmarks',
]);

async function packageNames(tree: string): Promise<string[]> {
  const found: string[] = [];
  for (const root of ['src', 'lib', '.']) {
    const entries = await listTree(tree, root);
    for (const entry of entries) {
      if (!entry.isDirectory() || NOT_PROJECTS.has(entry.name)) continue;
      const inside = await listTree(tree, `${root}/${entry.name}`);
      if (inside.some(({ name }) => name === '__init__.py')) found.push(entry.name);
    }
    if (found.length > 0) break;
  }
  return found;
}
