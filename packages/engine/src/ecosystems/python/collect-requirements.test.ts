import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { collectRequirements, type TestRequirements } from './collect-requirements.ts';
import { importsSetuptools } from './imports-setuptools.ts';
import { poetryVersions } from './poetry-requirement.ts';
import { pythonProjectNames } from './project-names.ts';
import { pythonTestCommand } from './python-test-command.ts';
import { readManifests } from './read-manifests.ts';

type Files = Record<string, string>;

async function withTree<T>(files: Files, use: (tree: string) => Promise<T>): Promise<T> {
  const tree = await mkdtemp(join(tmpdir(), 'assay-requirements-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    return await use(tree);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

const collect = (files: Files): Promise<TestRequirements> =>
  withTree(files, async (tree) => collectRequirements(tree, await readManifests(tree), await pythonProjectNames(tree)));

const CASES: Array<[title: string, files: Files, expected: Partial<TestRequirements>]> = [
  ['nothing but pytest', { 'setup.py': 'setup(name="a")' }, { requirements: ['pytest'], extras: [], locked: false }],
  [
    'extras',
    {
      'pyproject.toml':
        '[project]\nname="a"\n[project.optional-dependencies]\ntests=["x"]\ndocs=["sphinx"]\ndev=["a[tests]"]\n',
    },
    { requirements: ['pytest'], extras: ['tests'] },
  ],
  [
    'extras of setup.py',
    {
      'setup.py': "EXTRAS = {\n 'tests': ['pytz'],\n}\nEXTRAS['dev'] = []\nsetup(name='a')",
      'tox.ini': '[testenv]\nextras = tests,reco\n',
    },
    { extras: ['reco', 'tests'] },
  ],
  [
    'a file at the root that names test tools, without the others in it',
    {
      'setup.py': 'setup(name="a")',
      'requirements.txt': 'pytest-asyncio>=0.2\nattrs\nblack==20.8\ntox\n-e .[http]\n',
      'docs/requirements.txt': 'sphinx\n',
    },
    { requirements: ['attrs', 'pytest', 'pytest-asyncio>=0.2'], extras: ['http'] },
  ],
  [
    'one that names none',
    { 'setup.py': 'setup(name="a")', 'requirements.txt': 'attrs\nrequests\n' },
    { requirements: ['pytest'] },
  ],
  [
    'a file for CI that names nose and includes another',
    {
      'setup.py': 'setup(name="a")',
      'ci/requirements.in': '-r ../requirements.txt\nnose\n',
      'requirements.txt': 'attrs\n',
    },
    { requirements: ['attrs', 'nose', 'pytest'] },
  ],
  [
    'environments of tox that are named for tests',
    {
      'setup.py': 'setup(name="a")',
      'tox.ini':
        '[testenv:py{39,310}]\ndeps =\n  six\n  tests: attrs\n  docs: sphinx\nextras = http\n[testenv:lint]\ndeps = black\n[testenv:unit-tests]\ndeps = -rother.txt\n',
      'other.txt': 'idna\n',
    },
    { requirements: ['attrs', 'idna', 'pytest', 'six'], extras: ['http'] },
  ],
  [
    'the tables of tox',
    {
      'pyproject.toml':
        '[project]\nname="a"\n[tool.tox.env_run_base]\ndeps=["six"]\nextras=["http"]\n[tool.tox.env.unit]\ndeps=["attrs"]\n[tool.tox.env.docs]\ndeps=["sphinx"]\n',
    },
    { requirements: ['attrs', 'pytest', 'six'], extras: ['http'] },
  ],
  [
    'tox.ini inside of pyproject.toml',
    { 'pyproject.toml': '[project]\nname="a"\n[tool.tox]\nlegacy_tox_ini = "[testenv]\\ndeps = six\\n"\n' },
    { requirements: ['pytest', 'six'] },
  ],
  [
    'sessions of nox that are named for tests',
    {
      'setup.py': 'setup(name="a")',
      'pyproject.toml': '[project]\nname="a"\n[dependency-groups]\nmore=["idna"]\n',
      'noxfile.py':
        'import nox\n\n@nox.session\ndef tests(session):\n    session.install("-r", "reqs.txt", ".[http]")\n    session.install("six", f"x=={session.python}")\n    session.run_install("uv", "sync", "--group", "more", "--extra=tls")\n    session.run("pytest", "tests", *session.posargs)\n\n@nox.session\ndef lint(session):\n    session.install("black")\n',
      'reqs.txt': 'attrs\n',
    },
    { requirements: ['attrs', 'idna', 'pytest', 'six'], extras: ['http', 'tls'] },
  ],
  [
    'an environment of hatch with features',
    {
      'pyproject.toml':
        '[project]\nname="a"\n[tool.hatch.envs.default]\nfeatures=["http"]\ndependencies=["six"]\n[tool.hatch.envs.lint]\ndependencies=["black"]\n',
    },
    { requirements: ['pytest', 'six'], extras: ['http'] },
  ],
  [
    'groups with includes',
    {
      'pyproject.toml':
        '[project]\nname="a"\n[dependency-groups]\ntests=["pytest>=8", {include-group="more"}]\nmore=["attrs"]\ndev=["tox"]\n',
    },
    { requirements: ['attrs', 'pytest>=8'] },
  ],
  [
    'poetry',
    {
      'pyproject.toml':
        '[tool.poetry]\nname="a"\n[tool.poetry.group.test.dependencies]\npytest="^7.2"\nmock={version="~4.0", python="<3.8"}\nlocal={path="../x"}\n',
    },
    { requirements: ["mock>=4.0,<4.1 ; (python_full_version < '3.8')", 'pytest>=7.2,<8'] },
  ],
  [
    'tox',
    {
      'tox.ini': '[testenv]\ndeps =\n    pytest\n    py27: mock\n    -r{toxinidir}/req/t.txt\n    coverage # why\n',
      'req/t.txt': 'attrs>=19\n',
    },
    { requirements: ['attrs>=19', 'coverage', 'pytest'], locked: false },
  ],
  [
    'pinned file',
    {
      'setup.py': 'setup(name="a")',
      'requirements/tests.txt': 'attrs==19.3.0 \\\n    --hash=sha256:00\npytest==5.4.3  # via x\na==1.0\n',
      'requirements/tests.in': 'pytest',
    },
    { requirements: ['attrs==19.3.0', 'pytest==5.4.3'], constraints: ['attrs==19.3.0', 'pytest==5.4.3'], locked: true },
  ],
  [
    'includes stay in the tree',
    {
      'test-requirements.txt': '-r ../../etc/passwd\n-r base.txt\n-e .[x]\ngit+https://example.org/a.git\nmock\n',
      'base.txt': 'six\n-r test-requirements.txt\n',
    },
    { requirements: ['mock', 'pytest', 'six'], extras: ['x'] },
  ],
  [
    'development only when there is nothing for tests',
    { 'requirements-dev.txt': 'pytest\ntox\nblack\nmock\n' },
    { requirements: ['mock', 'pytest'] },
  ],
  [
    'uv.lock',
    {
      'uv.lock':
        'version = 1\n[[package]]\nname = "pytest"\nversion = "8.3.5"\nsource = { registry = "x" }\n[[package]]\nname = "a"\nversion = "1"\nsource = { editable = "." }\n[[package]]\nname = "two"\nversion = "1"\n[[package]]\nname = "two"\nversion = "2"\n',
    },
    { requirements: ['pytest'], constraints: ['pytest==8.3.5'], locked: true },
  ],
];

for (const [title, files, expected] of CASES) {
  test(`collectRequirements: ${title}`, async () => {
    const found = await collect(files);
    for (const [key, value] of Object.entries(expected))
      assert.deepEqual(found[key as keyof TestRequirements], value, key);
  });
}

test('poetryVersions', () => {
  const cases: Record<string, string> = {
    '^1.2.3': '>=1.2.3,<2',
    '^0.2.3': '>=0.2.3,<0.3',
    '^0.0.3': '>=0.0.3,<0.0.4',
    '~1.2': '>=1.2,<1.3',
    '~1': '>=1,<2',
    '*': '',
    '>=1,<3': '>=1,<3',
    '1.2': '==1.2',
    '~=1.4': '~=1.4',
  };
  for (const [given, expected] of Object.entries(cases)) assert.equal(poetryVersions(given), expected, given);
});

test('pythonProjectNames reads each manifest, and guesses from packages otherwise', async () => {
  const names = (files: Files): Promise<string[]> => withTree(files, pythonProjectNames);
  assert.deepEqual(await names({ 'pyproject.toml': '[project]\nname = "My.Pkg"\n' }), ['my-pkg']);
  assert.deepEqual(await names({ 'setup.cfg': '[metadata]\nname = my_pkg\n', 'setup.py': 'setup(name="old-name")' }), [
    'my-pkg',
    'old-name',
  ]);
  assert.deepEqual(await names({ 'pyproject.toml': '[tool.flit.metadata]\nmodule = "mod"\n' }), ['mod']);
  assert.deepEqual(await names({ 'src/thing/__init__.py': '', 'tests/__init__.py': '' }), ['thing']);
  assert.deepEqual(await names({ 'pyproject.toml': 'this is = not [toml' }), []);
});

test('importsSetuptools looks at code and tests alone', async () => {
  const found = (files: Files): Promise<boolean> => withTree(files, (tree) => importsSetuptools(tree));
  assert.equal(await found({ 'src/a/b/c.py': 'def f():\n    import pkg_resources\n' }), true);
  assert.equal(await found({ 'tests/test_a.py': 'from setuptools import Distribution\n' }), true);
  assert.equal(
    await found({
      'setup.py': 'from setuptools import setup\n',
      'docs/conf.py': 'import pkg_resources\n',
      'a.py': '# import setuptools\nimport setuptools_scm\n',
    }),
    false,
  );
});

test('pythonTestCommand needs tests', async () => {
  const runner = (files: Files): Promise<string | undefined> =>
    withTree(files, async (tree) => (await pythonTestCommand(tree))?.runner);
  assert.equal(await runner({ 'tests/test_a.py': '' }), 'pytest');
  assert.equal(await runner({ 'src/a/b/tests/test_a.py': '' }), 'pytest');
  assert.equal(await runner({ 'test_a.py': '' }), 'pytest');
  assert.equal(
    await runner({ 'docs/test_a.py': '', 'src/a.py': '', 'tests/conftest.py': '', 'package.json': '{}' }),
    undefined,
  );
});
