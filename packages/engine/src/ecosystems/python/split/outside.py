"""Which expressions can be evaluated outside, and as what."""
import ast

import pure
import trees
from scopes import Scope, is_fixture


class Impure(Exception):
    pass


class Expectations(object):
    """What all sites of a request share. Collects constants and imports, each under a name of its own."""

    def __init__(self):
        self.constants, self.imports, self.tables, self.loops = [], [], [], []
        self._names = {}

    def constant(self, binding, make):
        key = id(binding)
        if key not in self._names:
            self._names[key] = None
            try:
                value = make()
            except Impure:
                del self._names[key]
                raise
            self.constants.append(trees.dump(value))
            # The node is kept, so that its id stays its own.
            self._names[key] = ("_c%d" % (len(self.constants) - 1), binding)
        if self._names[key] is None:  # It is made of itself.
            raise Impure()
        return self._names[key][0]

    def imported(self, module, name):
        key = (module, name)
        if key not in self._names:
            self.imports.append([module, name])
            self._names[key] = "_m%d" % (len(self.imports) - 1)
        return self._names[key]


class Outside(object):
    """
    Turns expressions of one scope into what the evaluator knows. `columns`: names that rows bind, as
    `Tables.columns_of` gives them; `rounds`: names that loops bind, with the numbers of their loops.
    """

    def __init__(self, scope, expectations, columns=None, rounds=None):
        self._scope, self._shared, self._columns, self._rounds = scope, expectations, columns or {}, rounds or {}

    def of(self, node, bound=frozenset()):
        """The expression with its names resolved. Raises `Impure`."""
        make = getattr(self, "_" + type(node).__name__, None)
        if make is None:
            if isinstance(node, PLAIN):
                return self._parts(node, bound)
            raise Impure()
        return make(node, bound)

    def is_pure(self, node):
        try:
            self.of(node)
            return True
        except Impure:
            return False

    def is_builtin(self, name):
        return self._scope.find(name)[1] is None

    def types(self, node):
        """Classes, of the language or by their last name. Raises `Impure` when it is not plain which."""
        if isinstance(node, ast.Tuple):
            return ast.Tuple(elts=[self.types(item) for item in node.elts], ctx=ast.Load())
        if isinstance(node, ast.Name) and node.id in self._columns:
            return trees.name("_p%d_%s" % (self._columns[node.id][0], node.id))
        try:
            return self.of(node)
        except Impure:
            pass
        name = node.attr if isinstance(node, ast.Attribute) else self._class_name(node)
        if name is None or not is_class_name(name):
            raise Impure()
        return trees.call("_type", ast.Constant(value=name, kind=None))

    def _class_name(self, node):
        found = self._scope.find(node.id)[0] if isinstance(node, ast.Name) else None
        if found is not None and found[0] == "class":
            return node.id
        return found[1][1] if found is not None and found[0] == "import" else None

    def _parts(self, node, bound):
        fields = {name: self._field(getattr(node, name, None), bound) for name in node._fields}
        return type(node)(**fields)

    def _field(self, value, bound):
        if isinstance(value, list):
            return [self._field(item, bound) for item in value]
        if isinstance(value, ast.expr) or type(value).__name__ in ("Index", "ExtSlice", "Slice", "keyword"):
            return self.of(value, bound)
        return value

    def _Constant(self, node, bound):
        return node

    def _Name(self, node, bound):
        name = node.id
        if name in bound:
            return node
        if name in self._rounds:
            return trees.name("_q%d_%s" % (self._rounds[name], name))
        if name in self._columns:
            number, has_classes = self._columns[name]
            if has_classes:
                raise Impure()
            return trees.name("_p%d_%s" % (number, name))
        found, scope = self._scope.find(name)
        if scope is None:
            if name in pure.BUILTINS or name in pure.EXCEPTIONS or name in pure.TYPES:
                return node
            raise Impure()
        if found is not None and found[0] == "import":
            return self._import(*found[1])
        if found is not None and found[0] == "argument" and scope.parent is self._scope.root():
            return self._fixture(name)
        if found is None or found[0] != "value":
            raise Impure()
        value = found[1]
        own = scope is self._scope
        guard = Outside(scope, self._shared, self._columns if own else None, self._rounds if own else None)
        if self._refers_to_itself(value, name):
            raise Impure()
        if own and (self._columns or self._rounds):
            tree = guard.of(value)
            if any(isinstance(inner, ast.Name) and inner.id[:2] in ("_p", "_q") for inner in ast.walk(tree)):
                # Another value in each row.
                return tree
        return trees.name(self._shared.constant(value, lambda: guard.of(value)))

    def _fixture(self, name):
        """What a fixture of the same file gives, if it does nothing but return it."""
        root = self._scope.root()
        found, _ = root.find(name)
        if found is None or found[0] != "function" or not is_fixture(found[1]) or len(found[1].body) != 1:
            raise Impure()
        value = getattr(found[1].body[0], "value", None)
        if not isinstance(found[1].body[0], ast.Return) or value is None:
            raise Impure()
        guard = Outside(Scope(found[1], root), self._shared)
        return trees.name(self._shared.constant(value, lambda: guard.of(value)))

    @staticmethod
    def _refers_to_itself(value, name):
        return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(value))

    def _import(self, module, name):
        if module is None:
            raise Impure()
        if name is None:
            if not pure.is_module(module):
                raise Impure()
        elif pure.is_module(module + "." + name):
            module, name = module + "." + name, None
        elif not pure.allows(module, name):
            raise Impure()
        return trees.name(self._shared.imported(module, name))

    def _Attribute(self, node, bound):
        if node.attr.startswith("_") or node.attr in pure.DENIED:
            raise Impure()
        module = self.module_of(node.value)
        if module is not None:
            return self._import(module, node.attr)
        return ast.Attribute(value=self.of(node.value, bound), attr=node.attr, ctx=ast.Load())

    def module_of(self, node):
        """The name of the module that an expression names; None when it is none that is known."""
        if isinstance(node, ast.Name):
            found, _ = self._scope.find(node.id)
            if found is None or found[0] != "import" or found[1][0] is None:
                return None
            module, name = found[1]
            full = module if name is None else "%s.%s" % (module, name)
            return full if pure.is_module(full) else None
        if isinstance(node, ast.Attribute):
            module = self.module_of(node.value)
            full = None if module is None else "%s.%s" % (module, node.attr)
            return full if full is not None and pure.is_module(full) else None
        return None

    def _Call(self, node, bound):
        if isinstance(node.func, ast.Attribute) and node.func.attr in pure.MUTATORS:
            raise Impure()
        if not isinstance(node.func, (ast.Attribute, ast.Name)):
            raise Impure()
        return self._parts(node, bound)

    def _Lambda(self, node, bound):
        parts = node.args
        if parts.defaults or parts.kw_defaults:
            raise Impure()
        names = {argument.arg for argument in parts.args}
        return ast.Lambda(args=parts, body=self.of(node.body, bound | names))

    def _comprehension(self, node, bound):
        generators = []
        for part in node.generators:
            if part.is_async:
                raise Impure()
            iterated = self.of(part.iter, bound)
            bound = bound | {inner.id for inner in ast.walk(part.target) if isinstance(inner, ast.Name)}
            if not isinstance(part.target, (ast.Name, ast.Tuple)):
                raise Impure()
            tests = [self.of(test, bound) for test in part.ifs]
            generators.append(ast.comprehension(target=part.target, iter=iterated, ifs=tests, is_async=0))
        return generators, bound

    def _ListComp(self, node, bound):
        generators, bound = self._comprehension(node, bound)
        return type(node)(elt=self.of(node.elt, bound), generators=generators)

    _SetComp = _GeneratorExp = _ListComp

    def _DictComp(self, node, bound):
        generators, bound = self._comprehension(node, bound)
        return ast.DictComp(key=self.of(node.key, bound), value=self.of(node.value, bound), generators=generators)


def is_class_name(name):
    return name[:1].isupper() and (len(name) == 1 or not name.isupper())


PLAIN = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Subscript, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.Slice, ast.keyword,
) + tuple(getattr(ast, name) for name in ("Index", "ExtSlice") if hasattr(ast, name))
