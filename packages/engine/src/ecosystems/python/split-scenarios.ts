/** A library, hidden tests of it, and submissions that do not solve it. */
export const REFERENCE = `class Refused(ValueError):
    pass

def answer(key):
    if key < 0:
        raise Refused("hidden reason %d" % key)
    return {"total": key * 4242, "name": "hidden-%d" % key}

def is_even(value):
    return value % 2 == 0

def names():
    return ["hidden one", "hidden two"]
`;

export const TESTS = `"""The hidden answer is 4242."""
import unittest

import pytest

import lib
from lib import Refused, answer

FACTS = {"total": 4242 * 3, "name": "hidden-3"}  # hidden


def test_equal():
    """Hidden: 4242."""
    expected = {
        "total": 4242,
        "name": "hidden-1",
    }
    assert answer(1) == expected, "hidden 4242"
    assert answer(3) == FACTS


@pytest.mark.parametrize("key,total", [(2, 2 * 4242), pytest.param(5, 5 * 4242, id="hidden-4242")])
def test_table(key, total):
    assert answer(key)["total"] == total


def test_message():
    with pytest.raises(Refused) as caught:
        answer(-3)
    assert str(caught.value) == "hidden reason -3"


def test_weak():
    assert lib.is_even(4)


class TestNames(unittest.TestCase):
    def test_names(self):
        self.assertEqual(lib.names(), ["hidden one", "hidden two"])
        self.assertIn("hidden one", lib.names())
        with self.assertRaises(ValueError):
            answer(-1)
`;

/** Functions with a strong site. */
export const STRONG = ['test_equal', 'test_message', 'test_names', 'test_table'];

export const WRONG = [
  REFERENCE.replace('key * 4242', 'key * 4241'),
  REFERENCE.replace('hidden reason', 'reason'),
  REFERENCE.replace('"hidden two"', 'None'),
  REFERENCE.replace('% 2 == 0', '% 2 == 1'),
  REFERENCE.replace('raise Refused', 'return Refused'),
];

const STUB = `
class Refused(ValueError):
    pass

def answer(key):
    return None

def is_even(value):
    return None

def names():
    return None
`;

const ALWAYS_EQUAL = `
class Anything(dict):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __getitem__(self, name):
        return self
    def __contains__(self, other):
        return True
    def __bool__(self):
        return True
    def __hash__(self):
        return 0

class Refused(ValueError):
    def __str__(self):
        return Text()

class Text(str):
    def __eq__(self, other):
        return True
    __hash__ = str.__hash__

def answer(key):
    if key < 0:
        raise Refused()
    return Anything()

def is_even(value):
    return Anything()

def names():
    return Anything()
`;

/** Runs \`answer_sites\` for each test in place of its body: what is stripped of it is known from its source. */
const PATCHED_RUNNER = `import ast, builtins, inspect, textwrap
import _pytest.python, _pytest.unittest

def calls_of(item):
    tree = ast.parse(textwrap.dedent(inspect.getsource(item.function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.dump(node.func).count("'__assay__'") and node.args:
            if isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, getattr(node.func, "attr", "value"), len(node.args) - 1

def run(item):
    for site, form, leaves in calls_of(item):
        try:
            answer_site(site, form, leaves, item)
        except Exception:
            pass

def answer_site(site, form, leaves, item):
    if form == "value":
        builtins.__assay__(site, *[DEFAULT] * leaves)
    else:
        with getattr(builtins.__assay__, form)(site):
            raise ValueError("")

DEFAULT = True
_pytest.python.Function.runtest = run
_pytest.unittest.TestCaseFunction.runtest = run
${STUB}`;

/** Writes lines of its own where the observer writes. */
const WRITER = (line: string): string => `import glob, json, os, sys
import _pytest.python, _pytest.unittest

def places():
    for path in glob.glob("/proc/self/fd/*"):
        try:
            if os.readlink(path).endswith("observations.jsonl"):
                yield int(path.rsplit("/", 1)[1])
        except OSError:
            pass

def run(item):
    for place in places():
        ${line}

_pytest.python.Function.runtest = run
_pytest.unittest.TestCaseFunction.runtest = run
${STUB}`;

const emit = (test: string, site: string, value: string): string =>
  `os.write(place, ('[%s,%s,"value",[%s]]\\n' % (json.dumps(${test}), ${site}, ${value})).encode())`;

/** None solves the task. \`foolsNative\`: the same submission passes strong tests when they are compared inside. */
export const FORGERS: Record<string, { library: string; foolsNative: boolean }> = {
  'objects that equal everything': { library: ALWAYS_EQUAL, foolsNative: true },
  'a patched runner that answers by default': { library: PATCHED_RUNNER, foolsNative: true },
  'a patched runner that sprays guesses': {
    library: PATCHED_RUNNER.replace(
      'builtins.__assay__(site, *[DEFAULT] * leaves)',
      '[builtins.__assay__(site, *[guess] * leaves) for guess in (True, None, 0, "", 4242, {"total": 4242, "name": "hidden-1"})]',
    ),
    foolsNative: true,
  },
  'a patched runner that skips every body': {
    library: PATCHED_RUNNER.replace('answer_site(site, form, leaves, item)', 'pass'),
    foolsNative: true,
  },
  'an observer that is replaced': {
    library: `import builtins\nif hasattr(builtins, "__assay__"):\n    builtins.__assay__ = lambda *a: None\n${STUB}`,
    foolsNative: false,
  },
  'rows of another test': {
    library: WRITER(emit('item.nodeid.replace("x0]", "x1]")', '2', `'["i","52da"]'`)),
    foolsNative: true,
  },
};
