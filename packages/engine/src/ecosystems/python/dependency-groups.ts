import { poetryRequirement } from './poetry-requirement.ts';
import { normalizeName } from './declared-names.ts';
import { isTable, toolTable, type PythonManifests } from './read-manifests.ts';
import { addLine, type RequirementsFile } from './read-requirements.ts';

/** Development tools that no test imports; they cost time and conflict with each other. */
export const NOT_FOR_TESTS = new Set([
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

/** Adds the dependency groups of PEP 735, poetry, pdm, hatch and uv whose names match. */
export function addGroups(manifests: PythonManifests, name: RegExp, into: RequirementsFile): void {
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
    if (Array.isArray(table['features']))
      into.projectExtras.push(...table['features'].filter((each) => typeof each === 'string'));
  }
  if (name.test('dev')) addLines(toolTable(pyproject, 'uv')['dev-dependencies'], into);
}

export function addGroup(
  all: Record<string, unknown[]>,
  group: string,
  into: RequirementsFile,
  seen: Set<string>,
): void {
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

export function addLines(lines: unknown, into: RequirementsFile): void {
  if (!Array.isArray(lines)) return;
  for (const line of lines) if (typeof line === 'string') addLine(into, line.trim());
}
