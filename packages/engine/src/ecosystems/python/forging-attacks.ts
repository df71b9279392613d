/** Text in front of an attack: a library that solves nothing. */
const STUB = `
class Refused(ValueError):
    pass

def answer(key):
    return None

def is_even(value):
    return None

def names():
    return [None, None]
`;

/** Calls \`answer_with\` for what the caller of each function expects. */
const ANSWERING = `
def answer(key):
    return answer_with(sys._getframe(1))

def names():
    return answer_with(sys._getframe(1))

def is_even(value):
    return None

class Refused(ValueError):
    pass
`;

const FOOLS = ['test_equal', 'test_message'];

interface ForgingAttack {
  name: string;
  /** A library that solves nothing. */
  library: string;
  /** Functions of tests that it makes pass, as long as they are compared in its process. */
  fools: string[];
}

/** Each by another part of the process; none fools a test that is compared outside. */
export const FORGING_ATTACKS: readonly ForgingAttack[] = [
  {
    name: 'reports that say passed',
    fools: FOOLS,
    library: `import _pytest.reports
_make = _pytest.reports.TestReport.from_item_and_call.__func__

def make(kind, item, call):
    report = _make(kind, item, call)
    report.outcome = "passed"
    report.longrepr = None
    return report

_pytest.reports.TestReport.from_item_and_call = classmethod(make)
${STUB}`,
  },
  {
    name: 'calls that swallow what is raised',
    fools: FOOLS,
    library: `import _pytest.runner
_call = _pytest.runner.CallInfo.from_call.__func__

def quiet(kind, function, *args, **kwargs):
    def run():
        try:
            function()
        except BaseException:
            pass
    return _call(kind, run, *args, **kwargs)

_pytest.runner.CallInfo.from_call = classmethod(quiet)
${STUB}`,
  },
  {
    name: 'a plug-in that wraps each test, registered by way of the garbage collector',
    fools: FOOLS,
    library: `import gc, pytest
from _pytest.config import Config

class Plugin:
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        report.outcome, report.longrepr = "passed", None

for each in gc.get_objects():
    if isinstance(each, Config):
        each.pluginmanager.register(Plugin())
        break
${STUB}`,
  },
  {
    name: 'a fixture that empties each test',
    fools: FOOLS,
    library: `import gc, pytest
from _pytest.main import Session

def empty(item):
    item.obj = lambda *args, **kwargs: None
    item.runtest = lambda: None

class Plugin:
    def pytest_runtest_setup(self, item):
        empty(item)

for each in gc.get_objects():
    if isinstance(each, Session):
        each.config.pluginmanager.register(Plugin())
        break
${STUB}`,
  },
  {
    name: 'a recorder that was found among the modules',
    fools: FOOLS,
    library: `import sys
recorder = sys.modules["assay_records"].Recorder
_report = recorder.report

def report(self, report):
    report.outcome, report.longrepr = "passed", None
    return _report(self, report)

recorder.report = report
${STUB}`,
  },
  {
    name: 'code of tests that is swapped for other code',
    fools: FOOLS,
    library: `import _pytest.python

def nothing(*args, **kwargs):
    pass

_generate = _pytest.python.PyCollector._genfunctions

def generate(self, name, function):
    if function.__code__.co_argcount == 0:
        function.__code__ = nothing.__code__
    return _generate(self, name, function)

_pytest.python.PyCollector._genfunctions = generate
${STUB}`,
  },
  {
    name: 'assertion methods that do nothing',
    fools: ['TestNames::test_names'],
    library: `import contextlib, unittest
for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, lambda self, *args, **kwargs: contextlib.nullcontext())
${STUB}`,
  },
  {
    name: 'what stands in the source of the caller',
    fools: ['test_equal'],
    library: `import ast, linecache, sys

def answer_with(frame):
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    read = {part.id for node in ast.walk(tree) if isinstance(node, ast.Assert) and node.lineno == frame.f_lineno
        for part in ast.walk(node) if isinstance(part, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.targets[0].id in read:
            return eval(compile(ast.Expression(node.value), "source", "eval"), frame.f_globals)
${ANSWERING}`,
  },
  {
    name: 'what the frame of the caller holds',
    fools: ['test_equal'],
    library: `import sys

def answer_with(frame):
    held = [value for value in [*frame.f_locals.values(), *frame.f_globals.values()] if isinstance(value, dict) and "total" in value]
    lists = [list(value) for value in frame.f_code.co_consts if isinstance(value, tuple) and len(value) == 2 and "hidden one" in value]
    return Candidates([*held, *lists])

class Candidates(list):
    def __eq__(self, other):
        return any(each == other for each in self)
    __hash__ = None
${ANSWERING}`,
  },
];
