"""Finds rewrites of a source that no caller can notice."""

import ast
import re

from find_mutants import without_docstring

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# A function that holds one of these sees its own names or frame, or has scopes within it.
OPAQUE = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.JoinedStr)
REFLECTIVE = {"locals", "vars", "eval", "exec", "dir", "globals", "super", "__class__"}


def find_rewrites(source, lines):
    """Lists `(title, [(start, end, text)])`; only what holds a changed line is rewritten."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, FUNCTIONS) and any(line in lines for line in range(node.lineno, node.end_lineno + 1)):
            renamed = rename_locals(source, node)
            if renamed:
                found.append(("the locals of %s renamed" % node.name, renamed))
        if isinstance(node, ast.If) and node.lineno in lines:
            swapped = swap_branches(source, node)
            if swapped:
                found.append(("the branches in line %d swapped" % node.lineno, swapped))
        if isinstance(node, ast.IfExp) and node.lineno in lines:
            found.append(("the values in line %d swapped" % node.lineno, swap_values(source, node)))
    shifted = shift_lines(source)
    reworded = reword_errors(source)
    head = [("its lines moved down", shifted)] if shifted else []
    return head + ([("the messages of its errors reworded", reworded)] if reworded else []) + found


def rename_locals(source, function):
    inner = [each for statement in function.body for each in ast.walk(statement)]
    if any(isinstance(each, OPAQUE) for each in inner):
        return None
    names = [each for each in inner if isinstance(each, ast.Name)]
    if any(name.id in REFLECTIVE for name in names):
        return None
    arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    # Handlers and patterns bind names that are no nodes.
    others = {getattr(each, "name", None) for each in inner} | {getattr(each, "rest", None) for each in inner}
    # A comprehension has a scope of its own.
    for each in inner:
        if isinstance(each, ast.comprehension):
            others |= {name.id for name in ast.walk(each.target) if isinstance(name, ast.Name)}
    stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    taken = {name.id for name in names} | arguments
    own = {name for name in stored - arguments - others if not name.startswith("__") and name + "_own" not in taken}
    edits = []
    for name in names:
        if name.id in own:
            start, end = source.span(name)
            if source.text[start:end] != name.id:
                return None
            edits.append((start, end, name.id + "_own"))
    return edits


def swap_branches(source, node):
    """`if a: X else: Y` becomes `if not (a): Y else: X`, where both branches stand on lines of their own."""
    if not node.orelse:
        return None
    first, second = node.body, node.orelse
    if first[0].lineno == node.lineno or second[0].col_offset != first[0].col_offset:
        return None
    between = source.text[source.span(first[-1])[1] : source.span(second[0])[0]]
    if not re.search(r"(?m)^\s*else\s*:\s*$", between):
        return None
    test = source.span(node.test)
    one = (source.span(first[0])[0], source.span(first[-1])[1])
    two = (source.span(second[0])[0], source.span(second[-1])[1])
    text = source.text
    return [
        (*test, "not (%s)" % text[slice(*test)]),
        (*one, text[slice(*two)]),
        (*two, text[slice(*one)]),
    ]


def swap_values(source, node):
    text = source.text
    test, body, other = (text[slice(*source.span(each))] for each in (node.test, node.body, node.orelse))
    return [(*source.span(node), "((%s) if not (%s) else (%s))" % (other, test, body))]


def reword_errors(source):
    """The first argument of what is raised, where it is a text."""
    edits = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            message = node.exc.args[0]
            if is_text(message):
                start, end = source.span(message)
                edits.append((start, end, '("reworded: " + (%s))' % source.text[start:end]))
    return edits


def is_text(node):
    if isinstance(node, ast.BinOp):
        return is_text(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return is_text(node.func.value)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def shift_lines(source):
    body = without_docstring(source.tree.body)
    places = [each for each in body if not isinstance(each, (ast.Import, ast.ImportFrom))]
    # A decorated definition begins before its own line.
    plain = [each for each in places if not getattr(each, "decorator_list", None)]
    if not plain:
        return None
    at = source.starts[plain[0].lineno - 1]
    return [(at, at, "\n\n\n")] if source.span(plain[0])[0] == at else None
