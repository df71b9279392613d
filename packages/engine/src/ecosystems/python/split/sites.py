"""Finds the assertions of a function. Their numbers depend on the text of the file alone."""
import ast
import re

from scopes import FUNCTIONS, Scope, base_name

HELPER = re.compile(r"_*(assert|check|verify|expect|ensure|compare)")
MOCK = re.compile(r"assert_(called|not_called|any_call|has_calls|awaited|any_await|has_awaits|not_awaited)")
FAILS = {"pytest.fail", "pytest.xfail"}
RAISES = {"pytest.raises", "pytest.warns", "pytest.deprecated_call"}


class Site(object):
    def __init__(self, node, kind, form, scope, owner, is_context=False):
        self.node, self.kind, self.form, self.scope, self.owner = node, kind, form, scope, owner
        self.is_context, self.repeats = is_context, False
        self.id = self.native = self.expected = None
        # Line of the words that an exception is to say; with `relaxed`, its class alone is compared.
        self.message_line, self.relaxed = None, False
        # Loops around it, the outermost first; None when it may be reached otherwise, too.
        self.loops = ()
        self.edits = []


class SiteFinder(ast.NodeVisitor):
    """`asserting`: names of functions of this file that assert, so that calling them does."""

    def __init__(self, owner, scope, asserting):
        self.sites, self.owner, self._scope, self._asserting = [], owner, scope, asserting
        self._contexts, self._caught, self._repeats = set(), set(), 0
        self._loops = ()

    def find(self):
        for statement in self.owner.body:
            self.visit(statement)
        self.sites.sort(key=lambda site: (site.node.lineno, site.node.col_offset))
        return self.sites

    def _add(self, node, kind, form):
        site = Site(node, kind, form, self._scope, self.owner, node in self._contexts)
        site.repeats, site.loops = self._repeats > 0, self._loops
        self.sites.append(site)

    def visit_FunctionDef(self, node):
        outer, self._scope = self._scope, Scope(node, self._scope)
        self._visit_often(node)
        self._scope = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def _visit_often(self, node):
        """Whatever may run more than once, or not at all."""
        outer, self._loops = self._loops, None
        self._repeats += 1
        self.generic_visit(node)
        self._repeats -= 1
        self._loops = outer

    visit_AsyncFor = visit_While = visit_Lambda = _visit_often

    def visit_For(self, node):
        skips = any(isinstance(inner, (ast.Break, ast.Continue, ast.Return)) for inner in ast.walk(node))
        if self._loops is None or skips:
            self._visit_often(node)
            return
        outer, self._loops = self._loops, self._loops + (node,)
        self._repeats += 1
        self.generic_visit(node)
        self._repeats -= 1
        self._loops = outer

    def visit_ClassDef(self, node):
        # Its names are bound elsewhere: too rare to follow.
        pass

    def visit_Assert(self, node):
        self._add(node, "assert", "assert " + shape_of(node.test))

    def visit_With(self, node):
        for item in node.items:
            self._contexts.add(item.context_expr)
            if isinstance(item.optional_vars, ast.Name) and "raises" in self._name_of(item.context_expr).lower():
                self._caught.add(item.optional_vars.id)
        self.generic_visit(node)

    visit_AsyncWith = visit_With

    def visit_Raise(self, node):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name) and raised.id == "AssertionError":
            self._add(node, "fail", "raise AssertionError")

    def visit_Expr(self, node):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call) and self._statement(node, call):
            return
        self.generic_visit(node)

    def _statement(self, node, call):
        name = self._name_of(call)
        last = name.rpartition(".")[2]
        if name in FAILS or self._is_own(call.func, "fail"):
            self._add(node, "fail", last)
        elif MOCK.match(last) and isinstance(call.func, ast.Attribute):
            self._add(node, "mock", last)
        elif last == "match" and isinstance(call.func, ast.Attribute) and base_name(call.func) in self._caught:
            self._add(node, "match", "match")
        elif last in self._asserting:
            self._add(node, "helper", last)
        elif self._is_own(call.func) and re.match("assert[A-Z_]", last):
            if re.match("assertRaises|assertWarns", last):
                return False
            self._add(node, "unittest", last)
        elif HELPER.match(last):
            self._add(node, "helper", last)
        else:
            return False
        return True

    def visit_Call(self, node):
        name = self._name_of(node)
        last = name.rpartition(".")[2]
        if name in RAISES:
            self._add(node, "raises", last)
        elif self._is_own(node.func) and re.match("assert(Raises|Warns|Logs|NoLogs)", last):
            self._add(node, "raises", last)
        self.generic_visit(node)

    def _is_own(self, function, name=None):
        """Whether it is a method of the test's own object."""
        parts = self.owner.args.args
        return (
            isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and bool(parts)
            and function.value.id == parts[0].arg and (name is None or function.attr == name)
        )

    def _name_of(self, node):
        """`module.name` of what is called, imports resolved; the last name alone when it is something else."""
        function = node.func if isinstance(node, ast.Call) else node
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name):
                found, _ = self._scope.find(function.value.id)
                if found is not None and found[0] == "import" and found[1][0]:
                    return ".".join(part for part in found[1] + (function.attr,) if part)
            return "." + function.attr
        if isinstance(function, ast.Name):
            found, _ = self._scope.find(function.id)
            if found is not None and found[0] == "import" and found[1][0] and found[1][1]:
                return ".".join(found[1])
            return function.id
        return ""


def shape_of(test):
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return "not"
    if isinstance(test, ast.Compare):
        return SIGNS.get(type(test.ops[0]).__name__, "compare")
    if isinstance(test, ast.BoolOp):
        return type(test.op).__name__.lower()
    if isinstance(test, ast.Call) and isinstance(test.func, (ast.Name, ast.Attribute)):
        return test.func.id if isinstance(test.func, ast.Name) and test.func.id in ("isinstance", "all", "any") else "call"
    return "value"


SIGNS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}


def asserting_functions(functions):
    """Names of helpers that assert something, themselves or through others of the file."""
    bodies = {node.name: node for node in functions if not node.name.startswith("test")}
    found = {name for name, node in bodies.items() if any(is_assertion(inner) for inner in ast.walk(node))}
    while True:
        more = {name for name, node in bodies.items() if name not in found and calls_any(node, found)}
        if not more:
            return found
        found |= more


def is_assertion(node):
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Attribute) and bool(re.match("assert[A-Z_]|raises$|warns$", node.attr))


def calls_any(node, names):
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            function = inner.func
            if (function.id if isinstance(function, ast.Name) else getattr(function, "attr", None)) in names:
                return True
    return False


def outer_functions(tree):
    """Functions that are not inside of another one, with the classes that they are in."""
    found = []

    def look(body, classes):
        for node in body:
            if isinstance(node, FUNCTIONS):
                found.append((node, classes))
            elif isinstance(node, ast.ClassDef):
                look(node.body, classes + (node,))
            elif isinstance(node, (ast.If, ast.Try, ast.With)):
                look(sub_bodies(node), classes)

    look(tree.body, ())
    return found


def sub_bodies(node):
    parts = list(node.body) + list(getattr(node, "orelse", [])) + list(getattr(node, "finalbody", []))
    for handler in getattr(node, "handlers", []):
        parts += handler.body
    return parts
