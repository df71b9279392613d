import { listTree } from '../tree-files.ts';
import { readManifests, toolTable, type PythonManifests } from './read-manifests.ts';

/** Normalises a name as PEP 503 says. */
export function normalizeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[-_.]+/g, '-');
}

/**
 * Lists every name under which a tree's manifests publish it. If there are none, guesses from the names of its
 * packages, rather too many than too few.
 */
export async function pythonProjectNames(tree: string): Promise<string[]> {
  const declared = declaredNames(await readManifests(tree));
  const names = declared.length > 0 ? declared : await packageNames(tree);
  return [...new Set(names.map(normalizeName))].filter((name) => name !== '').sort();
}

export function declaredNames(manifests: PythonManifests): string[] {
  const { pyproject, setupCfg, setupPy } = manifests;
  const flit = toolTable(pyproject, 'flit', 'metadata');
  const candidates = [
    pyproject.project?.name,
    toolTable(pyproject, 'poetry')['name'],
    flit['dist-name'] ?? flit['module'],
    setupCfg.get('metadata')?.get('name'),
    ...[...setupPy.matchAll(/\bname\s*=\s*(['"])([\w.-]+)\1/g)].map((match) => match[2]),
    /^[ \t]*(?:NAME|PACKAGE_NAME|name)[ \t]*=[ \t]*(['"])([\w.-]+)\1/m.exec(setupPy)?.[2],
  ];
  return candidates.filter((name): name is string => typeof name === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(name));
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
