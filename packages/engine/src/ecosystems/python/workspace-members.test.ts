import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readManifests } from './read-manifests.ts';
import { workspaceMembers } from './workspace-members.ts';
import { workspaceRequirements } from './workspace-requirements.ts';

type Files = Record<string, string>;

async function withTree<T>(files: Files, use: (tree: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-members-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, 'tree', path)), { recursive: true });
      await writeFile(join(directory, 'tree', path), text);
    }
    return await use(join(directory, 'tree'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const named = (name: string, more = ''): string => `[project]\nname = "${name}"\n${more}`;
const namesOf = async (tree: string): Promise<string[]> =>
  (await workspaceMembers(tree, await readManifests(tree))).map(({ directory, name }) => `${directory} ${name}`);

const CASES: [title: string, files: Files, members: string[]][] = [
  ['a project alone', { 'pyproject.toml': named('a'), 'sub/pyproject.toml': named('b') }, []],
  [
    'members of uv, less what it excludes',
    {
      'pyproject.toml': named('a', '[tool.uv.workspace]\nmembers = ["libs/*", "app"]\nexclude = ["libs/old"]\n'),
      'libs/b/pyproject.toml': named('B_b'),
      'libs/old/pyproject.toml': named('old'),
      'libs/empty/README': '',
      'app/setup.py': 'setup(name="app")',
    },
    ['app app', 'libs/b b-b'],
  ],
  [
    'paths that uv and poetry take packages from',
    {
      'pyproject.toml':
        '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\nb = {path = "./b", develop = true}\nout = {path = "../out"}\n[tool.poetry.group.dev.dependencies]\nc = {path = "plugins/c"}\n[tool.uv.sources]\nd = {path = "d"}\n',
      'b/pyproject.toml': '[tool.poetry]\nname = "b"\n',
      'plugins/c/pyproject.toml': '[tool.poetry]\nname = "c"\n',
      'd/setup.cfg': '[metadata]\nname = d\n',
    },
    ['b b', 'd d', 'plugins/c c'],
  ],
  [
    'projects below a root that has tools alone',
    {
      'pyproject.toml': '[tool.ruff]\nline-length = 100\n',
      'libs/core/pyproject.toml': named('core'),
      'libs/core/inner/pyproject.toml': named('inner'),
      'examples/x/pyproject.toml': named('x'),
    },
    ['libs/core core'],
  ],
];

for (const [title, files, members] of CASES)
  test(`workspaceMembers: ${title}`, async () => {
    assert.deepEqual(await withTree(files, namesOf), members);
  });

test('a member that a link takes out of the repository is none', async () => {
  const files = { 'pyproject.toml': '[tool.uv.workspace]\nmembers = ["packages/*", "linked"]\n' };
  await withTree(files, async (tree) => {
    const outside = join(tree, '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'pyproject.toml'), named('outside'));
    await mkdir(join(tree, 'packages'));
    await symlink(outside, join(tree, 'packages', 'linked'));
    await symlink(outside, join(tree, 'linked'));
    assert.deepEqual(await namesOf(tree), []);
  });
});

test('a workspace requires what each of its members does, and pins on which its lockfiles agree', async () => {
  const lock = (version: string): string =>
    `[[package]]\nname = "x"\nversion = "${version}"\n[[package]]\nname = "y"\nversion = "1"\n`;
  const files = {
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["a", "b"]\n[dependency-groups]\ndev = ["pytest-cov", "b"]\n',
    'a/pyproject.toml': named('a', 'dependencies = ["flask"]\n[project.optional-dependencies]\ntest = ["mock"]\n'),
    'a/poetry.lock': lock('1'),
    'b/pyproject.toml': `[build-system]\nrequires = []\n${named('b', 'dependencies = ["django"]\n[dependency-groups]\ntests = ["hypothesis", {include-group = "more"}]\nmore = ["respx"]\n')}`,
    'b/poetry.lock': lock('2'),
  };
  await withTree(files, async (tree) => {
    const manifests = await readManifests(tree);
    const members = await workspaceMembers(tree, manifests);
    const found = await workspaceRequirements({ tree, manifests, name: 'root', members, projectNames: ['a', 'b'] });
    assert.deepEqual(found, {
      requirements: ['flask', 'hypothesis', 'mock', 'pytest', 'pytest-cov', 'respx'],
      constraints: ['y==1'],
      extras: { root: [], a: ['test'], b: [] },
      locked: true,
    });
  });
});
