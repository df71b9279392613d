"""Finds small changes of a source that alter what it does, as edits by position of the syntax tree."""

import ast
import re

LOGS = re.compile(r"(?:^|\.)(?:log|logger|logging|_log|_logger|LOG|LOGGER)\.\w+$|^(?:print|warn|warnings\.warn)$")
TEXT_ARGUMENTS = re.compile(r"^(?:help|description|message|msg|doc|title|stacklevel|category)$")
BOUNDS = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
OPPOSITES = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: (r"is(?!\s+not\b)", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: (r"in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
MOST_ELEMENTS = 3


class Finder:
    """Walks a tree and collects `(kind, [(start, end, text)])` for nodes that begin on the given lines."""

    def __init__(self, source, lines):
        self.source = source
        self.lines = lines
        self.found = []
        self.bound = [set()]
        self.conditions = set()

    # Collecting

    def add(self, kind, start, end, text):
        if self.source.line_of(start) in self.lines and self.source.text[start:end] != text:
            self.found.append((kind, [(start, end, text)]))

    def replace(self, kind, node, text):
        self.add(kind, *self.source.span(node), text)

    def text(self, node):
        start, end = self.source.span(node)
        return self.source.text[start:end]

    # Walking

    def visit(self, node, quiet=False):
        """`quiet`: inside a message, where constants say nothing about behaviour."""
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is not None and handler(node, quiet) is False:
            return
        self.children(node, quiet)

    def children(self, node, quiet):
        for child in ast.iter_child_nodes(node):
            self.visit(child, quiet)

    def all(self, nodes, quiet=False):
        for node in nodes:
            if node is not None:
                self.visit(node, quiet)

    def on_Module(self, node, quiet):
        self.all(without_docstring(node.body))
        return False

    def on_ClassDef(self, node, quiet):
        self.all(node.decorator_list + [keyword.value for keyword in node.keywords])
        self.bound.append(set())
        self.all(without_docstring(node.body))
        self.bound.pop()
        return False

    def on_FunctionDef(self, node, quiet):
        arguments = node.args
        self.all(node.decorator_list + arguments.defaults + arguments.kw_defaults)
        every = arguments.args + arguments.kwonlyargs + getattr(arguments, "posonlyargs", [])
        self.bound.append({argument.arg for argument in every})
        self.all(without_docstring(node.body))
        self.bound.pop()
        return False

    on_AsyncFunctionDef = on_FunctionDef

    def on_JoinedStr(self, node, quiet):
        return False

    def on_Import(self, node, quiet):
        return False

    on_ImportFrom = on_Import

    # Conditions

    def condition(self, test, loops=False):
        if names_in(test) & {"TYPE_CHECKING", "__name__"}:
            return
        self.conditions.add(id(test))
        if not loops:
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                self.replace("condition", test, self.text(test.operand))
            else:
                self.replace("condition", test, "not (%s)" % self.text(test))
            self.replace("condition", test, "True")
        self.replace("condition", test, "False")

    def on_If(self, node, quiet):
        self.condition(node.test)

    on_IfExp = on_If

    def on_While(self, node, quiet):
        self.condition(node.test, loops=True)
        last = node.body[-1]
        start, end = self.source.span(last)
        indent = " " * last.col_offset
        same_line = last.lineno == node.lineno
        if not isinstance(last, (ast.Return, ast.Break, ast.Raise)):
            self.insert_at("loop", node, end, "; break" if same_line else "\n%sbreak" % indent)

    def insert_at(self, kind, anchor, at, text):
        if self.source.line_of(self.source.span(anchor)[0]) in self.lines:
            self.found.append((kind, [(at, at, text)]))

    def on_BoolOp(self, node, quiet):
        neutral = "True" if isinstance(node.op, ast.And) else "False"
        for value in node.values[:4]:
            self.replace("condition", value, neutral)

    def on_Compare(self, node, quiet):
        if len(node.ops) != 1:
            return
        kind = type(node.ops[0])
        change = BOUNDS.get(kind) or (None if id(node) in self.conditions else OPPOSITES.get(kind))
        if change is None:
            return
        pattern, text = change
        start = self.source.span(node.left)[1]
        end = self.source.span(node.comparators[0])[0]
        between = self.source.text[start:end]
        match = re.search(pattern, between)
        if match and "#" not in between:
            self.add("comparison", start + match.start(), start + match.end(), text)

    # Values

    def on_Constant(self, node, quiet):
        value = node.value
        if quiet or node.lineno != node.end_lineno:
            return
        if isinstance(value, bool):
            self.replace("constant", node, str(not value))
        elif isinstance(value, (int, float)):
            self.replace("constant", node, repr(value + 1))
        elif isinstance(value, (str, bytes)):
            prefix = "b" if isinstance(value, bytes) else ""
            self.replace("constant", node, prefix + ('""' if value else '"assay"'))

    def on_Return(self, node, quiet):
        if node.value is not None and not is_none(node.value):
            self.replace("return", node.value, "None")

    # Statements

    def omit(self, node):
        self.replace("statement", node, "pass")

    def on_Expr(self, node, quiet):
        if isinstance(node.value, ast.Constant):
            return False
        if is_log(node.value):
            return False
        self.omit(node)

    def on_Assign(self, node, quiet):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if "__all__" in names or "__slots__" in names:
            return False
        # Without its first assignment a name is unknown, which any test tells.
        if all(name in self.bound[-1] for name in names) and not any(
            isinstance(target, (ast.Tuple, ast.List)) for target in node.targets
        ):
            self.omit(node)
        self.bound[-1].update(names)

    def on_AnnAssign(self, node, quiet):
        if node.value is not None:
            self.visit(node.value)
            if isinstance(node.target, ast.Name):
                self.bound[-1].add(node.target.id)
        return False

    def on_AugAssign(self, node, quiet):
        self.omit(node)

    def on_Delete(self, node, quiet):
        self.omit(node)

    def on_Continue(self, node, quiet):
        self.omit(node)

    def on_Raise(self, node, quiet):
        self.omit(node)
        self.children(node, True)
        return False

    def on_Assert(self, node, quiet):
        return False

    # Elements

    def elements(self, nodes, starts=None):
        """Leaves out one node of a list that is separated by commas."""
        spans = [self.source.span(node) for node in nodes]
        if starts is not None:
            spans = [(self.source.span(first)[0], end) for first, (_, end) in zip(starts, spans)]
        chosen = sorted({0, len(spans) // 2, len(spans) - 1}) if len(spans) > MOST_ELEMENTS else range(len(spans))
        for index in chosen:
            start, end = spans[index]
            if index + 1 < len(spans):
                end = spans[index + 1][0]
            # The line that counts is the element's own, though the comma before it goes as well.
            if self.source.line_of(start) in self.lines:
                if index + 1 == len(spans) and index > 0:
                    start = spans[index - 1][1]
                self.found.append(("element", [(start, end, "")]))

    def on_List(self, node, quiet):
        if isinstance(node.ctx, ast.Load) and not quiet:
            self.elements(node.elts)

    def on_Set(self, node, quiet):
        if len(node.elts) > 1:
            self.elements(node.elts)

    def on_Tuple(self, node, quiet):
        if not isinstance(node.ctx, ast.Load) or quiet:
            return
        if len(node.elts) == 2 and self.text(node).startswith("("):
            for kept in reversed(node.elts):
                self.replace("element", node, "(%s,)" % self.text(kept))
        elif len(node.elts) > 2:
            self.elements(node.elts)

    def on_Dict(self, node, quiet):
        if node.values and all(key is not None for key in node.keys):
            self.elements(node.values, node.keys)

    def on_Call(self, node, quiet):
        if is_log(node):
            return False
        self.visit(node.func, quiet)
        self.all(node.args, quiet)
        for keyword in node.keywords:
            self.visit(keyword.value, quiet or bool(TEXT_ARGUMENTS.match(keyword.arg or "")))
        named = [each for each in node.keywords if each.arg and not TEXT_ARGUMENTS.match(each.arg)]
        if not quiet and named and hasattr(named[0], "lineno") and len(node.args) + len(named) > 0:
            last = (node.args + [each.value for each in node.keywords])[-1]
            for keyword in named[:MOST_ELEMENTS]:
                self.leave_out_keyword(node, keyword, last)
        return False

    def leave_out_keyword(self, call, keyword, last):
        start, end = self.source.span(keyword)
        if self.source.line_of(start) not in self.lines:
            return
        after = re.compile(r"\s*,\s*").match(self.source.text, end)
        if after:
            self.found.append(("element", [(start, after.end(), "")]))
        elif keyword.value is last:
            before = re.compile(r",\s*$").search(self.source.text, 0, start)
            self.found.append(("element", [(before.start() if before else start, end, "")]))

    # Loops

    def on_For(self, node, quiet):
        self.replace("loop", node.iter, '__import__("itertools").islice((%s), 1)' % self.text(node.iter))

    def on_comprehension(self, node, quiet):
        if not node.is_async:
            self.on_For(node, quiet)
        for test in node.ifs:
            self.condition(test)

    def on_Subscript(self, node, quiet):
        self.visit(node.value, quiet)
        if not isinstance(node.slice, ast.Tuple):
            self.visit(node.slice, quiet)
        return False


def without_docstring(body):
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def is_log(node):
    return isinstance(node, ast.Call) and bool(LOGS.search(dotted(node.func)))


def dotted(node):
    if isinstance(node, ast.Attribute):
        return dotted(node.value) + "." + node.attr
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
