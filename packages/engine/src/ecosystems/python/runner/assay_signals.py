"""
What code of the repository does that tests seldom need and forgers do: it looks into frames and the garbage collector, swaps code
objects, opens test files, patches the runner or the assertions. None of it proves anything; the reference's own run says what is usual.
"""
import builtins
import os
import sys
import unittest
import unittest.mock

import _pytest.assertion.util
import _pytest.python
import _pytest.reports
import _pytest.runner
import _pytest.unittest
import pluggy
import pytest

MAX_SIGNALS = 20
MAX_FRAMES = 40
WATCHED = {
    "gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile",
    "object.__setattr__", "open", "ctypes.dlopen",
}
SWAPPED = ("__code__", "__class__", "__bases__", "__defaults__")
PARTS = (
    (_pytest.python.Function, "runtest setup"), (_pytest.python, "pytest_pyfunc_call"), (_pytest.unittest.TestCaseFunction, "runtest"),
    (_pytest.runner, "call_and_report call_runtest_hook pytest_runtest_makereport pytest_runtest_protocol runtestprotocol"),
    (_pytest.runner.CallInfo, "from_call"), (_pytest.reports.TestReport, "from_item_and_call __init__"),
    (_pytest.assertion.util, "assertrepr_compare"), (pluggy.PluginManager, "_hookexec register"), (pytest, "raises approx fail"),
    (unittest.TestCase, "run fail assertEqual assertTrue assertFalse assertIn assertRaises assertIs assertIsNone assertIsInstance __call__"),
    (unittest.TestCase, "assertNotEqual assertAlmostEqual assertRegex assertCountEqual failureException"),
    (unittest.mock.Mock, "assert_called_with assert_called_once_with assert_called_once assert_not_called"),
    (builtins, "isinstance len repr all any sorted AssertionError __import__"),
)


def watch(root, files):
    """Starts to look. Returns a function that says what was seen: texts, each once."""
    seen = {}
    prefix = root.rstrip("/") + "/"
    tests = {os.path.join(root, path) for path in files}
    environment = tuple(os.path.realpath(path) + "/" for path in (sys.prefix, sys.base_prefix))
    state = {"busy": False}
    frame_of, join, own = sys._getframe, os.path.join, os.getpid()

    def is_own(name):
        return name.startswith(prefix) and name not in tests and not name.startswith(environment) and not name.endswith("conftest.py")

    def note(text):
        if len(seen) < MAX_SIGNALS:
            seen.setdefault(text)

    def hook(event, arguments):
        if event not in WATCHED or state["busy"] or len(seen) >= MAX_SIGNALS:
            return
        state["busy"] = True
        try:
            look(event, arguments, frame_of(1))
        except Exception:
            pass
        finally:
            state["busy"] = False

    def look(event, arguments, frame):
        if event == "open":
            path = arguments[0]
            if isinstance(path, str) and join(root, path) in tests and is_called_by_repository(frame):
                note("code of the repository opens a test file")
        elif is_own(frame.f_code.co_filename):
            if event != "object.__setattr__":
                note("code of the repository uses %s" % event)
            elif arguments[1] in SWAPPED:
                note("code of the repository sets %s" % arguments[1])

    def is_called_by_repository(frame):
        for _ in range(MAX_FRAMES):
            if frame is None:
                return False
            if is_own(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False

    before = parts()
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(hook)

    def end():
        state["busy"] = True
        after = parts()
        for name in before:
            if not all(one is other for one, other in zip(before[name], after[name])):
                note("%s was replaced" % name)
        return list(seen)

    return end


def parts():
    """What of the runner and the assertions is as it was, when it still is the same object with the same code."""
    found = {}
    for owner, names in PARTS:
        for name in names.split():
            value = vars(owner).get(name)
            function = getattr(value, "__func__", value)
            found["%s.%s" % (owner.__name__, name)] = (value, getattr(function, "__code__", None))
    return found
