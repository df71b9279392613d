"""The statements of a test in their order, up to an assertion, and what each name stands for among them."""
import ast
import builtins

import pure
from scopes import Scope, is_fixture
from uses import BINDERS, ITERATORS, bound_in, free_names, references

# Modules of which nothing is known to who has no tests.
OF_TESTS = {"tests", "test", "testing", "conftest", "helpers", "utils", "pytest", "unittest", "mock"}
UNREADABLE_NAMES = {"locals", "globals", "vars", "eval", "exec", "open", "input", "exit", "quit", "print", "object", "id"}
KINDS = ("value", "data", "object")
MAX_DEPTH = 8


class Unreadable(Exception):
    """It cannot be told."""


class Version(object):
    """
    What a name stands for: the `value`, if it is one expression, with the scope and the place where that is read, and the statement
    that binds it, which is `index` of the test, or None where it is not one of the test.
    """

    def __init__(self, name, value, statement, scope, index=None):
        self.name, self.value, self.statement, self.scope, self.index = name, value, statement, scope, index

    @property
    def at(self):
        return self.index if self.index is not None else 0


class Course(object):
    """`cells`: expressions of the test's row by their names."""

    def __init__(self, site, cells, uses, module):
        self.scope, self._cells, self.uses = site.scope, cells, uses
        self._module, self.owner, self.body = module, site.owner, site.owner.body
        if site.scope.node is not site.owner:
            raise Unreadable()
        self.end = next(i for i, each in enumerate(self.body) if any(node is site.node for node in ast.walk(each)))
        asked = self.body[self.end]
        self.is_nested = not isinstance(asked, (ast.Assert, ast.Expr)) and not (
            isinstance(asked, ast.With) and any(item.context_expr is site.node for item in asked.items)
        )
        self._bound = [bound_in(each) for each in self.body]
        self._versions, self._kinds, self._changes = {}, {}, {}
        self._outer = {
            name for node in ast.walk(self.owner) if isinstance(node, (ast.Nonlocal, ast.Global)) for name in node.names
        }

    def version(self, name, scope, at):
        """What a name is just before a statement; None for what everybody knows by its name. Raises `Unreadable`."""
        if scope is not self.scope:
            return self._elsewhere(name, scope)
        if name in self._outer or (at == self.end and self.is_nested and name in self._bound[at]):
            raise Unreadable()
        index = next((i for i in range(min(at, self.end) - 1, -1, -1) if name in self._bound[i]), None)
        if index is not None:
            return self._known((name, index), lambda: self._local(name, index))
        if name in scope.bindings:
            if ("argument", None) not in scope.bindings[name]:
                raise Unreadable()
            if name in self._cells:
                return self._known((name, None), lambda: Version(name, self._cells[name], None, scope.root()))
            return self._fixture(name)
        return self._elsewhere(name, scope)

    def _known(self, key, make):
        if key not in self._versions:
            self._versions[key] = make()
        return self._versions[key]

    def _local(self, name, index):
        node = self.body[index]
        value = None
        if isinstance(node, ast.Assign):
            if not all(is_plain_target(target) for target in node.targets):
                raise Unreadable()
            value = part_of(node.targets[0], node.value, name) if len(node.targets) == 1 else None
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = node.value
        elif not isinstance(node, (ast.AugAssign, ast.Import, ast.ImportFrom) + BINDERS):
            raise Unreadable()
        return Version(name, value, node, self.scope, index)

    def _elsewhere(self, name, scope):
        found, owner = scope.find(name)
        if owner is None:
            if name in UNREADABLE_NAMES or not hasattr(builtins, name):
                raise Unreadable()
            return None
        if found is None:
            raise Unreadable()
        kind, value = found
        if kind == "argument" and owner.parent is scope.root():
            return self._fixture(name)
        if owner is not scope.root():
            raise Unreadable()
        if kind == "import" and is_of_code(value[0]):
            return None
        if kind == "value":
            return self._known(("module", name), lambda: Version(name, value, None, owner))
        if kind in ("class", "function"):
            return self._known(("module", name), lambda: self._definition(name, owner))
        raise Unreadable()

    def _definition(self, name, scope):
        node = next((each for each in self._module.body if isinstance(each, BINDERS) and each.name == name), None)
        if node is None or any("fixture" in ast.dump(each) for each in node.decorator_list):
            raise Unreadable()
        return Version(name, None, node, scope)

    def _fixture(self, name):
        """What a fixture of the same file gives, if it does nothing but return it."""
        root = self.scope.root()
        found, _ = root.find(name)
        if found is None or found[0] != "function" or not is_fixture(found[1]) or len(found[1].body) != 1:
            raise Unreadable()
        returned = found[1].body[0]
        if not isinstance(returned, ast.Return) or returned.value is None:
            raise Unreadable()
        return self._known(("fixture", name), lambda: Version(name, returned.value, None, Scope(found[1], root)))

    def kind(self, version):
        """`value`: nothing changes it. `data`: it is written out. `object`: only the code that made it knows."""
        if version not in self._kinds:
            # It is made of itself.
            self._kinds[version] = "object"
            if version.value is not None:
                self._kinds[version] = self._kind_of(version.value, version)
            elif isinstance(version.statement, BINDERS):
                self._kinds[version] = self._kind_of_definition(version)
        return self._kinds[version]

    def _kind_of_definition(self, version):
        """A definition is what it says, whatever calls it, unless it knows variables that change."""
        known = [self.version(name, version.scope, version.at) for name in free_names(version.statement) if name != version.name]
        is_plain = all(each is None or each.value is None and self.kind(each) == "data" or self.kind(each) == "value" for each in known)
        return "data" if is_plain else "object"

    def _kind_of(self, node, place):
        if isinstance(node, (ast.Lambda, ast.Await, ast.NamedExpr)):
            return "object"
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                return "value"
            version = self.version(node.id, place.scope, place.at)
            return self.kind(version) if version else "value" if hasattr(builtins, node.id) else "object"
        if isinstance(node, ast.Call):
            return self._kind_of_call(node, place)
        if isinstance(node, ast.Attribute) and self._is_pure(node, place):
            return "value"
        own = "data" if isinstance(node, (ast.List, ast.Dict, ast.Set, ast.Subscript)) else "value"
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            own = "object"
        return worst([own] + [self._kind_of(child, place) for child in ast.iter_child_nodes(node)])

    def _kind_of_call(self, node, place):
        parts = [self._kind_of(child, place) for child in ast.iter_child_nodes(node) if child is not node.func]
        function = node.func
        if isinstance(function, ast.Name) and self.version(function.id, place.scope, place.at) is None:
            if function.id in (pure.BUILTINS | pure.TYPES) - ITERATORS and hasattr(builtins, function.id):
                return worst(["data"] + parts)
        if self._is_pure(function, place):
            return worst(["data"] + parts)
        if isinstance(function, ast.Attribute) and self._kind_of(function.value, place) != "object":
            return worst(["data"] + parts)
        return "object"

    def _is_pure(self, node, place):
        """Whether it is something of a module that does the same everywhere: `datetime.date`."""
        names = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        found = place.scope.find(node.id)[0]
        if found is None or found[0] != "import" or found[1][0] is None:
            return False
        module, name = found[1]
        path = [module] + ([name] if name else []) + names
        return any(
            pure.is_module(".".join(path[:i])) and (i == len(path) or pure.allows(".".join(path[:i]), path[i]))
            for i in range(1, len(path) + 1)
        )

    def changes(self, version, depth=0):
        """Indices of the statements after which it may be another thing, until the name stands for something else. Raises `Unreadable`."""
        if version not in self._changes:
            # What it is an alias of asks again.
            self._changes[version] = []
            self._changes[version] = self._changes_of(version, depth)
        if self._changes[version] is None:
            raise Unreadable()
        return self._changes[version]

    def _changes_of(self, version, depth):
        kind = self.kind(version)
        if kind == "value":
            return []
        if depth > MAX_DEPTH:
            return None
        name, first = version.name, 0 if version.index is None else version.index + 1
        if version.index is None:
            if version.scope is self.scope.root() and name not in self._cells and self._is_changed_elsewhere(name, kind):
                return None
            if name in self.scope.bindings and ("argument", None) not in self.scope.bindings[name]:
                return []
        last = next((i for i in range(first, self.end) if name in self._bound[i]), self.end)
        found = [i for i in range(first, last) if self._is_changed(version, i, depth)]
        # An assertion has changed it, or the statement around the one in question may have.
        if any(self._is_asserted(version, i) for i in found):
            return None
        return None if last == self.end and self.is_nested and self._is_changed(version, last, depth) else found

    def _is_asserted(self, version, index):
        changing = [each for each in references(self.body[index], version.name) if self.uses.may_change(each, self.kind(version))]
        return any(self.uses.is_asserted(each) for each in changing)

    def _is_changed(self, version, index, depth):
        kind, statement = self.kind(version), self.body[index]
        for reference in references(statement, version.name):
            if self.uses.may_change(reference, kind):
                return True
            if self.uses.is_alias(reference) and not self.uses.is_asserted(reference) and self._is_alias_changed(index, depth):
                return True
        return False

    def _is_alias_changed(self, index, depth):
        statement = self.body[index]
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return not isinstance(statement, (ast.Expr, ast.Assert))
        return any(self.changes(self.version(name, self.scope, index + 1), depth + 1) for name in self._bound[index])

    def _is_changed_elsewhere(self, name, kind):
        return any(
            self.uses.may_change(reference, kind, False)
            for reference in references(self._module, name)
            if not any(node is self.owner for node in self.uses.around(reference))
        )


def worst(kinds):
    return max(kinds, key=KINDS.index)


def is_plain_target(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(is_plain_target(each) for each in target.elts)
    return isinstance(target, (ast.Name, ast.Attribute, ast.Subscript))


def part_of(target, value, name):
    """The expression that an assignment gives to a name; None where it is not written out."""
    if isinstance(target, ast.Name):
        return value if target.id == name else None
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
        if not any(isinstance(each, ast.Starred) for each in value.elts):
            return next((each for part, each in zip(target.elts, value.elts) if getattr(part, "id", None) == name), None)
    return None


def is_of_code(module):
    return module is not None and module.split(".")[0] not in OF_TESTS
