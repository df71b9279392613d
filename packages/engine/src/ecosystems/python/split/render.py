"""What a test asks, and the statements before it, so that they say everything themselves: values in place of the test's own names."""
import ast
import builtins
import copy

from course import MAX_DEPTH, Unreadable
from scopes import FUNCTIONS
from setups import Setup, is_of_machine
from uses import BINDERS, free_names, inner_names

MAX_LENGTH = 140
MAX_LINE = 120
MAX_SETUP = 500
MAX_LINES = 14
REFUSED = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class Renderer(object):
    def __init__(self, course):
        self._course = course
        self._kept, self._inlined = set(), set()
        self._roots, self._constants = set(), set()

    def asked(self, node):
        """
        What the code under test is asked: the statements that set it up, or None, and an expression. It has to call something. Data is
        written where it is used; where that is too long, before it.
        """
        try:
            return self._asked(node, False)
        except Unreadable:
            return self._asked(node, True)

    def _asked(self, node, keeps_data):
        self._roots, self._constants = set(), set()
        setup = Setup(self._course, keeps_data).before(node)
        self._kept, self._inlined = setup.kept, setup.inlined
        lines = [self._outer(version) for version in setup.outer]
        lines += [self._statement(self._course.body[index], index) for index in sorted(setup.statements)]
        tree = self._render(node, self._course.scope, self._course.end, 0)
        self._note(tree, False)
        if not self._roots or self._own_names() & (self._roots | set(dir(builtins))) or not (lines or asks(tree)):
            raise Unreadable()
        if lines and any(is_of_machine(module) for module in self._modules()):
            raise Unreadable()
        return shortened(lines), printed(tree)

    def expected(self, node):
        self._kept, self._inlined = set(), set()
        return printed(self._render(node, self._course.scope, self._course.end, 0), 2000)

    def inputs(self):
        """The same for expressions that ask the same thing of the same values."""
        return "%s(%s)" % (",".join(sorted(self._roots)), ",".join(sorted(self._constants)))

    def _own_names(self):
        """Names of variables that are kept, but for what the test imports."""
        return {version.name for version in self._kept if not isinstance(version.statement, (ast.Import, ast.ImportFrom))}

    def _modules(self):
        root = self._course.scope.root()
        found = [root.find(name)[0] for name in self._roots]
        return [value[0] for kind, value in [each for each in found if each] if kind == "import" and value[0]]

    def _outer(self, version):
        """A statement that makes what the test does not make itself."""
        if version.value is None:
            return self._printed_statement(version.statement, version.scope, 0)
        target = ast.Name(id=version.name, ctx=ast.Store())
        tree = ast.Assign(targets=[target], value=version.value, lineno=0)
        return self._printed_statement(tree, version.scope, version.at)

    def _statement(self, node, index):
        return self._printed_statement(node, self._course.scope, index)

    def _printed_statement(self, node, scope, at):
        tree = self._render(undocumented(node), scope, at, 0)
        self._note(tree, True)
        return ast.unparse(ast.fix_missing_locations(tree))

    def _note(self, tree, is_argument):
        own = inner_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not hasattr(builtins, node.id) and node.id not in own:
                if node.id not in self._own_names():
                    self._roots.add(node.id)
            if isinstance(node, ast.Call) and not is_argument:
                for argument in node.args + [keyword.value for keyword in node.keywords]:
                    self._note_constants(argument)
        if is_argument:
            self._note_constants(tree)

    def _note_constants(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                self._constants.add(repr(node.value))
            elif isinstance(node, ast.Attribute):
                self._constants.add(node.attr)

    def _render(self, node, scope, at, depth):
        if depth > MAX_DEPTH:
            raise Unreadable()
        inside = inner_names(node)
        # A name that is the test's own in one place, and something else in another.
        if any(scope.find(name)[1] is not None for name in inside & loaded(node)):
            raise Unreadable()
        return Inliner(self, inside, (scope, at, depth)).visit(copy.deepcopy(node))

    def name(self, node, place):
        scope, at, depth = place
        version = self._course.version(node.id, scope, at)
        if version is None or version in self._kept:
            return node
        if version.value is None or (version not in self._inlined and self._course.changes(version)):
            raise Unreadable()
        return self._render(version.value, version.scope, version.at, depth + 1)


class Inliner(ast.NodeTransformer):
    """`inside`: names that what is rendered binds for itself."""

    def __init__(self, renderer, inside, place):
        self._renderer, self._inside, self._place, self._functions = renderer, inside, place, 0

    def visit(self, node):
        if isinstance(node, REFUSED) and self._functions == 0:
            raise Unreadable()
        self._functions += isinstance(node, FUNCTIONS)
        try:
            return ast.NodeTransformer.visit(self, node)
        finally:
            self._functions -= isinstance(node, FUNCTIONS)

    def visit_Name(self, node):
        if node.id in self._inside or not isinstance(node.ctx, ast.Load):
            return node
        return self._renderer.name(node, self._place)

    def visit_Attribute(self, node):
        is_own = isinstance(node.value, ast.Name) and node.value.id in self._inside
        if node.attr.startswith("_") and not is_own:
            raise Unreadable()
        return self.generic_visit(node)


def loaded(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def undocumented(node):
    """A copy of a definition without the text that explains it."""
    node = copy.deepcopy(node)
    for inner in ast.walk(node):
        if isinstance(inner, BINDERS) and ast.get_docstring(inner) is not None:
            inner.body = inner.body[1:] or [ast.Pass()]
    return node


def asks(tree):
    return any(isinstance(inner, (ast.Call, ast.Subscript, ast.BinOp)) for inner in ast.walk(tree))


def printed(tree, limit=MAX_LENGTH):
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
    except ValueError:
        raise Unreadable()
    if len(text) > limit or "\n" in text or "`" in text or not text.isprintable():
        raise Unreadable()
    return text


def shortened(statements):
    """The statements as one text; None without any. Raises `Unreadable` when it is too long."""
    text = "\n".join(statements)
    lines = text.split("\n")
    # Such a string has lines of its own.
    if len(text) > MAX_SETUP or len(lines) > MAX_LINES or '"""' in text or "'''" in text or any(len(line) > MAX_LINE or "`" in line or not line.isprintable() for line in lines):
        raise Unreadable()
    return text or None
