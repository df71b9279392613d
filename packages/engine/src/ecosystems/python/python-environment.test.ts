import assert from 'node:assert/strict';
import { access, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import type { PreparedEnvironment } from '../ecosystem.ts';
import { countingListener, EnvironmentFixture } from '../environment.fixture.ts';
import { buildPythonEnvironment } from './build-python-environment.ts';
import { restorePythonEnvironment } from './restore-python-environment.ts';

const T0 = '2023-06-15T12:00:00Z';
const PYTHON = '/opt/env/bin/python';
const DEMO = {
  'pyproject.toml': `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"
[project]
name = "demo-pkg"
version = "1.2.3"
requires-python = ">=3.7"
dependencies = ["attrs"]
[project.optional-dependencies]
tests = ["pytest<8"]
[project.scripts]
demo-cli = "demo_pkg:main"
`,
  'src/demo_pkg/__init__.py': 'import attr\ndef main():\n    print("attrs", attr.__version__)\n',
  'README.md': 'old',
  'tests/test_demo.py': 'import demo_pkg\ndef test_it():\n    assert demo_pkg.main() is None\n',
};

const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('Python environments', { timeout: 600_000 }, () => {
  let fixture: EnvironmentFixture;
  before(async () => {
    fixture = await EnvironmentFixture.make();
  });
  after(() => fixture.dispose());

  describe('of a small project', () => {
    let tree: string;
    let environment: PreparedEnvironment;
    before(async () => {
      tree = await fixture.tree('demo', DEMO);
      environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    });

    test('holds what the index had at the begin of the month', () => {
      const { spec } = environment;
      assert.equal(spec.resolution, 'date');
      assert.equal(spec.cutoff, '2023-06-01T00:00:00.000Z');
      assert.deepEqual(spec.excluded, ['demo-pkg']);
      assert.ok(spec.pins.includes('attrs==23.1.0'), spec.pins.join(' '));
      assert.ok(spec.pins.includes('pytest==7.3.1'), spec.pins.join(' '));
      assert.ok(!spec.pins.some((pin) => pin.startsWith('demo-pkg')));
    });

    test('runs the tree, its tests and its commands, without a network', async () => {
      const suite = await fixture.runIn(environment, tree, [
        PYTHON,
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        'tests',
      ]);
      assert.equal(suite.exitCode, 0, suite.stdout + suite.stderr);
      const command = await fixture.runIn(environment, tree, ['demo-cli']);
      assert.equal(command.stdout, 'attrs 23.1.0\n');
      const metadata = await fixture.runIn(environment, tree, [
        PYTHON,
        '-c',
        'import demo_pkg, attr, sys; print(demo_pkg.__file__, sys.prefix, sys.base_prefix)',
      ]);
      assert.equal(metadata.stdout, '/workspace/src/demo_pkg/__init__.py /opt/env /opt/python\n');
    });

    test('shows nothing that the host installed for its interpreter', async () => {
      const listing = await fixture.runIn(environment, tree, [
        '/bin/sh',
        '-c',
        'ls -A /opt/python/lib/python3.*/site-packages /usr/lib/python3/dist-packages 2>/dev/null; true',
      ]);
      assert.doesNotMatch(listing.stdout, /pip|setuptools/);
    });

    test('lets an agent change a dependency only where the layer is writable, and only for itself', async () => {
      const script = "import attr; open(attr.__file__, 'a').write('\\nmarked = 1\\n')";
      assert.notEqual((await fixture.runIn(environment, tree, [PYTHON, '-c', script])).exitCode, 0);
      const check = `${script}; import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'import attr; print(attr.marked)'], stdout=-1).stdout)`;
      assert.match((await fixture.runIn(environment, tree, [PYTHON, '-c', check], true)).stdout, /1/);
      assert.notEqual(
        (await fixture.runIn(environment, tree, [PYTHON, '-c', 'import attr; attr.marked'], true)).exitCode,
        0,
      );
    });

    test('is built once, also for another commit of the month', async () => {
      const sandboxes = fixture.created.length;
      const other = await fixture.tree('demo-later', {
        ...DEMO,
        'src/demo_pkg/__init__.py': `${DEMO['src/demo_pkg/__init__.py']}# more\n`,
        'README.md': 'new\n',
      });
      const again = await buildPythonEnvironment(fixture.request(other, 'pytest', '2023-06-20T00:00:00Z'));
      assert.deepEqual(again.spec, environment.spec);
      assert.equal(fixture.created.length, sandboxes);
    });

    test('is made again from the files of a bundle, without any network', async () => {
      const bundleDirectory = await fixture.bundle(environment, 'bundle');
      const cacheDirectory = join(fixture.directory, 'other-cache');
      const sandboxes = fixture.created.length;
      const restored = await restorePythonEnvironment({
        spec: environment.spec,
        bundleDirectory,
        provider: fixture.provider,
        cacheDirectory,
      });
      assert.ok(fixture.created.length > sandboxes);
      assert.ok(fixture.created.slice(sandboxes).every(({ network }) => network?.kind === 'none'));
      assert.deepEqual(await readdir(cacheDirectory), ['layers'], 'no tool was fetched');
      assert.deepEqual(restored.spec.pins, environment.spec.pins);
      assert.equal((await fixture.runIn(restored, tree, ['demo-cli'])).stdout, 'attrs 23.1.0\n');
      const frozen = await fixture.runIn(restored, tree, [
        PYTHON,
        '-c',
        'from importlib.metadata import distributions as d; print(sorted(x.metadata["Name"].lower().replace("_", "-") + "==" + x.version for x in d()))',
      ]);
      for (const pin of environment.spec.pins)
        assert.ok(frozen.stdout.includes(`'${pin}'`), `${pin} in ${frozen.stdout}`);
    });

    test('refuses a bundle whose lock or wheels differ from its task', async () => {
      const bundleDirectory = await fixture.bundle(environment, 'altered');
      const common = {
        bundleDirectory,
        provider: fixture.provider,
        cacheDirectory: join(fixture.directory, 'third-cache'),
      };
      const failed = (error: unknown): boolean => AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED';
      await assert.rejects(
        restorePythonEnvironment({ ...common, spec: { ...environment.spec, pins: ['other==1'] } }),
        failed,
      );
      const wheel = [...environment.bundleFiles.keys()].find((path) => path.includes('attrs'));
      await writeFile(join(bundleDirectory, wheel ?? ''), 'something else');
      await assert.rejects(restorePythonEnvironment({ ...common, spec: environment.spec }), failed);
    });
  });

  test('a project that its own test tools depend on stands in for its releases', async () => {
    // pytest depends on iniconfig.
    const tree = await fixture.tree('iniconfig', {
      'setup.py': 'from setuptools import setup\nsetup(name="iniconfig", version="0.1", py_modules=["iniconfig"])\n',
      'iniconfig.py': 'ours = True\n',
      'test_it.py': 'def test_it(): pass\n',
    });
    const environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    assert.ok(!environment.spec.pins.some((pin) => pin.startsWith('iniconfig')), environment.spec.pins.join(' '));
    assert.ok(environment.spec.pins.some((pin) => pin.startsWith('pytest==7')));
    const found = await fixture.runIn(environment, tree, [
      PYTHON,
      '-c',
      'import iniconfig; print(iniconfig.ours, iniconfig.__file__)',
    ]);
    assert.equal(found.stdout, 'True /workspace/iniconfig.py\n');
  });

  test('the members of a workspace of uv are installed together, with what their tests need', async () => {
    const member = (name: string, more: string): string =>
      `[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "ws-${name}"\nversion = "1.0"\n${more}`;
    const tree = await fixture.tree('workspace', {
      'pyproject.toml':
        '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/left"]\n[dependency-groups]\ntest = ["pytest<8", "ws-alpha"]\n',
      'packages/alpha/pyproject.toml': member(
        'alpha',
        'dependencies = ["ws-beta>=1"]\n[tool.uv.sources]\nws-beta = { workspace = true }\n',
      ),
      'packages/alpha/src/ws_alpha/__init__.py': 'from ws_beta import answer\n',
      'packages/alpha/tests/test_alpha.py': 'import ws_alpha\n',
      'packages/beta/pyproject.toml': member('beta', 'dependencies = []\n[dependency-groups]\ndev = ["attrs"]\n'),
      'packages/beta/ws_beta/__init__.py': 'import attr\nanswer = attr.__version__\n',
      'packages/left/pyproject.toml': member('left', 'dependencies = ["no-such-distribution"]\n'),
    });
    const environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    assert.deepEqual(environment.spec.excluded, ['ws-alpha', 'ws-beta']);
    assert.ok(environment.spec.pins.includes('pytest==7.3.1'), environment.spec.pins.join(' '));
    const script =
      'import ws_alpha, ws_beta, importlib.metadata as m; print(ws_alpha.answer, m.version("ws-beta"), ws_beta.__file__)';
    const found = await fixture.runIn(environment, tree, [PYTHON, '-c', script]);
    assert.equal(found.stdout, '23.1.0 1.0 /workspace/packages/beta/ws_beta/__init__.py\n', found.stderr);
  });

  test('a version from git tags and the module that states it are made up neutrally', async () => {
    const tree = await fixture.tree('tagged', {
      'pyproject.toml': `[build-system]
requires = ["setuptools>=61", "setuptools_scm"]
build-backend = "setuptools.build_meta"
[project]
name = "tagged-demo"
dynamic = ["version"]
[tool.setuptools_scm]
write_to = "src/tagged_demo/_version.py"
`,
      'src/tagged_demo/__init__.py': 'from tagged_demo._version import version\n',
      'tests/test_it.py': '',
    });
    const environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    const found = await fixture.runIn(environment, tree, [
      PYTHON,
      '-c',
      'import tagged_demo, importlib.metadata as m; print(tagged_demo.version, m.version("tagged-demo"), tagged_demo.__file__)',
    ]);
    assert.equal(found.stdout, '9999.0 9999.0 /workspace/src/tagged_demo/__init__.py\n', found.stderr);
  });

  test('a setup.py that reaches out or writes elsewhere gets nowhere', async (context) => {
    const listener = await countingListener();
    context.after(() => listener.close());
    const elsewhere = join(fixture.directory, 'elsewhere');
    await mkdir(elsewhere);
    const attack = `import os, socket
def attempt(what):
    try:
        what()
    except OSError:
        pass
def connect():
    socket.create_connection(("127.0.0.1", ${listener.port}), 5).close()
def write(path):
    def go():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write("owned")
    return go
attempt(connect)
for path in (${JSON.stringify(join(elsewhere, 'mark'))}, "/opt/tree/mark", "/opt/python/lib/mark", "/usr/lib/mark", "/etc/mark"):
    attempt(write(path))
`;
    const tree = await fixture.tree('hostile', {
      'setup.py': `${attack}from setuptools import setup\nsetup(name="hostile-demo", version="1", py_modules=["hostile"])\n`,
      'hostile.py': '',
      'test_it.py': '',
    });
    await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    assert.equal(listener.connections(), 0);
    assert.equal(await pathExists(join(elsewhere, 'mark')), false);
    assert.deepEqual((await readdir(tree)).sort(), ['hostile.py', 'setup.py', 'test_it.py']);
    for (const path of ['/usr/lib/mark', '/etc/mark']) assert.equal(await pathExists(path), false);

    const control = attack.replace(/, "\/opt\/tree.*\):/, ',):');
    assert.equal((await runCommand(['/usr/bin/env', 'python3', '-c', control])).exitCode, 0);
    assert.equal(listener.connections(), 1, 'control: outside, the same code connects');
    assert.equal(await readFile(join(elsewhere, 'mark'), 'utf8'), 'owned', 'control: outside, the same code writes');
  });

  test('a project that cannot do without its extension module is compiled', async () => {
    const tree = await fixture.tree('compiled', {
      'setup.py':
        'from setuptools import Extension, setup\nsetup(name="compiled-demo", version="1", packages=["compiled"], ext_modules=[Extension("compiled._fast", ["compiled/_fast.c"])])\n',
      'compiled/__init__.py': 'from ._fast import answer\n',
      'compiled/_fast.c': `#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", 0, -1, methods};
PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&module); }
`,
      'test_it.py': '',
    });
    const environment = await buildPythonEnvironment(fixture.request(tree, 'pytest', T0));
    const script = 'import compiled; print(compiled.answer(), compiled.__file__)';
    const found = await fixture.runIn(environment, tree, [PYTHON, '-c', script]);
    assert.equal(found.stdout, '42 /workspace/compiled/__init__.py\n', found.stderr);
    assert.deepEqual(
      ['compiled/_fast.c', 'compiled/__init__.py'].map((path) => environment.compiledFrom?.test(path)),
      [true, false],
    );
  });

  test('what cannot be built says why, and says so again from the cache', async () => {
    const failing = { 'setup.py': 'raise SystemExit("needs the moon")\n', 'test_it.py': '' };
    const tree = await fixture.tree('failing', failing);
    const failed = (error: unknown): boolean =>
      AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED' && error.message.includes('needs the moon');
    await assert.rejects(buildPythonEnvironment(fixture.request(tree, 'pytest', T0)), failed);
    const sandboxes = fixture.created.length;
    await assert.rejects(buildPythonEnvironment(fixture.request(tree, 'pytest', T0)), failed);
    assert.equal(fixture.created.length, sandboxes);
  });
});
