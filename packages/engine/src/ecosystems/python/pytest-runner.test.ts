import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { runnerConformance, withRun, type RunnerSubject } from '../runner-conformance.ts';
import { splitConformance } from '../split-conformance.ts';
import { PYTEST_ATTACKS, PYTEST_EMPTY, PYTEST_HANG, PYTEST_SUITE } from './pytest-scenarios.ts';
import { launchPytest } from './runner/launch-pytest.ts';
import { PYTEST_SPLIT } from './split-scenarios.ts';

interface Version {
  python: string;
  pytest: string;
}
const USUAL: Version = { python: 'python3', pytest: '8.3.5' };
/** Versions far apart, for work on the runner. */
const ALL: Version[] = [
  USUAL,
  { python: 'python3.6', pytest: '4.6.11' },
  { python: 'python3.8', pytest: '6.2.5' },
  { python: 'python3.9', pytest: '7.4.4' },
  { python: 'python3.12', pytest: '9.0.0' },
  { python: 'python3.13', pytest: '8.4.2' },
];

for (const version of process.env['ASSAY_TEST_ALL_RUNNERS'] ? ALL : [USUAL]) {
  const python = version.python === 'python3' ? 'python3' : findPython(version.python);
  describe(
    `${version.python}, pytest ${version.pytest}`,
    { skip: python === undefined && 'no such interpreter here' },
    () => {
      testVersion({ ...version, name: version.python, python: python ?? '' });
    },
  );
}

function findPython(name: string): string | undefined {
  const series = name.replace('python', '');
  return globSync([join(homedir(), `.pyenv/versions/${series}.*/bin/${name}`), `/usr/bin/${name}`])
    .sort()
    .at(-1);
}

function testVersion({ name, python, pytest }: Version & { name: string }): void {
  let installed: Promise<string> | undefined;
  let place = '';
  const home = (): Promise<string> => (installed ??= install());
  after(() => rm(place, { recursive: true, force: true }));

  async function install(): Promise<string> {
    place = await mkdtemp(join(tmpdir(), 'assay-pytest-'));
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value && /^(PATH|HOME|LANG|PIP_.*|PYENV_.*|.*_PROXY|.*_proxy|SSL_.*)$/.test(name) ? [[name, value]] : [],
      ),
    );
    await succeed([python, '-m', 'venv', join(place, 'env')], env);
    await succeed(
      [
        join(place, 'env', 'bin', 'python'),
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        `pytest==${pytest}`,
      ],
      env,
    );
    return place;
  }

  const subject: RunnerSubject = {
    command: { ecosystem: 'python', runner: 'pytest' },
    launch: launchPytest,
    home,
    env: () => ({ PATH: `${place}/env/bin:/usr/bin:/bin`, ASSAY_PYTHON: `${place}/env/bin/python` }),
    suite: PYTEST_SUITE,
    empty: PYTEST_EMPTY,
    hang: PYTEST_HANG,
    attacks: PYTEST_ATTACKS,
  };
  runnerConformance(subject);
  if (name !== 'python3.6') splitConformance({ ...subject, ...PYTEST_SPLIT });
  pytestOnly(subject);
}

function pytestOnly(subject: RunnerSubject): void {
  test('addopts that name plugins which are not installed, and options that would stop early', async () => {
    const files = {
      'setup.cfg':
        '[tool:pytest]\naddopts = -q -x -n 4 --dist loadfile --cov src --cov-report html --reruns 3 --unknown value -p not_there --lf --mine -m "not slow" -p no:xdist\nmarkers =\n    slow: slow\nrequired_plugins = pytest-cov\n',
      'conftest.py': 'def pytest_addoption(parser):\n    parser.addoption("--mine", action="store_true")\n',
      'src/__init__.py': '',
      'test_a.py':
        'import pytest\ndef test_fails():\n    assert False\ndef test_mine(request):\n    assert request.config.getoption("--mine")\n@pytest.mark.slow\ndef test_slow():\n    pass\n',
    };
    await withRun(subject, { files, run: ['test_a.py'] }, ({ report, exec }) => {
      assert.deepEqual(report.problems, [], exec.stderr);
      assert.deepEqual(statuses(report.results), {
        'test_a.py::test_fails': 'failed',
        'test_a.py::test_mine': 'passed',
      });
    });
  });

  test('modules of the repository never stand in for the standard library or pytest', async () => {
    const shadow = 'raise SystemExit("shadow")\n';
    const names = [
      'json.py',
      'unittest/__init__.py',
      'pytest.py',
      '_pytest/__init__.py',
      'pluggy.py',
      'ast.py',
      'ctypes.py',
      'fcntl.py',
      'assay_session.py',
      'tempfile.py',
      'sitecustomize.py',
      'usercustomize.py',
    ];
    const files = Object.fromEntries(names.map((name) => [name, shadow]));
    const test_a =
      'import json, unittest, tempfile, ast, subprocess\ndef test_loads():\n    assert json.loads("1") == 1\ndef test_raises(tmp_path, monkeypatch, capsys, caplog):\n    import pytest\n    with pytest.raises(ValueError):\n        raise ValueError\n';
    await withRun(subject, { files: { ...files, 'test_a.py': test_a }, run: ['test_a.py'] }, ({ report, exec }) => {
      assert.deepEqual(
        statuses(report.results),
        { 'test_a.py::test_loads': 'passed', 'test_a.py::test_raises': 'passed' },
        exec.stderr,
      );
    });
  });

  test('an egg-info in the repository registers no plugin', async () => {
    const files = {
      'evil.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: evil\nVersion: 1\n',
      'evil.egg-info/entry_points.txt': '[pytest11]\nevil = evil\n',
      'evil.py': 'def pytest_runtest_makereport(item, call):\n    raise RuntimeError("the plugin is loaded")\n',
      'test_a.py': 'def test_ok(pytestconfig):\n    assert not pytestconfig.pluginmanager.has_plugin("evil")\n',
    };
    await withRun(subject, { files, run: ['test_a.py'] }, ({ report, exec }) => {
      assert.deepEqual(statuses(report.results), { 'test_a.py::test_ok': 'passed' }, exec.stderr);
    });
  });

  test('bytecode of the repository is not run', async () => {
    const files = {
      'lib.py': 'value = 1\n',
      'test_a.py': 'import lib\ndef test_ok():\n    assert lib.value == 1\n',
      // Compiles other code into the cache, where unchecked-hash bytecode counts as fresh.
      'test_0_plant.py':
        'import importlib.util, py_compile, pathlib, sys\ndef test_plant(tmp_path):\n    other = tmp_path / "lib.py"\n    other.write_text("value = 2\\n")\n    here = pathlib.Path(__file__).parent\n    cache = here / "__pycache__" / ("lib.%s.pyc" % sys.implementation.cache_tag)\n    cache.parent.mkdir(exist_ok=True)\n    options = {"invalidation_mode": py_compile.PycInvalidationMode.UNCHECKED_HASH} if sys.version_info >= (3, 7) else {}\n    py_compile.compile(str(other), cfile=str(cache), dfile="lib.py", doraise=True, **options)\n    assert cache.exists()\n    sys.modules.pop("lib", None)\n    import lib\n    assert lib.value == 1\n',
    };
    await withRun(subject, { files, run: ['test_0_plant.py', 'test_a.py'] }, ({ report, exec }) => {
      assert.deepEqual(
        statuses(report.results),
        { 'test_0_plant.py::test_plant': 'passed', 'test_a.py::test_ok': 'passed' },
        exec.stderr,
      );
    });
  });

  test(
    'a child of the tests can neither inherit the channel nor open it through /proc',
    { skip: !existsSync('/usr/bin/setpriv') },
    async () => {
      // Without capabilities, as in a sandbox: root would see everything.
      const confined: RunnerSubject = {
        ...subject,
        launch: (request, place) => {
          const launch = subject.launch(request, place);
          const drop = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
          return { ...launch, argv: [...drop, ...launch.argv] };
        },
      };
      const files = {
        // Finding out where a descriptor leads takes the same right as opening it.
        'child.py':
          'import os, sys\nfound = set()\nfor fd in range(3, 1024):\n    for where in ("self", sys.argv[1]):\n        try:\n            os.readlink("/proc/%s/fd/%d" % (where, fd))\n            found.add(where)\n        except OSError:\n            pass\nprint(",".join(found))\n',
        'test_a.py':
          'import ctypes, os, subprocess, sys\ndef look():\n    return subprocess.check_output([sys.executable, "child.py", str(os.getpid())]).decode().strip()\ndef test_hidden():\n    assert look() == ""\ndef test_control():\n    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n    assert look() == str(os.getpid())\n',
      };
      await withRun(confined, { files, run: ['test_a.py'] }, ({ report, exec }) => {
        assert.deepEqual(
          statuses(report.results),
          { 'test_a.py::test_hidden': 'passed', 'test_a.py::test_control': 'passed' },
          exec.stderr,
        );
      });
    },
  );

  test('what forgers do and tests seldom need is a signal', async () => {
    const forger = `import gc, sys, unittest\nimport _pytest.python\n_pytest.python.Function.runtest = lambda self: None\nunittest.TestCase.assertEqual = lambda *a: None\ngc.get_objects()\nsys._getframe()\nopen("test_a.py").close()\ndef f():\n    pass\nf.__code__ = (lambda: 1).__code__\n`;
    const usual = `import collections, logging, inspect, warnings\nPoint = collections.namedtuple("Point", "x y")\nlogging.getLogger("x").warning("seen")\nwarnings.warn("old")\nopen("data.txt").close()\nopen(__file__).close()\n`;
    const test_a = 'import lib\ndef test_ok(monkeypatch):\n    monkeypatch.setattr("builtins.len", lambda each: 1)\n';
    for (const [lib, signals] of [
      [usual, []],
      [
        forger,
        [
          'Function.runtest was replaced',
          'TestCase.assertEqual was replaced',
          'code of the repository opens a test file',
          'code of the repository sets __code__',
          'code of the repository uses gc.get_objects',
          'code of the repository uses sys._getframe',
        ],
      ],
    ] as const)
      await withRun(
        subject,
        { files: { 'lib.py': lib, 'data.txt': '', 'test_a.py': test_a }, run: ['test_a.py'] },
        ({ report, exec }) => {
          assert.deepEqual(statuses(report.results), { 'test_a.py::test_ok': 'passed' }, exec.stderr);
          assert.deepEqual(report.signals.toSorted(), [...signals]);
        },
      );
  });

  test('of a file, the tests that are asked for and no others, with all of their parameters', async () => {
    const asking: RunnerSubject = {
      ...subject,
      launch: (request, place) =>
        subject.launch({ ...request, only: ['test_a.py::test_each[a::b]', 'test_a.py::TestA::test_x #2'] }, place),
    };
    const test_a =
      'import pytest\n@pytest.mark.parametrize("text", ["a::b", "c"])\ndef test_each(text):\n    assert text\ndef test_each_of():\n    pass\nclass TestA:\n    def test_x(self):\n        pass\n    def test_y(self):\n        assert False\n';
    await withRun(asking, { files: { 'test_a.py': test_a }, run: ['test_a.py'] }, ({ report, exec }) => {
      assert.deepEqual(report.problems, [], exec.stderr);
      const ids = ['test_a.py::TestA::test_x', 'test_a.py::test_each[a::b]', 'test_a.py::test_each[c]'];
      assert.deepEqual(statuses(report.results), Object.fromEntries(ids.map((id) => [id, 'passed'])));
    });
  });

  test('every file that is asked for is missing', async () => {
    await withRun(subject, { files: {}, run: ['test_gone.py'] }, ({ report }) => {
      assert.deepEqual(report.problems, []);
      assert.deepEqual(report.uncollected, ['test_gone.py']);
    });
  });
}

function statuses(results: ReadonlyMap<string, { status: string }>): Record<string, string> {
  return Object.fromEntries([...results].map(([id, { status }]) => [id, status]));
}

async function succeed(argv: string[], env: Record<string, string>): Promise<void> {
  const result = await runCommand(argv, { env });
  assert.equal(result.exitCode, 0, `${argv.join(' ')}\n${result.stderr}`);
}
