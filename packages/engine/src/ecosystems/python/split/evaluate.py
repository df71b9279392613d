"""Says what observations show. They are hostile: read in pieces, capped, and never more than data."""
import json

from expectations import Expectations, Late, rows_of
from functions import base_of
from values import Decoder, Malformed, Raised

MAX_LINE = 5 * 1024 * 1024
MAX_TEST = 4 * 1024 * 1024
MAX_RUN = 64 * 1024 * 1024
MAX_LINES = 500000
MAX_PROBLEMS = 20
PIECE = 65536
FITS = {"value": ("value",), "raised": ("raised", "not-raised"), "warned": ("warned",)}
KINDS = ("value", "raised", "not-raised", "warned")
# Worst first: what several observations of one site come to.
WORST = ("false", "error", "undecidable", "true")


def evaluate(request):
    plan = request["plan"]
    reader = Reader(plan)
    try:
        for line in lines_of(request["observations"], reader.problem):
            if reader.is_full:
                break
            reader.read(line)
    except OSError as error:
        # A run that ended before the observer started: nothing was observed.
        if not isinstance(error, FileNotFoundError):
            reader.problem("the observations cannot be read")
    return {"tests": reader.answer(), "problems": reader.problems}


def lines_of(source, problem):
    total, rest = 0, b""
    with open(source, "rb") if isinstance(source, str) else source as file:
        while True:
            piece = file.read1(PIECE)
            if not piece:
                break
            total += len(piece)
            if total > MAX_RUN:
                problem("more than %d bytes" % MAX_RUN)
                return
            parts = (rest + piece).split(b"\n") if b"\n" in piece else [rest + piece]
            rest = parts.pop()
            if len(rest) > MAX_LINE:
                problem("a line of more than %d bytes" % MAX_LINE)
                return
            for part in parts:
                yield part
    # The last line of a process that was ended is cut off.


class Reader(object):
    def __init__(self, plan):
        self.expectations = Expectations(plan["expectations"])
        self.problems = []
        self.is_full = False
        self._tests = {test["stripped"]: test for test in plan["tests"] if test.get("stripped")}
        self._found, self._bytes, self._lines = {}, {}, 0

    def problem(self, text):
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(text[:300])
        else:
            self.is_full = True

    def read(self, line):
        self._lines += 1
        if self._lines > MAX_LINES:
            self.problem("more than %d lines" % MAX_LINES)
            self.is_full = True
            return
        try:
            test_id, site, kind, leaves = parse(line)
        except Malformed as error:
            self.problem(str(error))
            return
        base = self.expectations.bases.get(base_of(test_id))
        if base is None:
            self.problem("a test that is not known: %s" % printable(test_id))
            return
        if base["sites"] is None:
            return
        if int(site) not in base["sites"]:
            self.problem("a site that is not one of its test: %s" % site)
            return
        expected = self.expectations.sites[site]
        if kind not in FITS[expected["kind"]] or len(leaves) != (0 if kind == "not-raised" else expected["leaves"]):
            self.problem("an observation of another form: %s" % site)
            return
        test = self._tests.get(test_id)
        # Rows that nobody asked for are observed, too.
        if test is not None:
            self._observe(test, test_id, site, kind, leaves, len(line))

    def _observe(self, test, test_id, site, kind, leaves, size):
        self._bytes[test_id] = self._bytes.get(test_id, 0) + size
        entry = self._found.setdefault(test["id"], {}).setdefault(site, {"count": 0, "outcome": "true"})
        entry["count"] += 1
        if self._bytes[test_id] > MAX_TEST:
            outcome, detail = "false", "more than %d bytes" % MAX_TEST
        else:
            try:
                values = decode_leaves(leaves)
            except Malformed as error:
                self.problem(str(error))
                return
            if entry["outcome"] == "false":
                return
            outcome, detail = self.expectations.holds(site, kind, values, rows_of(test_id), entry["count"] - 1)
        if WORST.index(outcome) < WORST.index(entry["outcome"]):
            entry["outcome"] = outcome
            if detail:
                entry["detail"] = printable(detail)

    def answer(self):
        answer = {}
        for test in self._tests.values():
            sites = self._found.get(test["id"], {})
            for site, entry in sites.items():
                self._expect_all_rounds(test, site, entry)
            why = why_not(test.get("sites") or {}, sites)
            if sites or why:
                answer[test["id"]] = {"sites": sites}
                if why:
                    answer[test["id"]]["why"] = why
        return answer


    def _expect_all_rounds(self, test, site, entry):
        times = self.expectations.times(site, rows_of(test["stripped"]))
        if entry["outcome"] == "true" and times is not None and entry["count"] != times:
            entry["outcome"], entry["detail"] = "false", "reached %d times of %d" % (entry["count"], times)


def why_not(required, sites):
    for site in sorted(required, key=int):
        count = sites[site]["count"] if site in sites else 0
        if count == 0:
            return "site %s was not reached" % site
        if count > 1 and required[site] == "once":
            return "site %s was reached %d times, not once" % (site, count)
    for site in sorted(sites, key=int):
        if sites[site]["outcome"] != "true":
            detail = sites[site].get("detail")
            return "site %s is %s%s" % (site, sites[site]["outcome"], ": " + detail if detail else "")
    return None


def parse(line):
    if len(line) > MAX_LINE:
        raise Malformed("a line of more than %d bytes" % MAX_LINE)
    try:
        data = json.loads(line.decode("utf-8"), parse_int=small, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Malformed("a line that is no observation")
    if type(data) is not list or len(data) != 4:
        raise Malformed("a line that is no observation")
    test_id, site, kind, leaves = data
    if type(test_id) is not str or type(site) is not int or kind not in KINDS or type(leaves) is not list:
        raise Malformed("a line that is no observation")
    return test_id, str(site), kind, leaves


def small(text):
    if len(text) > 12:
        raise ValueError("a number")
    return int(text)


def refuse(text):
    raise ValueError("a number")


def decode_leaves(leaves):
    decoder = Decoder()
    values = []
    for leaf in leaves:
        if type(leaf) is list and leaf[:1] == ["late"] and len(leaf) == 2:
            raised = decoder.value(leaf[1], 0)
            if not isinstance(raised, Raised):
                raise Malformed("no exception")
            values.append(Late(raised))
        else:
            values.append(decoder.value(leaf, 0))
    return values


def printable(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")[:300]
