"""Takes out of a file whatever may tell what its tests expect."""
import ast

from scopes import Scope, last_name
from sites import outer_functions
from loops import cells_of
from outside import Expectations, Outside
from source import Source
from tables import read_table

ROUNDS = 6


class Stripper(object):
    """
    `kept`: test functions that stay. `known`: every function that a test id means. `tables`: numbers of tables by their lines.
    `others`: words of the other files.
    """

    def __init__(self, source, outer, kept, known, sites, tables, others):
        self._source, self._outer, self._kept, self._known = source, outer, kept, known
        self._sites, self._tables, self._others = sites, tables, others
        self._names = {(node.name, node.lineno) for node in kept}

    def strip(self):
        edits = [edit for site in self._sites if site.owner in self._kept for edit in site.edits]
        for node, classes in self._outer:
            if node not in self._kept and (node in self._known or is_test(node)):
                edits.append(self._blank(node, nested=node not in self._source.tree.body))
        edits += self._docstrings() + self._names_of_subtests()
        text = self._source.edited(edits)
        text = self._strip_tables(Source(self._source.path, text))
        for _ in range(ROUNDS):
            source = Source(self._source.path, text)
            edits = unread_constants(source, self._others) + self._unread_locals(source)
            if not edits:
                break
            text = source.edited(edits)
        return text

    def _blank(self, node, nested):
        first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
        start, (_, end) = self._source.line_start(first), self._source.span(node)
        lines = self._source.data.count(b"\n", start, end)
        text = ""
        if nested:
            line = self._source.data[start:].split(b"\n", 1)[0].decode("utf-8")
            text = line[: len(line) - len(line.lstrip())] + "pass"
        return start, end, text + "\n" * lines

    def _docstrings(self):
        tree = self._source.tree
        holders = [tree] + [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and is_test_name(node.name.lower())]
        edits = []
        for node in holders + list(self._kept):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                edits.append(self._source.replacing(first.value, '("")'))
        return edits

    def _names_of_subtests(self):
        """What a subtest is called is for people, and often what it expects."""
        calls = [inner for node in self._kept for inner in ast.walk(node) if isinstance(inner, ast.Call)]
        return [self._source.replacing(call, "self.subTest()") for call in calls if is_subtest(call)]

    def _kept_functions(self, source):
        return [(node, classes) for node, classes in outer_functions(source.tree) if (node.name, node.lineno) in self._names]

    def _strip_tables(self, source):
        module = Scope(source.tree)
        loads = loaded_names(source.tree)
        edits, seen = [], set()
        outside = Outside(module, Expectations())
        for node, classes in self._kept_functions(source):
            read = names_read(node.body)
            for decorator in own_parametrize(node, classes):
                if decorator in seen:
                    continue
                seen.add(decorator)
                own = read if decorator in node.decorator_list else None
                edits += table_edits(source, decorator, module, outside, own, loads, self._tables.get(decorator.lineno))
        return source.edited(edits)

    def _unread_locals(self, source):
        edits = []
        module, loads = Scope(source.tree), loaded_names(source.tree)
        for node, _ in self._kept_functions(source):
            scope = Scope(node, module)
            outside = Outside(scope, Expectations())
            read = names_read(node.body)
            for name, found in scope.bindings.items():
                if name in read or name in scope.outer:
                    continue
                edits += blank_values(source, [value for kind, value in found if kind == "value"], outside)
                for loop in [value for kind, value in found if kind == "loop"]:
                    edits += blank_values(source, cells_of(loop, scope, loads, name), outside)
        return edits


def is_subtest(call):
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr == "subTest" and getattr(function.value, "id", None) == "self"


def is_test(node):
    fixture = any("fixture" in str(last_name(getattr(each, "func", each))) for each in node.decorator_list)
    return is_test_name(node.name) and not fixture


def is_test_name(name):
    return name.startswith("test")


def names_read(body):
    """Names that statements read, also to change what they are bound to."""
    found = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("locals", "vars", "eval", "exec"):
                found.update(inner.id for each in body for inner in ast.walk(each) if isinstance(inner, ast.Name))
    return found


def loaded_names(tree):
    counts = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            counts[node.id] = counts.get(node.id, 0) + 1
    return counts


def unread_constants(source, others):
    """Edits that empty constants of a module which nothing reads."""
    module = Scope(source.tree)
    read = names_read(source.tree.body)
    quoted = {node.value for node in ast.walk(source.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    outside = Outside(module, Expectations())
    edits = []
    for name, found in module.bindings.items():
        if name in read or name in quoted or name.startswith("__") or name.startswith("pytest"):
            continue
        if name in others:
            continue
        edits += blank_values(source, [value for kind, value in found if kind == "value"], outside)
    return edits


def blank_values(source, values, outside):
    edits = []
    for value in values:
        if not (isinstance(value, ast.Constant) and value.value is None) and outside.is_pure(value):
            edits.append(source.replacing(value, "(None)"))
    return edits


def own_parametrize(node, classes):
    found = []
    for owner in (node,) + tuple(classes):
        for decorator in owner.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
                found.append(decorator)
    return found


def table_edits(source, call, module, outside, read, loads, number):
    """Hides the names of rows, and the cells of columns that are not read. `read` is None: nobody knows what is read."""
    edits = []
    table = read_table(call, module)
    if table is not None:
        for param in table.params:
            for keyword in param.keywords if param is not None else []:
                if keyword.arg == "id" and isinstance(keyword.value, ast.Constant) and keyword.value.value is not None:
                    edits.append(source.replacing(keyword.value, "(None)"))
        alone = table.shared is None or loads.get(table.shared) == 1
        for column in table.names if alone and read is not None else []:
            if column not in read:
                edits += blank_values(source, table.cells(column), outside)
    known = table is not None and number is not None
    edits.append(ids_edit(source, call, '["r%dx%%d" %% row for row in range(%d)]' % (number, len(table.rows)) if known else 'lambda _: "r"'))
    return edits


def ids_edit(source, call, text):
    for keyword in call.keywords:
        if keyword.arg == "ids":
            return source.replacing(keyword.value, "(%s)" % text)
    start, end = source.span(call)
    comma = "" if source.data[start:end - 1].rstrip().endswith((b",", b"\\")) else ", "
    return end - 1, end - 1, "%sids=(%s)" % (comma, text)
