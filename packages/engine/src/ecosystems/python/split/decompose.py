"""Takes an assertion apart: leaves need the code under test, the rest is the expectation."""
import ast

import trees
from outside import Impure

BOTH_INSIDE = "both sides are computed by the code under test"
LAMBDA_BREAKS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
TEXT_TESTS = {"startswith", "endswith"}
PATTERN_TESTS = {"search", "match", "fullmatch"}


class Native(Exception):
    """The assertion has to stay inside; the text says why."""


class Decomposed(object):
    """`leaves`: texts of arguments for the observer, in order. `tree`: the expectation, over names `_l0`, `_l1`, ..."""

    def __init__(self, source, outside):
        self.leaves, self.tree = [], None
        self._source, self._outside = source, outside
        self.compared_inside = False
        self.compared_outside = False

    def truth_of(self, node):
        self.tree = self._truth(node, False)
        if self.compared_inside and not self.compared_outside:
            raise Native(BOTH_INSIDE)
        return self

    def leaf(self, node, later=False, truth=False):
        text = self._text(node)
        if truth:
            text = "not not (%s)" % text
        if later:
            if any(isinstance(inner, LAMBDA_BREAKS) for inner in ast.walk(node)):
                raise Native("a part that is not always evaluated cannot be moved")
            text = "__assay__.later(lambda: (%s))" % text
        else:
            text = "(%s)" % text
        self.leaves.append(text)
        value = trees.name("_l%d" % (len(self.leaves) - 1))
        return trees.call("_value", value) if later else value

    def _text(self, node):
        if getattr(node, "_in_format", False):
            if not hasattr(ast, "unparse"):
                raise Native("a part of a formatted string")
            return ast.unparse(node)
        return self._source.segment(node)

    def _truth(self, node, later):
        if self._outside.is_pure(node):
            return self._outside.of(node)
        if isinstance(node, ast.BoolOp):
            values = [self._truth(value, later or index > 0) for index, value in enumerate(node.values)]
            return ast.BoolOp(op=node.op, values=values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(op=node.op, operand=self._truth(node.operand, later))
        if isinstance(node, ast.Compare):
            return self._compare(node, later)
        if isinstance(node, ast.Call):
            found = self._call(node, later)
            if found is not None:
                self.compared_outside = True
                return found
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await)):
            self.compared_inside = True
            return self.leaf(node, later, truth=True)
        self.compared_outside = True
        return self.leaf(node, later, truth=True)

    def _compare(self, node, later):
        sides = [node.left] + node.comparators
        if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            if len(node.ops) > 1 or not any(is_singleton(side) for side in sides):
                return self._identical(node, later) or self._inside(node, later)
        if len(sides) > 2 and later:
            return self._inside(node, later)
        pure = [self._outside.is_pure(side) for side in sides]
        if not any(pure):
            if not any(self.is_mixed(side) for side in sides):
                return self._identical(node, later) or self._inside(node, later)
            values = [self.mixed(side, later) for side in sides]
        else:
            values = [self._outside.of(side) if known else self.leaf(side, later) for side, known in zip(sides, pure)]
        self.compared_outside = True
        return ast.Compare(left=values[0], ops=node.ops, comparators=values[1:])

    def _identical(self, node, later):
        """`type(x) is T`, `x is column` and the like, or None."""
        negated = isinstance(node.ops[0], (ast.IsNot, ast.NotEq))
        if len(node.ops) > 1 or not (negated or isinstance(node.ops[0], (ast.Is, ast.Eq))):
            return None
        left, right = node.left, node.comparators[0]
        for value, kind in ((left, right), (right, left)):
            try:
                kinds = self._outside.types(kind)
            except Impure:
                continue
            if isinstance(kind, ast.Tuple):
                return None
            self.compared_outside = True
            same = trees.call("_identical", self.leaf(value, later), kinds)
            return ast.UnaryOp(op=ast.Not(), operand=same) if negated else same
        return None

    def _inside(self, node, later):
        self.compared_inside = True
        return self.leaf(node, later, truth=True)

    def is_mixed(self, node):
        """A display or text that is made of constants and of parts that need the code under test."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return any(self._holds_constant(item) for item in node.elts)
        if isinstance(node, ast.Dict):
            return None not in node.keys and any(self._holds_constant(item) for item in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            return any(self._is_text(side) for side in (node.left, node.right)) or self.is_mixed(node.left)
        return isinstance(node, ast.JoinedStr)

    def _holds_constant(self, node):
        return not isinstance(node, ast.Starred) and (self._outside.is_pure(node) or self.is_mixed(node))

    @staticmethod
    def _is_text(node):
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))

    def mixed(self, node, later):
        """The value of a node with its leaves taken out."""
        if self._outside.is_pure(node):
            return self._outside.of(node)
        if not self.is_mixed(node):
            return self.leaf(node, later)
        if isinstance(node, ast.Dict):
            values = [(self.mixed(key, later), self.mixed(value, later)) for key, value in zip(node.keys, node.values)]
            return ast.Dict(keys=[key for key, _ in values], values=[value for _, value in values])
        if isinstance(node, ast.BinOp):
            return ast.BinOp(left=self.mixed(node.left, later), op=node.op, right=self.mixed(node.right, later))
        if isinstance(node, ast.JoinedStr):
            return ast.JoinedStr(values=[self._formatted(part, later) for part in node.values])
        if isinstance(node, ast.Set):
            return ast.Set(elts=[self.mixed(item, later) for item in node.elts])
        return type(node)(elts=[self.mixed(item, later) for item in node.elts], ctx=ast.Load())

    def _formatted(self, part, later):
        if isinstance(part, ast.Constant):
            return part
        if part.format_spec is not None and not self._outside.is_pure(part.format_spec):
            raise Native("a formatted string with a computed format")
        # Columns inside of formatted strings are right only from Python 3.12 on.
        for inner in ast.walk(part.value):
            inner._in_format = True
        value = self._outside.of(part.value) if self._outside.is_pure(part.value) else self.leaf(part.value, later)
        return ast.FormattedValue(value=value, conversion=part.conversion, format_spec=part.format_spec)

    def _call(self, node, later):
        function, arguments = node.func, node.args
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in arguments):
            return None
        if isinstance(function, ast.Name) and self._outside.is_builtin(function.id):
            if function.id == "isinstance" and len(arguments) == 2:
                return self.isinstance(arguments[0], arguments[1], later)
            if function.id in ("all", "any") and len(arguments) == 1:
                return self._quantified(node, later)
            return None
        if not isinstance(function, ast.Attribute):
            return None
        if function.attr in TEXT_TESTS and arguments and all(self._outside.is_pure(argument) for argument in arguments):
            values = [self._outside.of(argument) for argument in arguments]
            return ast.Call(func=attribute(self.leaf(function.value, later), function.attr), args=values, keywords=[])
        if function.attr in PATTERN_TESTS and self._outside.is_pure(function):
            values = [self._outside.of(item) if self._outside.is_pure(item) else self.leaf(item, later) for item in arguments]
            return ast.Call(func=self._outside.of(function), args=values, keywords=[])
        return None

    def isinstance(self, value, kinds, later=False):
        try:
            names = self._outside.types(kinds)
        except Impure:
            return None
        self.compared_outside = True
        return trees.call("_is", self.leaf(value, later), names)

    def _quantified(self, node, later):
        inner = node.args[0]
        if not isinstance(inner, (ast.GeneratorExp, ast.ListComp)) or len(inner.generators) != 1 or inner.generators[0].is_async:
            return None
        part = inner.generators[0]
        bound = frozenset(name.id for name in ast.walk(part.target) if isinstance(name, ast.Name))
        try:
            element = self._outside.of(inner.elt, bound)
            tests = [self._outside.of(test, bound) for test in part.ifs]
        except Impure:
            return None
        generator = ast.comprehension(target=part.target, iter=self.leaf(part.iter, later), ifs=tests, is_async=0)
        return trees.call(node.func.id, ast.GeneratorExp(elt=element, generators=[generator]))


def is_singleton(node):
    return isinstance(node, ast.Constant) and (node.value is None or node.value is True or node.value is False or node.value is Ellipsis)


def attribute(value, name):
    return ast.Attribute(value=value, attr=name, ctx=ast.Load())
