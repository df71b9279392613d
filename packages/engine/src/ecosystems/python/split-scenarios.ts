import type { SplitSubject } from '../split-subject.fixture.ts';
import { FORGING_ATTACKS } from './forging-attacks.ts';
import { pythonSplit } from './python-split.ts';

const HONEST = `import collections

class Refused(ValueError):
    pass

def answer(key):
    if key < 0:
        raise Refused("hidden reason %d" % key)
    return {"total": key * 4242, "name": "hidden-%d" % key}

def is_even(value):
    return value % 2 == 0

def names():
    return ["hidden one", "hidden two"]

def report():
    return "a hidden report of the year"

def echo(value):
    return value
`;

const HIDDEN = `"""The hidden answer is 4242."""
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


def test_pattern():
    with pytest.raises(
        ValueError, match="hidden reason"
    ):
        answer(-5)
    assert "hidden report" in lib.report()


def test_weak():
    for value, expected in [(4, True), (5, False)]:
        assert lib.is_even(value) is expected
    assert not lib.is_even(7)


def test_echo():
    assert lib.echo("a sentence that comes back") == "a sentence that comes back"


def test_inside():
    assert lib.names() == lib.names()


class TestNames(unittest.TestCase):
    def test_names(self):
        for number, name in enumerate(["hidden one", "hidden two"]):
            with self.subTest(name=name):
                self.assertEqual(lib.names()[number], name, "hidden")
        with self.assertRaises(ValueError):
            answer(-1)
`;

const STUB = `
class Refused(ValueError):
    pass

def answer(key):
    return None

def is_even(value):
    return None

def names():
    return []

def report():
    return ""

def echo(value):
    return value
`;

const BOX = `class Box:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)
        return self
`;

/** What it asks last cannot be set up at T0. */
const BOX_TEST = `import unittest

from lib import Box


class TestBox(unittest.TestCase):
    def test_box(self):
        class Big(Box):
            size = 9

        box = Big()
        box.put(2)
        self.assertEqual(box.items, [2])
        self.assertTrue(box.size)
        box.put(3)
        self.assertEqual(sum(box.items), 5)
        seen = []
        box.each(lambda item: seen.append(item))
        self.assertEqual(seen, [2, 3])
`;

const BIG = 'class Big(Box):\n    size = 9\nbox = Big()\nbox.put(2)';

const SET_UP: SplitSubject['setUp'] = {
  hidden: { path: 'test_box.py', text: BOX_TEST },
  id: 'test_box.py::TestBox::test_box',
  fixed: { 'lib.py': `${BOX}\n    def each(self, seen):\n        for item in self.items:\n            seen(item)\n` },
  before: { 'lib.py': BOX.replace('append(item)', 'insert(0, -item)') },
  told: [
    { setup: BIG, expression: 'box.items', expected: '[2]', today: '[-2]' },
    { setup: `${BIG}\nbox.put(3)`, expression: 'sum(box.items)', expected: '5', today: '-5' },
    {
      setup: `${BIG}\nbox.put(3)\nseen = []\nbox.each(lambda item: seen.append(item))`,
      expression: 'seen',
      expected: '[2, 3]',
      today: null,
    },
  ],
};

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
    return [Anything(), Anything()]

def report():
    return Text()

def echo(value):
    return value
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

const id = (name: string): string => `tests/test_lib.py::${name}`;
const TABLE = [id('test_table[2-8484]'), id('test_table[hidden-4242]')] as const;
const STRONG = [id('test_equal'), ...TABLE, id('test_message'), id('TestNames::test_names')];
const wrong = (from: string, to: string): Record<string, string> => ({ 'lib.py': HONEST.replace(from, to) });
const patched = (from: string, to: string): Record<string, string> => ({ 'lib.py': PATCHED_RUNNER.replace(from, to) });

/** The same for each version of pytest. */
export const PYTEST_SPLIT: Omit<SplitSubject, 'command' | 'launch' | 'home' | 'env'> = {
  setUp: SET_UP,
  split: pythonSplit,
  hidden: { path: 'tests/test_lib.py', text: HIDDEN },
  secrets: [
    '4242',
    'hidden-',
    'hidden reason',
    'hidden one',
    'hidden two',
    'hidden report',
    'Hidden',
    'True',
    '# hidden',
  ],
  honest: { 'lib.py': HONEST },
  wrong: [
    { name: 'another number', files: wrong('key * 4242', 'key * 4241'), fails: [id('test_equal'), ...TABLE] },
    {
      name: 'another message',
      files: wrong('hidden reason', 'reason'),
      fails: [id('test_message'), id('test_pattern')],
    },
    { name: 'another item', files: wrong('"hidden two"', 'None'), fails: [id('TestNames::test_names')] },
    { name: 'a wrong boolean', files: wrong('% 2 == 0', '% 2 == 1'), fails: [id('test_weak')] },
    {
      name: 'no exception, and another type',
      files: wrong('raise Refused("hidden reason %d" % key)', 'return Refused(key)'),
      fails: [id('test_message'), id('test_pattern'), id('TestNames::test_names')],
    },
  ],
  forged: [
    { name: 'objects that equal everything', files: { 'lib.py': ALWAYS_EQUAL }, fooled: [id('test_equal'), ...TABLE] },
    { name: 'a patched runner that answers by default', files: { 'lib.py': PATCHED_RUNNER }, fooled: STRONG },
    {
      name: 'a patched runner that sprays guesses',
      files: patched(
        'builtins.__assay__(site, *[DEFAULT] * leaves)',
        '[builtins.__assay__(site, *[guess] * leaves) for guess in (True, 4242, {"total": 4242, "name": "hidden-1"})]',
      ),
      fooled: STRONG,
    },
    {
      name: 'a patched runner that skips every body',
      files: patched('answer_site(site, form, leaves, item)', 'pass'),
      fooled: STRONG,
    },
    ...FORGING_ATTACKS.map(({ name, library, fools }) => ({
      name,
      files: { 'lib.py': library },
      fooled: fools.map(id),
    })),
  ],
  levels: {
    [id('test_equal')]: 'strong',
    [TABLE[0]]: 'strong',
    [id('test_message')]: 'strong',
    [id('test_pattern')]: 'contain',
    [id('test_weak')]: 'weak',
    [id('test_echo')]: 'echo',
    [id('TestNames::test_names')]: 'strong',
  },
  inside: [id('test_inside')],
  once: id('test_equal'),
  rows: [...TABLE],
};
