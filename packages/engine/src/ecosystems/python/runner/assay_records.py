"""Merges the reports of a test's phases into one record."""
from assay_channel import shorten

# Worst first: the status of a test is the worst that any of its phases or subtests reached.
SEVERITY = ("error", "failed", "xpassed", "xfailed", "skipped", "passed")


class Recorder(object):
    """One record a test: `start`, any number of `report`, `finish`."""

    def __init__(self, emit, observer=None):
        self._emit = emit
        self._observer = observer
        self._seen = {}
        self._count = 0
        self._clear()

    def _clear(self):
        self._called = False
        self._status = None
        self._seconds = 0.0

    def start(self, nodeid):
        self._clear()
        if self._observer is not None:
            self._observer.start(name_of(nodeid, self._seen.get(nodeid, 0) + 1))

    def report(self, report):
        self._seconds += max(0.0, getattr(report, "duration", 0.0) or 0.0)
        status = status_of(report)
        if is_subtest(report):
            # A subtest counts only against its test.
            if status not in ("failed", "error"):
                return
        elif report.when == "call":
            self._called = True
        if status is not None and (self._status is None or SEVERITY.index(status) < SEVERITY.index(self._status)):
            self._status = status

    def finish(self, nodeid):
        if self._observer is not None:
            self._observer.finish()
        status = self._status
        if status == "passed" and not self._called:
            status = "error"
        if status is not None:
            self._count += 1
            self._emit("test", id=self._unique(nodeid), status=status, durationMs=round(self._seconds * 1000, 3))
        self._clear()

    def end(self):
        self._emit("end", tests=self._count)

    def _unique(self, nodeid):
        count = self._seen[nodeid] = self._seen.get(nodeid, 0) + 1
        return name_of(nodeid, count)


def name_of(nodeid, count):
    return shorten(nodeid) if count == 1 else "%s #%d" % (shorten(nodeid), count)


def is_subtest(report):
    return type(report).__name__.lower() == "subtestreport"


def status_of(report):
    """None: this phase says nothing about the test."""
    expected_to_fail = hasattr(report, "wasxfail")
    if report.outcome == "passed":
        if report.when != "call":
            return None
        return "xpassed" if expected_to_fail else "passed"
    if report.outcome == "skipped":
        return "xfailed" if expected_to_fail else "skipped"
    # "failed", the "rerun" of plugins that try again, and whatever else there may be.
    return "failed" if report.when == "call" else "error"
