"""An expression of a test as one that says everything itself: values in place of the test's own names."""
import ast
import builtins
import copy

from scopes import Scope, is_fixture

MAX_LENGTH = 140
MAX_DEPTH = 8
# Modules of which nothing is known to who has no tests.
OF_TESTS = {"tests", "test", "testing", "conftest", "helpers", "utils", "pytest", "unittest", "mock"}
REFUSED = (
    ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.JoinedStr,
)
UNREADABLE_NAMES = {"locals", "globals", "vars", "eval", "exec", "open", "input", "exit", "quit", "print", "object", "id"}


class Unreadable(Exception):
    """It cannot be told in a line."""


class Renderer(object):
    """`cells`: expressions of the test's row by their names."""

    def __init__(self, site, cells):
        self._scope, self._cells, self._line = site.scope, cells, site.node.lineno
        self._body = site.owner.body
        self._roots, self._constants = set(), []

    def subject(self, node):
        """What the code under test is asked. It has to call something."""
        tree = self._render(node, self._scope, 0)
        self._note(tree)
        if not self._roots or not any(isinstance(inner, (ast.Call, ast.Subscript, ast.BinOp)) for inner in ast.walk(tree)):
            raise Unreadable()
        return printed(tree)

    def expected(self, node):
        return printed(self._render(node, self._scope, 0), 2000)

    def inputs(self):
        """The same for expressions that ask the same thing of the same values."""
        return "%s(%s)" % (",".join(sorted(self._roots)), ",".join(sorted(self._constants)))

    def _note(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                self._roots.add(node.id)
            if isinstance(node, ast.Call):
                for argument in node.args + [keyword.value for keyword in node.keywords]:
                    inside = list(ast.walk(argument))
                    self._constants += [repr(inner.value) for inner in inside if isinstance(inner, ast.Constant)]
                    self._constants += [inner.attr for inner in inside if isinstance(inner, ast.Attribute)]
        self._constants = sorted(set(self._constants))

    def _render(self, node, scope, depth):
        if depth > MAX_DEPTH:
            raise Unreadable()
        return Inliner(self, scope, depth).visit(copy.deepcopy(node))

    def name(self, node, scope, depth):
        if node.id in self._cells and scope is self._scope:
            return self._render(self._cells[node.id], scope.root(), depth + 1)
        found, owner = scope.find(node.id)
        if found is None and owner is self._scope:
            return self._latest(node.id, depth)
        if owner is None:
            if node.id in UNREADABLE_NAMES or not hasattr(builtins, node.id):
                raise Unreadable()
            return node
        if found is None:
            raise Unreadable()
        kind, value = found
        if kind == "import" and is_of_code(*value):
            return node
        if kind == "value" and not any(isinstance(inner, ast.Name) and inner.id == node.id for inner in ast.walk(value)):
            return self._render(value, owner, depth + 1)
        root = scope.root()
        if kind == "argument" and owner.parent is root:
            fixture, _ = root.find(node.id)
            if fixture is not None and fixture[0] == "function" and is_fixture(fixture[1]) and len(fixture[1].body) == 1:
                returned = fixture[1].body[0]
                if isinstance(returned, ast.Return) and returned.value is not None:
                    return self._render(returned.value, Scope(fixture[1], root), depth + 1)
        raise Unreadable()


    def _latest(self, name, depth):
        """What a name that is bound more than once was bound to last, where that is plain from the order of the text."""
        bound = [(kind, value) for kind, value in self._scope.bindings.get(name, [])]
        assigned = [
            (node.lineno, node.value) for node in self._body
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and getattr(node.targets[0], "id", None) == name
        ]
        before = [value for line, value in assigned if line < self._line]
        if len(assigned) != len(bound) or not before or name in names_in(before[-1]):
            raise Unreadable()
        line, self._line = self._line, before[-1].lineno
        try:
            return self._render(before[-1], self._scope, depth + 1)
        finally:
            self._line = line


def names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def is_of_code(module, name):
    return module is not None and module.split(".")[0] not in OF_TESTS


class Inliner(ast.NodeTransformer):
    def __init__(self, renderer, scope, depth):
        self._renderer, self._scope, self._depth = renderer, scope, depth

    def visit(self, node):
        if isinstance(node, REFUSED):
            raise Unreadable()
        return ast.NodeTransformer.visit(self, node)

    def visit_Name(self, node):
        return self._renderer.name(node, self._scope, self._depth)

    def visit_Attribute(self, node):
        if node.attr.startswith("_"):
            raise Unreadable()
        return self.generic_visit(node)


def printed(tree, limit=MAX_LENGTH):
    text = ast.unparse(ast.fix_missing_locations(tree))
    if len(text) > limit or "\n" in text or "`" in text or not text.isprintable():
        raise Unreadable()
    return text
