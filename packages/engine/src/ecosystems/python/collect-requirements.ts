import { listTree, readTreeText } from '../tree-files.ts';
import { readLockfilePins } from './lockfile-pins.ts';
import { poetryRequirement } from './poetry-requirement.ts';
import { normalizeName } from './project-names.ts';
import { isTable, toolTable, type PythonManifests } from './read-manifests.ts';
import {
  addLine,
  isPinned,
  merge,
  readRequirements,
  requirementName,
  type RequirementsFile,
} from './read-requirements.ts';

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
const DEV_NAME = /^(dev|develop|development|devel)$/;
/** Development tools that no test imports; they cost time and conflict with each other. */
const NOT_FOR_TESTS = new Set([
  'tox',
  'nox',
  'pre-commit',
  'black',
  'isort',
  'flake8',
  'ruff',
  'pylint',
  'mypy',
  'pyright',
  'twine',
  'build',
  'bump2version',
  'bumpversion',
  'towncrier',
  'sphinx',
  'mkdocs',
  'mkdocs-material',
  'codecov',
  'coveralls',
  'commitizen',
  'python-semantic-release',
  'wheel',
  'pip',
  'check-manifest',
  'tox-uv',
  'pre-commit-uv',
  'poetry',
  'hatch',
  'pdm',
  'uv',
  'ipython',
  'ipdb',
  'watchdog',
  'bandit',
  'safety',
  'pyupgrade',
]);

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
  groups(manifests, TEST_NAME, forTests);
  await addTox(manifests, forTests, (path) => addFile(forTests, path));
  for (const path of await requirementFiles(tree, /(^|[-_./])(tests?|testing)([-_.]|$)/)) await addFile(forTests, path);
  addTestsRequire(manifests, forTests);
  const offered = offeredExtras(manifests);
  let extras = [...offered.filter((extra) => TEST_NAME.test(extra)), ...forTests.projectExtras];
  if (forTests.requirements.length === 0 && extras.length === 0) {
    const forDevelopment = empty();
    groups(manifests, DEV_NAME, forDevelopment);
    for (const path of await requirementFiles(tree, /(^|[-_./])(dev|development)([-_.]|$)/))
      await addFile(forDevelopment, path);
    forDevelopment.requirements = forDevelopment.requirements.filter(
      (requirement) => !NOT_FOR_TESTS.has(requirementName(requirement)),
    );
    merge(forTests, forDevelopment);
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

const empty = (): RequirementsFile => ({ requirements: [], constraints: [], projectExtras: [], skipped: [] });

/** Adds the dependency groups of PEP 735, poetry, pdm, hatch and uv whose names match. */
function groups(manifests: PythonManifests, name: RegExp, into: RequirementsFile): void {
  const { pyproject } = manifests;
  const standard = pyproject['dependency-groups'] ?? {};
  for (const group of Object.keys(standard))
    if (name.test(normalizeName(group))) addGroup(standard, group, into, new Set());
  const poetryGroups = toolTable(pyproject, 'poetry', 'group');
  for (const group of Object.keys(poetryGroups)) {
    if (name.test(normalizeName(group)))
      addPoetry(toolTable(pyproject, 'poetry', 'group', group, 'dependencies'), into);
  }
  // Before it had groups, poetry had one list for everything.
  if (name.test('dev') || Object.keys(poetryGroups).length === 0)
    addPoetry(toolTable(pyproject, 'poetry', 'dev-dependencies'), into, NOT_FOR_TESTS);
  for (const [group, lines] of Object.entries(toolTable(pyproject, 'pdm', 'dev-dependencies')))
    if (name.test(normalizeName(group))) addLines(lines, into);
  for (const [environment, table] of Object.entries(toolTable(pyproject, 'hatch', 'envs'))) {
    if (!isTable(table) || !(name.test(environment.replace(/^hatch-/, '')) || environment === 'default')) continue;
    addLines(table['dependencies'], into);
    addLines(table['extra-dependencies'], into);
  }
  if (name.test('dev')) addLines(toolTable(pyproject, 'uv')['dev-dependencies'], into);
}

function addGroup(all: Record<string, unknown[]>, group: string, into: RequirementsFile, seen: Set<string>): void {
  if (seen.has(group)) return;
  seen.add(group);
  for (const member of all[group] ?? []) {
    if (typeof member === 'string') addLine(into, member.trim());
    else if (isTable(member) && typeof member['include-group'] === 'string') {
      const wanted = normalizeName(member['include-group']);
      const target = Object.keys(all).find((key) => normalizeName(key) === wanted);
      if (target !== undefined) addGroup(all, target, into, seen);
    }
  }
}

function addPoetry(
  table: Record<string, unknown>,
  into: RequirementsFile,
  without: ReadonlySet<string> = new Set(),
): void {
  for (const [name, value] of Object.entries(table)) {
    const requirement = name === 'python' || without.has(normalizeName(name)) ? null : poetryRequirement(name, value);
    if (requirement !== null) addLine(into, requirement);
  }
}

function addLines(lines: unknown, into: RequirementsFile): void {
  if (!Array.isArray(lines)) return;
  for (const line of lines) if (typeof line === 'string') addLine(into, line.trim());
}

/** Adds `deps` and `extras` of tox's plain `[testenv]`. Ignores lines for single environments (`py37: …`). */
async function addTox(
  manifests: PythonManifests,
  into: RequirementsFile,
  addFile: (path: string) => Promise<void>,
): Promise<void> {
  const section = manifests.tox.get('testenv') ?? manifests.setupCfg.get('tox:testenv');
  for (const raw of (section?.get('deps') ?? '').split('\n')) {
    const line = raw.replaceAll('{toxinidir}/', '').replaceAll('{tox_root}/', '').trim();
    const file = /^-r\s*(\S+)$/.exec(line)?.[1];
    if (line === '' || line.includes('{') || /^[\w!,-]+:\s/.test(line)) continue;
    if (file !== undefined && !file.startsWith('/') && !file.includes('..')) await addFile(file);
    else addLine(into, line);
  }
  for (const extra of (section?.get('extras') ?? '').split(/[\s,]+/))
    if (/^[\w.-]+$/.test(extra)) into.projectExtras.push(extra);
  const group = toolTable(manifests.pyproject, 'tox', 'env_run_base')['dependency_groups'];
  const standard = manifests.pyproject['dependency-groups'] ?? {};
  if (Array.isArray(group))
    for (const name of group) if (typeof name === 'string') addGroup(standard, name, into, new Set());
}

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
  for (const directory of ['.', 'requirements', 'requirements.d', 'tests', 'test']) {
    const entries = await listTree(tree, directory);
    for (const entry of entries) {
      const path = directory === '.' ? entry.name : `${directory}/${entry.name}`;
      const stem = path.replace(/\.(txt|in)$/, '');
      if (entry.isFile() && stem !== path && path.includes('require') && name.test(`${stem}.`)) found.push(path);
    }
  }
  return found.filter((path) => !path.endsWith('.in') || !found.includes(path.replace(/\.in$/, '.txt'))).sort();
}
