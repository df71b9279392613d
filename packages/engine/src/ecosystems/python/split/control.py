"""Makes tests that cannot pass: every body ends in a failure, by the assertion that the test itself uses."""
import ast

from functions import Finder, file_of, group_ids
from scopes import NESTED, Scope
from sites import SiteFinder, outer_functions
from source import Source

MAX_DETAIL = 500


def control(request):
    groups = group_ids(request["ids"])
    answer = {"files": [], "failing": [], "problems": []}
    for file in request["files"]:
        path = file["path"]
        try:
            part = ControlFile(path, file["text"])
            text, bases = part.fail([base for base in groups if file_of(base) == path])
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            answer["problems"].append({"file": path, "detail": str(error)[:MAX_DETAIL]})
            continue
        answer["files"].append({"path": path, "text": text})
        answer["failing"] += [test_id for base in bases for test_id in groups[base]]
    return answer


class ControlFile(object):
    def __init__(self, path, text):
        self._source = Source(path, text, keep_comments=True)
        self._finder = Finder(path, outer_functions(self._source.tree), self._source.tree)
        self._module = Scope(self._source.tree)

    def fail(self, bases):
        done, failing = {}, []
        for base in bases:
            found = self._finder.find(base)
            if isinstance(found, str) or any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in own_nodes(found[1])):
                continue
            if found[1] not in done:
                done[found[1]] = self._edits(found[1])
            if done[found[1]]:
                failing.append(base)
        return self._source.edited([edit for own in done.values() for edit in own]), failing

    def _edits(self, node):
        """Edits that make a test fail; none when there is no place for a failure."""
        failure = self._failure(node)
        returns = [self._source.span(inner) + (failure,) for inner in own_nodes(node) if isinstance(inner, ast.Return)]
        first, last = node.body[0], node.body[-1]
        if isinstance(last, ast.Return):
            return returns
        start, end = self._source.span(first)[0], self._source.span(last)[1]
        if not hasattr(last, "body"):
            return returns + [(end, end, "; " + failure)]
        data = self._source.data
        line_end = data.find(b"\n", end)
        if line_end < 0 or line_end + 1 == len(data):
            return returns + [(len(data), len(data), ("\n" if line_end < 0 else "") + self._indent(first) + failure)]
        following = data.find(b"\n", line_end + 1)
        following = len(data) if following < 0 else following
        if not data[line_end + 1:following].strip():
            # The empty line after it takes the failure.
            return returns + [(line_end + 1, following, self._indent(first) + failure)]
        return [] if hasattr(first, "body") else [(start, start, failure + "; ")]

    def _indent(self, statement):
        start, _ = self._source.span(statement)
        line = self._source.data[self._source.line_start(statement.lineno):start].decode("utf-8")
        return line if not line.strip() else " " * statement.col_offset

    def _failure(self, node):
        """One simple statement."""
        forms = [site for site in SiteFinder(node, Scope(node, self._module), set()).find() if site.kind in ("assert", "unittest", "raises")]
        kinds = [site.kind for site in forms]
        if "unittest" in kinds:
            own = node.args.args[0].arg
            uses = {site.form for site in forms}
            return "%s.assertEqual(0, 1)" % own if "assertEqual" in uses else "%s.fail()" % own
        return "assert False"


def own_nodes(node):
    """What is in a function, but not in functions and classes within it."""
    pending = list(node.body)
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, NESTED):
            pending.extend(ast.iter_child_nodes(current))
