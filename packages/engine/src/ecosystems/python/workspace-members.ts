import { join, posix } from 'node:path';
import picomatch from 'picomatch';
import { listTree } from '../tree-files.ts';
import { declaredNames, normalizeName } from './declared-names.ts';
import { isTable, readManifests, toolTable, type PythonManifests } from './read-manifests.ts';

/** A project of a repository that lies below the root. */
export interface WorkspaceMember {
  /** Relative to the tree. */
  directory: string;
  /** Normalised. */
  name: string;
  manifests: PythonManifests;
}

const MOST = 40;
const DEPTH = 3;
const NOT_MEMBERS = /(?:^|\/)(?:\..*|node_modules|docs?|examples?|tests?|benchmarks?|templates?|scripts?)(?:\/|$)/;

/**
 * Finds the projects that are installed together with the root: members of uv's workspace, and what uv and poetry take
 * from a path of the repository. A root that is no project and names
 * none has every project below it. What a link takes out
 * of the tree is none.
 */
export async function workspaceMembers(tree: string, manifests: PythonManifests): Promise<WorkspaceMember[]> {
  const directories = new Set<string>(await namedByUv(tree, manifests));
  const isNamed = directories.size > 0;
  for (const path of pathSources(manifests)) directories.add(path);
  if (!isNamed && !isProject(manifests)) for (const path of await projectsBelow(tree, '', DEPTH)) directories.add(path);
  const found: WorkspaceMember[] = [];
  for (const directory of [...directories].sort().slice(0, MOST)) {
    // A listing is empty, too, for a directory that a link takes out of the tree.
    if (!hasManifest((await listTree(tree, directory)).map(({ name }) => name))) continue;
    const own = await readManifests(join(tree, directory));
    const [name] = declaredNames(own).map(normalizeName);
    if (name !== undefined && !found.some((each) => each.name === name))
      found.push({ directory, name, manifests: own });
  }
  return found;
}

/** Whether the manifests of a directory describe something to install, and not tools alone. */
export const isProject = (manifests: PythonManifests): boolean =>
  declaredNames(manifests).length > 0 || manifests.root.includes('setup.py');

const hasManifest = (names: readonly string[]): boolean =>
  ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) => names.includes(name));

async function namedByUv(tree: string, { pyproject }: PythonManifests): Promise<string[]> {
  const { members, exclude } = toolTable(pyproject, 'uv', 'workspace');
  const without = picomatch(strings(exclude).map(cleaned));
  const found: string[] = [];
  for (const pattern of strings(members).map(cleaned))
    for (const directory of await matching(tree, pattern)) if (!without(directory)) found.push(directory);
  return found;
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

const cleaned = (path: string): string => posix.normalize(path).replace(/\/$/, '');

async function matching(tree: string, pattern: string): Promise<string[]> {
  if (pattern.startsWith('..') || posix.isAbsolute(pattern)) return [];
  if (!/[*?{[]/.test(pattern)) return pattern === '.' ? [] : [pattern];
  const matches = picomatch(pattern);
  const depth = pattern.includes('**') ? DEPTH : pattern.split('/').length;
  const found: string[] = [];
  const visit = async (directory: string, left: number): Promise<void> => {
    for (const entry of await listTree(tree, directory === '' ? '.' : directory)) {
      if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (matches(path)) found.push(path);
      if (left > 1) await visit(path, left - 1);
    }
  };
  await visit('', depth);
  return found;
}

/** Paths below the root in `[tool.uv.sources]` and in poetry's dependencies. */
function pathSources({ pyproject }: PythonManifests): string[] {
  const groups = Object.keys(toolTable(pyproject, 'poetry', 'group'));
  const tables = [
    toolTable(pyproject, 'uv', 'sources'),
    toolTable(pyproject, 'poetry', 'dependencies'),
    toolTable(pyproject, 'poetry', 'dev-dependencies'),
    ...groups.map((group) => toolTable(pyproject, 'poetry', 'group', group, 'dependencies')),
  ];
  return tables
    .flatMap(Object.values)
    .flatMap((value) => (isTable(value) && typeof value['path'] === 'string' ? [cleaned(value['path'])] : []))
    .filter((path) => path !== '.' && !path.startsWith('..') && !posix.isAbsolute(path));
}

async function projectsBelow(tree: string, directory: string, depth: number): Promise<string[]> {
  const entries = await listTree(tree, directory === '' ? '.' : directory);
  if (directory !== '' && hasManifest(entries.map(({ name }) => name))) return [directory];
  const found: string[] = [];
  for (const entry of entries) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory() && depth > 0 && !NOT_MEMBERS.test(path))
      found.push(...(await projectsBelow(tree, path, depth - 1)));
  }
  return found;
}
