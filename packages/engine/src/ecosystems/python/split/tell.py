"""Renders assertions as calls that a stranger can read and run: `parse("a/b")`, and what it has to give.

Whatever is told is tried out first: a probe evaluates it in the place of the test file, with the reference and without.
"""
import ast
import re

from course import Course, Unreadable
from functions import group_ids
from outside import Outside
from render import Renderer
from rewrite import Rewriter
from strip import is_test
from tables import tables_of
from uses import Uses

MAX_OF_TEST = 6
MAX_TELLINGS = 120
CLASS = re.compile(r"^[A-Za-z_]\w*$")
EQUAL = {"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertMultiLineEqual"}


def tell(request):
    if not hasattr(ast, "unparse"):
        return {"tellings": [], "files": []}
    teller = Teller(request)
    return {"tellings": teller.tellings(), "files": teller.probes()}


class Teller(Rewriter):
    def __init__(self, request):
        Rewriter.__init__(self, dict(request, native={}, before=[]))
        self._rows = {test_id: row for ids in self._groups.values() for row, test_id in enumerate(ids)}
        self._all = self._groups
        self._probes, self._tellings = {}, []
        self._uses = {path: Uses(part.source.tree, [site.node for site in part.sites]) for path, part in self._files.items()}

    def tellings(self):
        for test_id in self._request["wanted"]:
            base = test_id if test_id in self._found else next(b for b, ids in self._all.items() if test_id in ids)
            found = self._found[base]
            if not isinstance(found, str) and found[0] in self._files and len(self._tellings) < MAX_TELLINGS:
                self._tell_test(test_id, base, found)
        return self._tellings

    def _tell_test(self, test_id, base, found):
        path, node, classes = found
        part, told = self._files[path], 0
        columns = part._tables.columns_of(node, classes)
        cells = self._cells(test_id, base, part, (node, classes))
        for site in part.sites:
            if site.owner is not node or told == MAX_OF_TEST:
                continue
            try:
                rendered = self._site(part, site, (columns, cells))
            except Unreadable:
                continue
            probes = self._probes.setdefault(path, [])
            if rendered not in probes:
                probes.append(rendered)
            told += 1
            number = "%s#%d" % (path, probes.index(rendered))
            kind, setup, expression, expected, inputs = rendered
            telling = {"probe": number, "test": test_id, "site": site.id, "kind": kind, "expression": expression, "inputs": inputs}
            if setup is not None:
                telling["setup"] = setup
            if kind == "raises":
                telling["raises"], telling["says"] = expected
            self._tellings.append(telling)

    def _cells(self, test_id, base, part, owner):
        """Cells of the test's row by their column; none where it is not plain which row it is."""
        tables = tables_of(owner[0], owner[1], part._module)
        count = 1
        for table in tables:
            count *= 0 if table is None else len(table.rows)
        if count != len(self._all[base]):
            return {}
        cells, row = {}, self._rows[test_id]
        for table in tables:
            # Rows of the first one change fastest.
            row, at = divmod(row, len(table.rows))
            cells.update(zip(table.names, table.rows[at]))
        return cells

    def _site(self, part, site, row):
        columns, cells = row
        outside = Outside(site.scope, self._shared, columns)
        renderer = Renderer(Course(site, cells, self._uses[part.source.path], part.source.tree))
        kind, subject, expected = self._parts_of(site, outside)
        (setup, expression), inputs = renderer.asked(subject), renderer.inputs()
        return kind, setup, expression, expected if kind == "raises" else renderer.expected(expected), inputs

    def _parts_of(self, site, outside):
        if site.kind == "assert":
            return truth_of(site.node.test, outside)
        if site.kind == "unittest" and isinstance(site.node.value, ast.Call):
            return unittest_of(site.node.value, outside)
        if site.kind == "raises":
            return self._raised(site)
        raise Unreadable()

    def _raised(self, site):
        call = site.node
        if site.form not in ("raises", "assertRaises", "assertRaisesRegex") or not call.args:
            raise Unreadable()
        says = words_of(call, site.form)
        name = call.args[0].attr if isinstance(call.args[0], ast.Attribute) else getattr(call.args[0], "id", "")
        arguments = call.args[2 if site.form == "assertRaisesRegex" else 1:]
        if not CLASS.match(name):
            raise Unreadable()
        if arguments and not site.is_context:
            keywords = call.keywords
            return "raises", ast.Call(func=arguments[0], args=list(arguments[1:]), keywords=keywords), (name, says)
        for node in ast.walk(site.owner):
            if isinstance(node, ast.With) and any(item.context_expr is call for item in node.items):
                body = node.body
                if len(node.items) == 1 and len(body) == 1 and isinstance(body[0], ast.Expr):
                    return "raises", body[0].value, (name, says)
        raise Unreadable()

    def probes(self):
        files = []
        for path, probes in self._probes.items():
            part = self._files[path]
            names = {node.name for node, _ in part._outer if is_test(node)}
            tests = [node for node, _ in part._outer if node.name in names or node in part.known]
            text = part.source.edited([blanked(part.source, node) for node in tests])
            # What begins and does not end says nothing of the probes that it does not come to.
            lines = ["", "", "def test_assay_probe():", "    __assay__(%d, 0, 0)" % len(probes)]
            for index, (kind, setup, expression, expected, _) in enumerate(probes):
                second = "" if kind == "raises" else ", __assay__.later(lambda: (%s))" % expected
                asked = "__assay__(%d, __assay__.later(lambda: (%s))%s)" % (index, expression, second)
                lines += ["    " + asked] if setup is None else set_up(setup.split("\n"), asked)
            lines.append("    __assay__(%d, 0, 0)" % (len(probes) + 1))
            files.append({"path": path, "text": text.rstrip() + "\n".join(lines) + "\n"})
        return files


def set_up(statements, asked):
    """Lines that ask after statements whose names are nobody else's. What cannot be set up is not asked."""
    return ["    def set_up():"] + ["        " + line for line in statements + [asked]] + ["    try:", "        set_up()", "    except Exception:", "        pass"]


def blanked(source, node):
    """An edit that leaves nothing of a function but its place."""
    first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
    start, (_, end) = source.line_start(first), source.span(node)
    line = source.data[start:].split(b"\n", 1)[0].decode("utf-8")
    return start, end, line[: len(line) - len(line.lstrip())] + "pass"


def words_of(call, form):
    """What the message is to hold, where that is plain text; else None."""
    patterns = [keyword.value for keyword in call.keywords if keyword.arg == "match"]
    if form == "assertRaisesRegex":
        patterns += call.args[1:2]
    if len(patterns) != 1 or not isinstance(patterns[0], ast.Constant) or not isinstance(patterns[0].value, str):
        return None
    text = re.sub(r"\\(\W)", r"\1", patterns[0].value)
    return text if re.escape(text) == patterns[0].value or not re.search(r"[\\^$*+?{}\[\]|()]", patterns[0].value) else None


def truth_of(test, outside):
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return "truth", test.operand, ast.Constant(value=False, kind=None)
    if not isinstance(test, ast.Compare):
        return "truth", test, ast.Constant(value=True, kind=None)
    if len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Eq, ast.Is, ast.In)):
        raise Unreadable()
    return compared(test.left, test.comparators[0], outside, "contains" if isinstance(test.ops[0], ast.In) else "equals")


def unittest_of(call, outside):
    name, arguments = call.func.attr, call.args
    if name in EQUAL and len(arguments) >= 2:
        return compared(arguments[0], arguments[1], outside, "equals")
    if name == "assertIn" and len(arguments) >= 2:
        return compared(arguments[0], arguments[1], outside, "contains")
    constants = {"assertTrue": True, "assertFalse": False, "assertIsNone": None}
    if name in constants and arguments:
        kind = "equals" if name == "assertIsNone" else "truth"
        return kind, arguments[0], ast.Constant(value=constants[name], kind=None)
    raise Unreadable()


def compared(left, right, outside, kind):
    known = outside.is_pure(left), outside.is_pure(right)
    if kind == "contains":
        if known != (True, False):
            raise Unreadable()
        return kind, right, left
    if known == (True, False):
        return kind, right, left
    if known == (False, True):
        return kind, left, right
    raise Unreadable()
