"""What the statements of a test do to its variables before it asks, as far as reading them tells."""
import ast

import pure
from scopes import FUNCTIONS, NESTED

BINDERS = FUNCTIONS + (ast.ClassDef,)
# Calls of them give an iterator, which every use changes.
ITERATORS = {"iter", "map", "filter", "zip", "reversed", "enumerate"}
WRITERS = {"setattr", "delattr", "next", "heappush", "heappop", "heapify", "shuffle", "insort"}
DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp)


def parents_of(tree):
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def bound_in(statement):
    """Names that a statement binds in its own scope."""
    names, pending = set(), [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, BINDERS):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.ExceptHandler) or type(node).__name__ in ("MatchAs", "MatchStar"):
            names.add(node.name)
        if isinstance(node, NESTED):
            names.update(inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        else:
            pending.extend(ast.iter_child_nodes(node))
    return names


def inner_names(tree):
    """Names that functions, classes and comprehensions within a tree bind for themselves."""
    names = set()
    for node in ast.walk(tree):
        if not isinstance(node, NESTED):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.arg):
                names.add(inner.arg)
            elif isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
                names.add(inner.id)
            elif isinstance(inner, BINDERS) and inner is not node:
                names.add(inner.name)
            elif isinstance(inner, ast.ExceptHandler) and inner.name:
                names.add(inner.name)
    return names


def free_names(tree):
    """Names that a tree needs from elsewhere, whether to read them or to add to them."""
    inside = inner_names(tree)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if isinstance(tree, ast.AugAssign) and isinstance(tree.target, ast.Name):
        found.add(tree.target.id)
    return found - inside


def references(tree, name):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]


class Uses(object):
    """Uses of variables in one file. `assertions`: what asks, and changes nothing unless it says so."""

    def __init__(self, tree, assertions):
        self._parents = parents_of(tree)
        self._assertions = set(assertions)
        for node in ast.walk(tree):
            if isinstance(node, (ast.With, ast.AsyncWith)) and any(item.context_expr in self._assertions for item in node.items):
                self._assertions.add(node)

    def is_asserted(self, node):
        return any(each in self._assertions for each in self.around(node))

    def around(self, node):
        while node is not None:
            yield node
            node = self._parents.get(node)

    def may_change(self, reference, kind, is_own=True):
        """
        Whether a variable may be another thing after this use of it. `kind`: `data` that is written out, or an `object` of which only
        the code that made it knows what changes it. Outside of the test, only what is done for its effect counts.
        """
        at = self._whole(reference)
        parent = self._parents.get(at)
        while isinstance(parent, (ast.Starred, ast.keyword)):
            at, parent = parent, self._parents.get(parent)
        if isinstance(parent, ast.AugAssign) and parent.target is at:
            return True
        if at is not reference and not isinstance(getattr(at, "ctx", None), (ast.Load, type(None))):
            return True
        is_asserted = self.is_asserted(reference)
        if isinstance(parent, ast.Call):
            return self._call_may_change(parent, at, (kind, is_own, is_asserted))
        uses = (ast.withitem, ast.For, ast.AsyncFor, ast.comprehension, ast.Await, ast.Yield, ast.YieldFrom, ast.Return)
        return kind == "object" and is_own and not is_asserted and isinstance(parent, uses)

    def _call_may_change(self, call, at, how):
        kind, is_own, is_asserted = how
        name = at.attr if isinstance(at, ast.Attribute) else None
        if call.func is at:
            if name in pure.MUTATORS:
                return True
            if kind == "data":
                return False
        elif last_of(call.func) in WRITERS:
            return True
        if is_asserted:
            return False
        is_effect = isinstance(self._statement(call), ast.Expr)
        return is_effect or (is_own and kind == "object")

    def is_alias(self, reference):
        """Whether the statement gives another name to what the variable is, or holds."""
        at = self._whole(reference)
        parent = self._parents.get(at)
        if isinstance(parent, ast.Call) and parent.func is at:
            at, parent = parent, self._parents.get(parent)
        while isinstance(parent, DISPLAYS):
            at, parent = parent, self._parents.get(parent)
        return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.For, ast.withitem, ast.comprehension))

    def _whole(self, reference):
        """`a.b[0]` of its `a`."""
        at = reference
        while isinstance(self._parents.get(at), (ast.Attribute, ast.Subscript)) and self._parents[at].value is at:
            at = self._parents[at]
        return at

    def _statement(self, node):
        return next((each for each in self.around(node) if isinstance(each, ast.stmt)), None)


def last_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
