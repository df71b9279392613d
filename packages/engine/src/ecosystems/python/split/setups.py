"""What has to happen before a test can ask what it asks."""
import ast

from course import Unreadable, is_of_code, is_plain_target
from uses import BINDERS, free_names

MAX_STATEMENTS = 6
# What uses them may never end, or end what runs it, or answer otherwise each time.
OF_MACHINES = {
    "os", "sys", "subprocess", "socket", "socketserver", "http", "threading", "multiprocessing", "concurrent", "asyncio", "time", "signal",
    "shutil", "tempfile", "logging", "random", "warnings", "gc", "ctypes", "atexit",
}


class Setup(object):
    """
    `kept`: versions of variables that keep their names. `outer`: those of them that the test does not make, in an order in which they can
    be made. `statements`: indices of the statements that are needed. `inlined`: those whose value is written in their place.
    """

    def __init__(self, course, keeps_data):
        self.kept, self.outer, self.statements, self.inlined = set(), [], set(), set()
        self._course, self._keeps_data, self._seen = course, keeps_data, set()

    def before(self, subject):
        """Sees to it that all that an expression needs is there. Raises `Unreadable`."""
        for name in sorted(free_names(subject)):
            self.need(name, self._course.scope, self._course.end)
        if self.statements and self._course.is_nested:
            raise Unreadable()
        self._leave_out_last(subject)
        if len(self.statements) + len(self.outer) > MAX_STATEMENTS:
            raise Unreadable()
        return self

    def need(self, name, scope, at):
        version = self._course.version(name, scope, at)
        if version is None or version in self._seen:
            return
        self._seen.add(version)
        changes = self._course.changes(version)
        if changes or not self._is_inlined(version):
            self._keep(version)
        else:
            self.inlined.add(version)
            self._need_all(version.value, version)
        for index in changes:
            self._include(index)

    def _is_inlined(self, version):
        kind = self._course.kind(version)
        if version.value is None or kind == "object" or (kind == "data" and self._keeps_data):
            return False
        # What it is made of may be another thing by then.
        inner = [self._course.version(name, version.scope, version.at) for name in free_names(version.value)]
        return all(each is None or self._course.kind(each) == "value" or each.index is None for each in inner)

    def _need_all(self, tree, place):
        for name in sorted(free_names(tree)):
            self.need(name, place.scope, place.at)

    def _keep(self, version):
        self.kept.add(version)
        if version.index is not None:
            self._include(version.index)
            return
        if version.value is not None:
            self._need_all(version.value, version)
        else:
            require_straight(version.statement, self._course)
            self._need_all(version.statement, version)
        self.outer.append(version)

    def _include(self, index):
        if index in self.statements:
            return
        statement = self._course.body[index]
        require_straight(statement, self._course)
        self.statements.add(index)
        for name in bound_names(statement):
            version = self._course.version(name, self._course.scope, index + 1)
            self._seen.add(version)
            self.kept.add(version)
            for other in self._course.changes(version):
                self._include(other)
        for name in sorted(free_names(statement)):
            self.need(name, self._course.scope, index)

    def _leave_out_last(self, subject):
        """A variable that is made last, and used once, is part of what is asked."""
        asked = [(subject, self._course.end)]
        while self.statements or self.outer:
            if self.statements:
                version = self._made_by(max(self.statements))
            else:
                version = self.outer[-1] if self.outer[-1].value is not None else None
            if version is None or not self._is_asked_once(version, asked):
                return
            asked.append((version.value, version.at))
            self.kept.discard(version)
            self.inlined.add(version)
            if self.statements:
                self.statements.discard(version.index)
            else:
                self.outer.pop()

    def _made_by(self, index):
        names = bound_names(self._course.body[index])
        version = self._course.version(names[0], self._course.scope, index + 1) if len(names) == 1 else None
        return version if version is not None and version.value is not None else None

    def _is_asked_once(self, version, asked):
        uses = 0
        for tree, at in asked:
            nested = {inner for node in ast.walk(tree) if isinstance(node, REPEATS) for inner in ast.walk(node)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id == version.name:
                    same = self._course.version(node.id, self._course.scope, at) is version
                    uses += 2 if node in nested else same
        others = any(
            version.name in free_names(each.value if each.value is not None else each.statement)
            for each in self.outer if each is not version
        )
        return uses == 1 and not others


REPEATS = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(statement):
    """Names that a straight statement binds."""
    if isinstance(statement, BINDERS):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def require_straight(statement, course):
    """Raises `Unreadable` but for a definition, an assignment, a call, or an import of code under test."""
    inner = [node for node in ast.walk(statement) if isinstance(node, (ast.stmt, ast.expr))]
    if any(course.uses.is_asserted(node) or isinstance(node, REFUSED) for node in inner):
        raise Unreadable()
    if isinstance(statement, ast.Assign):
        straight = all(is_plain_target(target) for target in statement.targets)
    elif isinstance(statement, ast.Expr):
        straight = isinstance(statement.value, ast.Call)
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        modules = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else [statement.level == 0 and statement.module]
        straight = all(module and is_of_code(module) and not is_of_machine(module) for module in modules)
    elif isinstance(statement, ast.AnnAssign):
        straight = statement.value is not None and isinstance(statement.target, ast.Name)
    else:
        straight = isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AugAssign))
    if not straight:
        raise Unreadable()


REFUSED = (ast.Assert, ast.Await, ast.AsyncFunctionDef, ast.Global, ast.Nonlocal, ast.While)


def is_of_machine(module):
    return module.split(".")[0] in OF_MACHINES
