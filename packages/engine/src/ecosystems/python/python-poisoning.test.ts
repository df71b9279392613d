import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EnvironmentFixture } from '../environment.fixture.ts';
import { buildPythonEnvironment } from './build-python-environment.ts';

const T0 = '2023-06-15T12:00:00Z';
/** Makes the project's build generate a module, and what fetches the wheels alter one of a dependency. */
const OWN = `import os
WAIT = '''
import atexit, glob, zipfile
def own():
    for wheel in glob.glob("/tmp/build/out/wheels/attrs-*.whl"):
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("attr/__init__.py", "owned = True\\\\n")
atexit.register(own)
'''
def own():
    os.makedirs("/tmp/build/pip", exist_ok=True)
    with open("/tmp/build/pip/sitecustomize.py", "w") as file:
        file.write(WAIT)
    with open("demo_pkg/generated.py", "w") as file:
        file.write("value = 'owned'\\n")
own()
`;
const PACKAGE = { 'demo_pkg/__init__.py': '', 'test_it.py': '' };

/** Equal in both repositories; `code` is the file that differs. */
const ATTACKS: Record<string, { shared: Record<string, string>; code: string }> = {
  'what setup.py imports': {
    shared: {
      ...PACKAGE,
      'setup.py': `import sys
sys.path.insert(0, ".")
import tools.own
from setuptools import setup
setup(name="demo-pkg", version="1", packages=["demo_pkg"], install_requires=["attrs"])
`,
    },
    code: 'tools/own.py',
  },
  'a build backend in the repository': {
    shared: {
      ...PACKAGE,
      'pyproject.toml': `[build-system]
requires = ["setuptools>=61"]
build-backend = "backend"
backend-path = ["tools"]
[project]
name = "demo-pkg"
version = "1"
dependencies = ["attrs"]
[tool.setuptools]
packages = ["demo_pkg"]
`,
      'tools/backend.py': 'import own\nfrom setuptools.build_meta import *\n',
    },
    code: 'tools/own.py',
  },
};

describe('a hostile Python repository and another one with equal manifests', { timeout: 600_000 }, () => {
  let fixture: EnvironmentFixture;
  before(async () => {
    fixture = await EnvironmentFixture.make();
  });
  after(() => fixture.dispose());

  for (const [index, [name, { shared, code }]] of Object.entries(ATTACKS).entries()) {
    test(`${name} changes nothing for the other one`, async () => {
      const answer = async (tree: string): Promise<string> => {
        const environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
        assert.ok(environment.spec.pins.includes('attrs==23.1.0'), environment.spec.pins.join(' '));
        const script = `import attr
try:
    from demo_pkg.generated import value
except ImportError:
    value = 'none'
print(value, getattr(attr, "owned", False))`;
        const argv = ['/opt/env/bin/python', '-c', script];
        return (await fixture.runIn(environment, tree, argv)).stdout.trim();
      };
      const hostile = await fixture.tree(`hostile-${index}`, { ...shared, [code]: OWN });
      assert.equal(await answer(hostile), 'owned False', 'its code runs, and reaches no wheel of an index');
      const victim = await fixture.tree(`victim-${index}`, { ...shared, [code]: '' });
      assert.equal(await answer(victim), 'none False');
    });
  }
});
