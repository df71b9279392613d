import { listTree, readTreeText } from '../tree-files.ts';
import { addGroups, NOT_FOR_TESTS } from './dependency-groups.ts';
import { readLockfilePins } from './lockfile-pins.ts';
import { normalizeName } from './declared-names.ts';
import { toolTable, type PythonManifests } from './read-manifests.ts';
import {
  addLine,
  isPinned,
  merge,
  readRequirements,
  requirementName,
  type RequirementsFile,
} from './read-requirements.ts';
import { addNox, addTox } from './tool-environments.ts';

/** Requirements of a tree's tests, beyond the project's own dependencies, which its built metadata names. */
export interface TestRequirements {
  /** PEP 508; never the project itself. */
  requirements: string[];
  /** Exact versions pinned at T0 by lockfiles and `-c` files. */
  constraints: string[];
  /** Extras of the project that hold test dependencies; the build ignores those that it does not offer. */
  extras: string[];
  /** Whether a file at T0 pins versions; if so, they win over dates. */
  locked: boolean;
}

const TEST_NAME = /^(tests?|testing|unit-?tests?|pytest|tests?-deps|ci-test|test-suite)$/;
/** Whoever installs these runs tests with them, whatever the file is called. */
const TEST_TOOLS = /^(?:pytest(?:-.*)?|nose2?|pynose|hypothesis|unittest2|testtools|parameterized|mock)$/;
const DEV_NAME = /^(dev|develop|development|devel)$/;
/** Reads the requirements from a tree's manifests, tox.ini and requirements files. `projectNames` are normalised. */
export async function collectRequirements(
  tree: string,
  manifests: PythonManifests,
  projectNames: string[],
): Promise<TestRequirements> {
  const read = async (path: string): Promise<string> => (await readTreeText(tree, path)) ?? '';
  const forTests = empty();
  const pins: string[] = [];
  const addFile = async (into: RequirementsFile, path: string): Promise<void> => {
    const file = await readRequirements(path, read);
    if (isPinned(file)) pins.push(...file.requirements);
    merge(into, file);
  };
  addGroups(manifests, TEST_NAME, forTests);
  await addTox(manifests, forTests, (path) => addFile(forTests, path));
  await addNox(await read('noxfile.py'), manifests, forTests, (path) => addFile(forTests, path));
  for (const path of await requirementFiles(tree, /(^|[-_./])(tests?|testing)([-_.]|$)/)) await addFile(forTests, path);
  addTestsRequire(manifests, forTests);
  const named = empty();
  for (const path of await requirementFiles(tree, /./)) {
    const { requirements } = await readRequirements(path, read);
    if (requirements.some((each) => TEST_TOOLS.test(requirementName(each)))) await addFile(named, path);
  }
  merge(forTests, withoutTools(named));
  const offered = offeredExtras(manifests);
  let extras = [...offered.filter((extra) => TEST_NAME.test(extra)), ...forTests.projectExtras];
  if (forTests.requirements.length === 0 && extras.length === 0) {
    const forDevelopment = empty();
    addGroups(manifests, DEV_NAME, forDevelopment);
    for (const path of await requirementFiles(tree, /(^|[-_./])(dev|development)([-_.]|$)/))
      await addFile(forDevelopment, path);
    merge(forTests, withoutTools(forDevelopment));
    extras = [...offered.filter((extra) => DEV_NAME.test(extra)), ...forDevelopment.projectExtras];
  }
  pins.push(...forTests.constraints, ...(await readLockfilePins(read)));
  const foreign = (requirement: string): boolean => !projectNames.includes(requirementName(requirement));
  const requirements = forTests.requirements.filter(foreign);
  if (!requirements.some((requirement) => requirementName(requirement) === 'pytest' && !requirement.includes(';')))
    requirements.push('pytest');
  return {
    requirements: [...new Set(requirements)].sort(),
    constraints: [...new Set(pins.filter(foreign))].sort(),
    extras: [...new Set(extras.map(normalizeName))].sort(),
    locked: pins.length > 0,
  };
}

const withoutTools = (file: RequirementsFile): RequirementsFile => ({
  ...file,
  requirements: file.requirements.filter((each) => !NOT_FOR_TESTS.has(requirementName(each))),
});

const empty = (): RequirementsFile => ({ requirements: [], constraints: [], projectExtras: [], skipped: [] });

function addTestsRequire(manifests: PythonManifests, into: RequirementsFile): void {
  const list = /tests_require\s*=\s*\[([^\]]*)\]/.exec(manifests.setupPy)?.[1] ?? '';
  for (const match of list.matchAll(/(['"])(.*?)\1/g)) if (match[2]) addLine(into, match[2]);
  for (const line of (manifests.setupCfg.get('options')?.get('tests_require') ?? '').split(/[\n;]/))
    if (line.trim() !== '') addLine(into, line.trim());
}

/**
 * Lists the extras that the manifests name. Those that only running setup.py would reveal are found by their usual
 * spelling.
 */
function offeredExtras(manifests: PythonManifests): string[] {
  const literal = [...manifests.setupPy.matchAll(/(['"])(tests?|testing|dev)\1\s*(?::|\]\s*=)/g)].map(
    (match) => match[2] ?? '',
  );
  return [
    ...Object.keys(manifests.pyproject.project?.['optional-dependencies'] ?? {}),
    ...Object.keys(toolTable(manifests.pyproject, 'poetry', 'extras')),
    ...Object.keys(toolTable(manifests.pyproject, 'flit', 'metadata', 'requires-extra')),
    ...(manifests.setupCfg.get('options.extras_require')?.keys() ?? []),
    ...literal,
  ].map(normalizeName);
}

/** Lists the requirements files whose names match, each `.txt` before the `.in` that it was made from. */
async function requirementFiles(tree: string, name: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const directory of ['.', 'requirements', 'requirements.d', 'tests', 'test', 'ci', '.ci', 'dev']) {
    const entries = await listTree(tree, directory);
    for (const entry of entries) {
      const path = directory === '.' ? entry.name : `${directory}/${entry.name}`;
      const stem = path.replace(/\.(txt|in)$/, '');
      if (entry.isFile() && stem !== path && path.includes('require') && name.test(`${stem}.`)) found.push(path);
    }
  }
  return found.filter((path) => !path.endsWith('.in') || !found.includes(path.replace(/\.in$/, '.txt'))).sort();
}
