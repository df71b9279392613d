"""What each name of a test file is bound to, as far as reading the file tells."""
import ast

import pure

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NESTED = FUNCTIONS + (ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope(object):
    """
    `bindings`: name to what it is bound to, once for each time: `("value", expression)`, `("import", module, name)`,
    `("class", None)`, `("function", node)`, `("argument", None)`, `("loop", node)` or `("other", None)`.
    """

    def __init__(self, node, parent=None, hidden=()):
        self.node, self.parent, self.hidden = node, parent, set(hidden)
        self.bindings, self.mutated, self.outer = {}, set(), set()
        if isinstance(node, FUNCTIONS):
            for argument in arguments_of(node):
                self._bind(argument, "argument")
        for statement in node.body:
            self._visit(statement)
        for name in self.outer:
            root = self.root()
            root.bindings.setdefault(name, []).extend([("other", None)] * 2)

    def root(self):
        return self if self.parent is None else self.parent.root()

    def find(self, name):
        """The one thing that a name is bound to, and the scope; `(None, scope)` when it is not one thing, `(None, None)` when nothing."""
        if name in self.hidden:
            return None, self
        if name in self.bindings and name not in self.outer:
            found = self.bindings[name]
            return (found[0] if len(found) == 1 and name not in self.mutated else None), self
        return self.parent.find(name) if self.parent else (None, None)

    def is_bound_by(self, name, loop):
        """Whether only loops bind a name, of which `loop` is one: then it has that one's value within it."""
        found = self.bindings.get(name, [])
        return ("loop", loop) in found and all(kind == "loop" for kind, _ in found) and name not in self.mutated

    def _bind(self, name, kind, value=None):
        self.bindings.setdefault(name, []).append((kind, value))

    def _visit(self, node):
        if isinstance(node, FUNCTIONS):
            self._bind(node.name, "function", node)
            self._note_mutations(node)
            for part in node.decorator_list + node.args.defaults:
                self._visit(part)
            return
        if isinstance(node, ast.ClassDef):
            self._bind(node.name, "class")
            self._note_mutations(node)
            return
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            self.outer.update(node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                self._bind(name, "import", (alias.name if alias.asname else name, None))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self._bind(alias.asname or alias.name, "import", (node.module if node.level == 0 else None, alias.name))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, (ast.Name, ast.Tuple, ast.List)):
            for inner in ast.walk(node.target):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    self._bind(inner.id, "loop", node)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self._bind(node.id, "other")
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._bind(node.name, "other")
        elif type(node).__name__ in ("MatchAs", "MatchStar") and node.name:
            self._bind(node.name, "other")
        self._mutation(node)
        skipped = targets_of(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
                self._note_mutations(child)
            elif child not in skipped:
                self._visit(child)

    def _assign(self, target, value):
        if isinstance(target, ast.Name):
            self._bind(target.id, "value", value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            plain = len(parts) == len(target.elts) and not any(isinstance(part, ast.Starred) for part in parts + target.elts)
            for index, part in enumerate(target.elts):
                if plain:
                    self._assign(part, parts[index])
                else:
                    self._visit(part)
        else:
            self._visit(target)

    def _note_mutations(self, node):
        """Code of inner scopes may change what an outer name is bound to."""
        for inner in ast.walk(node):
            self._mutation(inner)
            if isinstance(inner, ast.Nonlocal):
                for name in inner.names:
                    self._bind(name, "other")
            if isinstance(inner, ast.NamedExpr):
                self._bind(inner.target.id, "other")

    def _mutation(self, node):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            self.mutated.add(base_name(node))
        elif isinstance(node, ast.AugAssign):
            self.mutated.add(base_name(node.target))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in pure.MUTATORS:
            self.mutated.add(base_name(node.func))


def targets_of(node):
    """Parts of an assignment that `_assign` has seen to."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.For) and isinstance(node.target, (ast.Name, ast.Tuple, ast.List)):
        return [node.target]
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def is_fixture(node):
    """Whether a function is a fixture of pytest without options."""
    return len(node.decorator_list) == 1 and last_name(node.decorator_list[0]) == "fixture"


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def base_name(node):
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def arguments_of(node):
    parts = node.args
    every = getattr(parts, "posonlyargs", []) + parts.args + parts.kwonlyargs + [parts.vararg, parts.kwarg]
    return [argument.arg for argument in every if argument is not None]
