import {
  claims,
  MARKER,
  type AttackName,
  type AttackScenario,
  type Scenario,
  type SuiteScenario,
} from '../runner-conformance.ts';

const STATUSES = `import unittest
import pytest

def test_passes():
    print("text of a test")

def test_fails():
    assert 1 == 2

@pytest.mark.skip(reason="not now")
def test_skipped():
    pass

def test_skips_itself():
    pytest.skip("not now")

@pytest.mark.xfail
def test_xfails():
    assert False

@pytest.mark.xfail
def test_xpasses():
    pass

@pytest.mark.xfail(strict=True)
def test_xpasses_strictly():
    pass

@pytest.fixture
def broken():
    raise ValueError("set-up")

def test_set_up(broken):
    pass

@pytest.fixture
def breaks_later():
    yield
    raise ValueError("tear-down")

def test_tear_down(breaks_later):
    pass

def test_exits():
    raise SystemExit(0)

class TestOuter:
    class TestInner:
        def test_deep(self):
            pass

class TestUnit(unittest.TestCase):
    def test_subtests(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)

    @unittest.expectedFailure
    def test_expected_failure(self):
        self.fail()

    @unittest.skip("not now")
    def test_skip(self):
        pass

    def test_raises_skip(self):
        raise unittest.SkipTest("not now")

@pytest.mark.parametrize("value", ["a b", "[x]", "é", "a::b", "x\\ny", ""])
def test_odd(value):
    pass

@pytest.mark.parametrize("value", ["same", "same"], ids=["one", "two"])
def test_ids(value):
    pass
`;

export const PYTEST_SUITE: SuiteScenario = {
  files: {
    'tests/test_statuses.py': STATUSES,
    'tests/test_bad_import.py': 'import no_such_module\ndef test_never():\n    pass\n',
    'tests/test_bad_syntax.py': 'def test_never(:\n',
    'tests/test_skipped_module.py':
      'import pytest\npytest.skip("all of it", allow_module_level=True)\ndef test_never():\n    pass\n',
    'tests/test_retry.py':
      'import pytest\nruns = []\n@pytest.mark.flaky(reruns=3, retries=3)\ndef test_second_time():\n    runs.append(1)\n    assert len(runs) > 1\n',
  },
  run: [
    'tests/test_bad_import.py',
    'tests/test_bad_syntax.py',
    'tests/test_statuses.py',
    'tests/test_skipped_module.py',
    'tests/test_retry.py',
    'tests/test_missing.py',
  ],
  results: {
    'tests/test_statuses.py::test_passes': 'passed',
    'tests/test_statuses.py::test_fails': 'failed',
    'tests/test_statuses.py::test_skipped': 'skipped',
    'tests/test_statuses.py::test_skips_itself': 'skipped',
    'tests/test_statuses.py::test_xfails': 'xfailed',
    'tests/test_statuses.py::test_xpasses': 'xpassed',
    'tests/test_statuses.py::test_xpasses_strictly': 'failed',
    'tests/test_statuses.py::test_set_up': 'error',
    'tests/test_statuses.py::test_tear_down': 'error',
    'tests/test_statuses.py::test_exits': 'failed',
    'tests/test_statuses.py::TestOuter::TestInner::test_deep': 'passed',
    'tests/test_statuses.py::TestUnit::test_subtests': 'failed',
    'tests/test_statuses.py::TestUnit::test_expected_failure': 'xfailed',
    'tests/test_statuses.py::TestUnit::test_skip': 'skipped',
    'tests/test_statuses.py::TestUnit::test_raises_skip': 'skipped',
    'tests/test_statuses.py::test_odd[a b]': 'passed',
    'tests/test_statuses.py::test_odd[[x]]': 'passed',
    'tests/test_statuses.py::test_odd[\\xe9]': 'passed',
    'tests/test_statuses.py::test_odd[a::b]': 'passed',
    'tests/test_statuses.py::test_odd[x\\ny]': 'passed',
    'tests/test_statuses.py::test_odd[]': 'passed',
    'tests/test_statuses.py::test_ids[one]': 'passed',
    'tests/test_statuses.py::test_ids[two]': 'passed',
    'tests/test_retry.py::test_second_time': 'failed',
  },
  uncollected: ['tests/test_bad_import.py', 'tests/test_bad_syntax.py', 'tests/test_missing.py'],
};

export const PYTEST_EMPTY: Scenario = { files: { 'test_empty.py': 'value = 1\n' }, run: ['test_empty.py'] };
export const PYTEST_HANG: Scenario = {
  files: { 'test_hang.py': 'import time\ndef test_hangs():\n    time.sleep(600)\n' },
  run: ['test_hang.py'],
};

const VICTIM = 'tests/test_lib.py::test_victim';
const HONEST_TEST = 'import lib\n\ndef test_victim():\n    assert lib.answer() == 42\n';

function attack(lib: string, foolsLog: boolean, more: Record<string, string> = {}): AttackScenario {
  return {
    files: { 'lib.py': lib, 'tests/test_lib.py': HONEST_TEST, ...more },
    run: ['tests/test_lib.py'],
    victim: VICTIM,
    foolsLog,
  };
}

const WRONG = '\ndef answer():\n    return 41\n';
const CLAIMS = JSON.stringify(claims(VICTIM));

export const PYTEST_ATTACKS: Record<AttackName, AttackScenario> = {
  'exit-on-load': attack(`import os\nos._exit(0)\n`, true),
  'exit-in-test': attack(`import os\ndef answer():\n    os._exit(0)\n`, true),
  'exit-at-end': attack(`import atexit, os\natexit.register(os._exit, 0)\n${WRONG}`, false),
  prints: attack(
    `import os, sys\ntext = ${CLAIMS}\nprint(text)\nsys.__stdout__.write(text)\nsys.__stderr__.write(text)\nos.write(1, text.encode())\nos.write(2, text.encode())\nos._exit(0)\n`,
    true,
  ),
  descriptors: attack(
    `import glob, os\ntext = ${CLAIMS}.encode()\nfor fd in range(1, 1024):\n    try:\n        os.write(fd, text)\n    except OSError:\n        pass\nfor path in glob.glob("/proc/self/fd/*"):\n    try:\n        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)\n        os.write(fd, text)\n    except OSError:\n        pass\n${WRONG}`,
    true,
  ),
  'patched-globals': attack(
    `import builtins, json, os\nreal = os.write\nos.write = lambda fd, data: real(fd, data.replace(b"failed", b"passed"))\njson.dumps = lambda *a, **k: '{"status": "passed"}'\njson.JSONEncoder.encode = lambda *a: "{}"\njson.encoder.encode_basestring_ascii = lambda text: '"passed"' if text == "failed" else '"%s"' % text\nbuiltins.print = lambda *a, **k: None\n${WRONG}`,
    false,
  ),
  environment: {
    ...attack(WRONG, false, {
      'evil.py': `open("${MARKER}", "w").close()\nimport _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n`,
      'sitecustomize.py': 'import evil\n',
      'usercustomize.py': 'import evil\n',
    }),
    env: {
      PYTEST_ADDOPTS: '-p evil --collect-only',
      PYTEST_PLUGINS: 'evil',
      PYTHONPATH: '.',
      PYTHONSTARTUP: 'evil.py',
      PYTHONBREAKPOINT: 'evil',
      PYTHONWARNINGS: 'error::evil.Evil',
    },
  },
};
