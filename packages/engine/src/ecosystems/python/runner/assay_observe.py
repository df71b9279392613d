"""The observer of stripped tests: `__assay__(site, ...)` writes down what a test sees, and compares nothing."""
import builtins
import os
import unittest
import warnings
from json.encoder import encode_basestring_ascii as quote

import pytest

from assay_channel import clean
from assay_encode import Encoder

MAX_TEST = 4 * 1024 * 1024
MAX_RUN = 64 * 1024 * 1024
PASSED_ON = (pytest.skip.Exception, pytest.exit.Exception, pytest.xfail.Exception, unittest.SkipTest, GeneratorExit)


class Observer(object):
    """`start` says which test runs, under the id that the result channel has. A fork of the process writes nothing."""

    def __init__(self, path):
        import fcntl

        first = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._descriptor = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, 200)
        os.close(first)
        self._write, self._getpid, self._owner = os.write, os.getpid, os.getpid()
        self._test, self._left, self._left_of_run = None, 0, MAX_RUN

    def start(self, test_id):
        self._test, self._left = quote(clean(test_id)), MAX_TEST

    def finish(self):
        self._test = None

    def write(self, site, kind, leaves):
        if self._test is None or self._getpid() != self._owner:
            return
        line = ('[%s,%d,"%s",[%s]]\n' % (self._test, site, kind, ",".join(leaves))).encode("ascii")
        if len(line) > min(self._left, self._left_of_run):
            # Said, so that it is no missing observation.
            capped = ",".join(['["o",["capped"]]'] * len(leaves))
            line = ('[%s,%d,"%s",[%s]]\n' % (self._test, site, kind, capped)).encode("ascii")
        self._left -= len(line)
        self._left_of_run -= len(line)
        while line:
            line = line[self._write(self._descriptor, line):]


class Late(object):
    """A part that is not always evaluated: its value, or what it raised."""

    def __init__(self, text):
        self.text = text


class Assay(object):
    """What stripped tests find as the builtin `__assay__`."""

    def __init__(self, observer):
        self._write = observer.write

    def __call__(self, site, *leaves):
        self._write(site, "value", [leaf.text if type(leaf) is Late else Encoder().encode(leaf) for leaf in leaves])

    def later(self, part):
        try:
            return part()
        except PASSED_ON:
            raise
        except Exception as error:
            return Late('["late",%s]' % Encoder().exception(error))

    def text(self, info):
        return str(info.value)

    def raises(self, site, *call, **keywords):
        return self._run(Raises(self._write, site), call, keywords)

    def assert_raises(self, site, *call, **keywords):
        found = self._run(AssertRaises(self._write, site), call, keywords)
        return None if call else found

    def warns(self, site, *call, **keywords):
        recorder = Warns(self._write, site)
        if not call:
            return recorder
        with recorder:
            return call[0](*call[1:], **keywords)

    assert_warns = warns

    @staticmethod
    def _run(context, call, keywords):
        if not call:
            return context
        with context as caught:
            call[0](*call[1:], **keywords)
        return caught


class Raises(object):
    """Takes whatever is raised but for what ends a test on purpose. A test that should have raised ends here."""

    def __init__(self, write, site):
        self._write, self._site = write, site

    def __enter__(self):
        self._info = pytest.ExceptionInfo.for_later() if hasattr(pytest, "ExceptionInfo") else exception_info()
        return self._info

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self._write(self._site, "not-raised", [])
            pytest.fail("nothing was raised")
        if isinstance(error, PASSED_ON):
            return False
        self._fill(kind, error, traceback)
        self._write(self._site, "raised", [Encoder().exception(error)])
        return True

    def _fill(self, kind, error, traceback):
        if hasattr(self._info, "fill_unfilled"):
            self._info.fill_unfilled((kind, error, traceback))
        else:
            self._info._excinfo = (kind, error, traceback)


def exception_info():
    from _pytest._code import ExceptionInfo

    return ExceptionInfo.for_later()


class AssertRaises(Raises):
    """The same as unittest has it: `exception` is what was raised."""

    def __enter__(self):
        self.exception = None
        return self

    def _fill(self, kind, error, traceback):
        self.exception = error.with_traceback(None)


class Warns(object):
    """Records all warnings, as `pytest.warns` does."""

    def __init__(self, write, site):
        from _pytest.recwarn import WarningsRecorder

        self._write, self._site = write, site
        try:
            self._recorder = WarningsRecorder(_ispytest=True)
        except TypeError:
            self._recorder = WarningsRecorder()

    def __enter__(self):
        self._recorder.__enter__()
        warnings.simplefilter("always")
        return self._recorder

    def __exit__(self, kind, error, traceback):
        found = list(self._recorder.list)
        self._recorder.__exit__(kind, error, traceback)
        if kind is None:
            messages = [Encoder().exception(each.message) for each in found]
            self._write(self._site, "warned", ['["l",[%s]]' % ",".join(messages)])
            if not found:
                pytest.fail("there was no warning")
        return False


def install(path):
    observer = Observer(path)
    builtins.__assay__ = Assay(observer)
    return observer
