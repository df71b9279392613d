"""One pytest session over the repository, reported through `emit`."""
import importlib
import os
import pkgutil
import re
import sys

import _pytest
import pytest
from _pytest.assertion import rewrite

from assay_addopts import AddoptsCleaner
from assay_channel import MAX_DETAIL, clean
from assay_entry_points import only_environment_plugins
from assay_records import Recorder

try:
    from assay_signals import watch
except (ImportError, AttributeError):  # A pytest that is laid out in another way.
    watch = None

# Plugins that run a test again, in another order or in another process, or that draw over the report.
UNWANTED_PLUGINS = (
    "cacheprovider rerunfailures flaky pytest_retry pytest-retry randomly random_order random-order reverse sugar"
).split()
# Markers of those plugins, which `--strict-markers` would refuse.
UNWANTED_MARKERS = ("flaky", "random_order")


def run_pytest(root, files, args, emit, observer=None, wants_signals=False, only=None):
    """
    The exit status for the process. `end` is emitted only when pytest itself came to the end of its session. `observer`: what
    stripped tests report to. `wants_signals`: says what code of the repository did that tests seldom need. `only`: ids of the tests to run.
    """
    import_all_of_pytest()
    forget_rewritten_tests(root)
    only_environment_plugins()
    # Last, so that nothing of the repository stands before the standard library or the environment.
    if root not in sys.path:
        sys.path.append(root)

    recorder = Recorder(emit, observer)
    emit("start", runner="pytest %s" % pytest.__version__)
    present = []
    for path in files:
        if os.path.exists(os.path.join(root, path)):
            present.append(path)
        else:
            emit("uncollected", file=path, detail="there is no such file")
    if files and not present:
        recorder.end()
        return 0

    guard = SessionGuard(recorder, emit, only)
    cleaner = AddoptsCleaner(root, args)
    sys.argv[:] = ["pytest"]
    signals = watch(root, files) if wants_signals and watch else list
    status = int(pytest.main(cleaner.args + own_arguments() + present, plugins=[guard, cleaner]))
    if guard.finished and status in (0, 1, 5):
        for text in signals():
            emit("signal", detail=text)
        recorder.end()
    return status


def own_arguments():
    """Command line that wins over the repository's `addopts`. The summary is for people."""
    arguments = ["--color=no", "-v", "-rfEpsxX", "--tb=short", "--maxfail=0", "--continue-on-collection-errors", "-o", "required_plugins="]
    for name in UNWANTED_PLUGINS:
        arguments += ["-p", "no:%s" % name]
    return arguments


def import_all_of_pytest():
    """So that none of its modules is looked for when the repository is on the path."""
    for module in pkgutil.walk_packages(_pytest.__path__, "_pytest."):
        try:
            importlib.import_module(module.name)
        except Exception:  # Parts for other systems.
            pass


def forget_rewritten_tests(root):
    """pytest would take a rewritten test from the repository's `__pycache__` if its size and time fit."""
    standard = rewrite._read_pyc

    def read_pyc(source, pyc, *rest, **keywords):
        if os.path.abspath(str(pyc)).startswith(root.rstrip("/") + "/"):
            return None
        return standard(source, pyc, *rest, **keywords)

    rewrite._read_pyc = read_pyc


class SessionGuard(object):
    """The plugin that sees what pytest reports."""

    def __init__(self, recorder, emit, only=None):
        self.finished = False
        self._only = None if only is None else {function_of(each) for each in only}
        self._uncollected = set()
        self._recorder = recorder
        self._emit = emit

    def pytest_configure(self, config):
        for marker in UNWANTED_MARKERS:
            config.addinivalue_line("markers", "%s: has no effect here" % marker)

    def pytest_collectreport(self, report):
        if not report.failed or report.nodeid in self._uncollected:
            return
        self._uncollected.add(report.nodeid)
        self._emit("uncollected", file=report.nodeid or ".", detail=clean(str(report.longrepr))[-MAX_DETAIL:])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if self._only is None:
            return
        others = [item for item in items if function_of(item.nodeid) not in self._only]
        if others:
            items[:] = [item for item in items if function_of(item.nodeid) in self._only]
            config.hook.pytest_deselected(items=others)

    def pytest_runtest_logstart(self, nodeid, location):
        self._recorder.start(nodeid)

    def pytest_runtest_logreport(self, report):
        self._recorder.report(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        self._recorder.finish(nodeid)

    def pytest_sessionfinish(self, session, exitstatus):
        self.finished = True


def function_of(test_id):
    """An id without the parameters of the test, and without its number among tests of one name."""
    start = max(test_id.find("::"), 0)
    bracket = test_id.find("[", start)
    return re.sub(r" #\d+$", "", test_id if bracket < 0 else test_id[:bracket])
