"""How each form of assertion becomes a call of the observer and an expectation."""
import ast

import trees
from decompose import BOTH_INSIDE, Decomposed, Native
from outside import Impure

ORDER = {
    "assertEqual": ast.Eq, "assertEquals": ast.Eq, "assertListEqual": ast.Eq, "assertDictEqual": ast.Eq, "assertTupleEqual": ast.Eq,
    "assertSetEqual": ast.Eq, "assertSequenceEqual": ast.Eq, "assertMultiLineEqual": ast.Eq, "assertNotEqual": ast.NotEq,
    "assertNotEquals": ast.NotEq, "assertIn": ast.In, "assertNotIn": ast.NotIn, "assertIs": ast.Is, "assertIsNot": ast.IsNot,
    "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE, "assertLess": ast.Lt, "assertLessEqual": ast.LtE,
}
FUNCTIONS = {
    "assertRegex": "_matches", "assertRegexpMatches": "_matches", "assertNotRegex": "_matches_not", "assertCountEqual": "_same_items",
    "assertAlmostEqual": "_almost", "assertAlmostEquals": "_almost", "assertNotAlmostEqual": "_almost_not",
}
NAMES = {"first", "second", "member", "container", "expr1", "expr2", "a", "b", "text", "expected_regex", "obj", "cls", "expr", "list1", "list2"}
NAMES |= {"d1", "d2", "set1", "set2", "tuple1", "tuple2", "seq1", "seq2", "unexpected_regex"}
REASONS = {
    "fail": "it fails by itself", "mock": "a mock compares", "helper": "a helper compares", "unittest": "no assertion that is known",
}


class Forms(object):
    def __init__(self, source):
        self._source = source

    def build(self, site, outside):
        """Sets the edits and the expectation of a site; `Native` when it has to stay."""
        make = getattr(self, "_" + site.kind, None)
        if make is None:
            raise Native(REASONS[site.kind])
        make(site, outside)

    def keep(self, site):
        """Leaves a site inside, but for its message."""
        node = site.node
        if site.kind == "assert" and node.msg is not None:
            site.edits = [self._source.replacing(node, "assert (%s)" % self._source.segment(node.test))]

    def _observe(self, site, decomposed, kind="value"):
        text = "__assay__(%s)" % ", ".join([str(site.id)] + decomposed.leaves)
        site.edits = [self._source.replacing(site.node, text)]
        self._expect(site, decomposed.tree, len(decomposed.leaves), kind)

    @staticmethod
    def _expect(site, tree, leaves, kind):
        site.expected = {"kind": kind, "leaves": leaves, "tree": trees.dump(tree)}

    def _assert(self, site, outside):
        self._observe(site, Decomposed(self._source, outside).truth_of(site.node.test))

    def _unittest(self, site, outside):
        call = site.node.value
        if not isinstance(call, ast.Call):
            raise Native(REASONS["unittest"])
        name, arguments, options = call.func.attr, list(call.args), {}
        for keyword in call.keywords:
            if keyword.arg in NAMES:
                arguments.append(keyword.value)
            else:
                options[keyword.arg] = keyword.value
        options.pop("msg", None)
        found = Decomposed(self._source, outside)
        self._observe(site, self._unittest_tree(name, arguments, options, found, outside))

    def _unittest_tree(self, name, arguments, options, found, outside):
        if any(isinstance(argument, ast.Starred) for argument in arguments):
            raise Native(REASONS["unittest"])
        if name in ORDER and len(arguments) >= 2 and not options:
            return found.truth_of(ast.Compare(left=arguments[0], ops=[ORDER[name]()], comparators=[arguments[1]]))
        if name in ("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone") and arguments and not options:
            return found.truth_of(unary(name, arguments[0]))
        if name in ("assertIsInstance", "assertNotIsInstance") and len(arguments) >= 2 and not options:
            found.tree = found.isinstance(arguments[0], arguments[1])
            if found.tree is None:
                raise Native("the type is not plain")
            if name == "assertNotIsInstance":
                found.tree = ast.UnaryOp(op=ast.Not(), operand=found.tree)
            return found
        if name in FUNCTIONS and len(arguments) >= 2 and set(options) <= {"places", "delta"}:
            return self._function(FUNCTIONS[name], arguments, options, found, outside)
        raise Native(REASONS["unittest"])

    @staticmethod
    def _function(name, arguments, options, found, outside):
        if name.startswith("_almost"):
            # The third one is the number of places.
            arguments, options = arguments[:2], dict(options, **({"places": arguments[2]} if len(arguments) > 2 else {}))
        else:
            arguments = arguments[:2]
        if not any(outside.is_pure(argument) or found.is_mixed(argument) for argument in arguments):
            raise Native(BOTH_INSIDE)
        values = [found.mixed(argument, False) for argument in arguments]
        if not found.leaves or not all(outside.is_pure(value) for value in options.values()):
            raise Native(BOTH_INSIDE)
        keywords = [ast.keyword(arg=key, value=outside.of(value)) for key, value in options.items()]
        found.tree = ast.Call(func=trees.name(name), args=values, keywords=keywords)
        return found

    def _match(self, site, outside):
        call = site.node.value
        if len(call.args) != 1 or call.keywords or not outside.is_pure(call.args[0]):
            raise Native(BOTH_INSIDE)
        found = Decomposed(self._source, outside)
        found.leaves = ["__assay__.text(%s)" % self._source.segment(call.func.value)]
        found.tree = trees.call("_matches", trees.name("_l0"), outside.of(call.args[0]))
        self._observe(site, found)

    def _raises(self, site, outside):
        call = site.node
        arguments, keywords = list(call.args), {keyword.arg: keyword.value for keyword in call.keywords}
        wants_pattern = site.form.endswith("Regex") or site.form.endswith("Regexp")
        kinds = self._kinds_of(site.form, arguments, keywords)
        pattern = arguments.pop(0) if wants_pattern and arguments else None
        method = METHODS.get(site.form)
        if method is None or any(isinstance(argument, ast.Starred) for argument in call.args[:2]):
            raise Native("no assertion that is known")
        extra = ""
        if arguments:
            extra = self._rest(call, arguments)
        elif not site.is_context:
            raise Native("it is not used as a context")
        else:
            pattern = keywords.pop("match", pattern)
            keywords.pop("msg", None)
            if keywords:
                raise Native("with options that are not known")
        if isinstance(pattern, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            site.message_line = pattern.lineno
        if site.relaxed:
            pattern = None
        try:
            types = outside.types(kinds)
            expected = ast.Constant(value=None, kind=None) if pattern is None else outside.of(pattern)
        except Impure:
            raise Native("what is expected is computed inside")
        site.edits = [self._source.replacing(call, "__assay__.%s(%d%s)" % (method, site.id, extra))]
        kind = "warned" if method == "warns" else "raised"
        self._expect(site, trees.call("_" + kind, trees.name("_l0"), types, expected), 1, kind)

    @staticmethod
    def _kinds_of(form, arguments, keywords):
        if form == "deprecated_call":
            names = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
            return ast.Tuple(elts=[trees.name(name) for name in names], ctx=ast.Load())
        if arguments:
            return arguments.pop(0)
        for name in ("expected_exception", "expected_warning", "exception"):
            if name in keywords:
                return keywords.pop(name)
        if form == "warns":
            return trees.name("Warning")
        raise Native("it names no exception")

    def _rest(self, call, arguments):
        """The function to call and its arguments, as they were written."""
        parts = []
        for argument in arguments:
            star = "*" if isinstance(argument, ast.Starred) else ""
            parts.append("%s(%s)" % (star, self._source.segment(argument.value if star else argument)))
        for keyword in call.keywords:
            parts.append("%s(%s)" % (keyword.arg + "=" if keyword.arg else "**", self._source.segment(keyword.value)))
        return ", " + ", ".join(parts)


METHODS = {
    "raises": "raises", "warns": "warns", "deprecated_call": "warns", "assertRaises": "assert_raises", "assertRaisesRegex": "assert_raises",
    "assertRaisesRegexp": "assert_raises", "assertWarns": "assert_warns", "assertWarnsRegex": "assert_warns",
}


def unary(name, value):
    if name == "assertTrue":
        return value
    if name == "assertFalse":
        return ast.UnaryOp(op=ast.Not(), operand=value)
    operator = ast.Is() if name == "assertIsNone" else ast.IsNot()
    return ast.Compare(left=value, ops=[operator], comparators=[ast.Constant(value=None, kind=None)])
