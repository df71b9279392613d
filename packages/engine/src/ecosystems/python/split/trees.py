"""Expressions as JSON, so that a plan keeps them without being tied to how an interpreter prints a tree."""
import ast

from values import decode, encode_constant

SKIPPED = ("ctx", "kind", "type_comment", "type_params")


def dump(node):
    if isinstance(node, list):
        return [dump(item) for item in node]
    if isinstance(node, ast.Constant):
        return {"=": encode_constant(node.value)}
    if type(node).__name__ == "Index":  # Python 3.8
        return dump(node.value)
    if isinstance(node, ast.AST):
        return {type(node).__name__: [dump(getattr(node, name, None)) for name in fields_of(type(node))]}
    return node


def load(data):
    """The expression as a tree that can be compiled."""
    return ast.fix_missing_locations(ast.Expression(build(data)))


def build(data, store=False):
    if isinstance(data, list):
        return [build(item, store) for item in data]
    if not isinstance(data, dict):
        return data
    (name, fields), = data.items()
    if name == "=":
        return ast.Constant(value=decode(fields), kind=None)
    kind = getattr(ast, name)
    node = kind()
    for field, value in zip(fields_of(kind), fields):
        setattr(node, field, build(value, store or (name == "comprehension" and field == "target")))
    if "ctx" in kind._fields:
        node.ctx = ast.Store() if store else ast.Load()
    if name == "Subscript" and hasattr(ast, "Index") and _is_old_index(node.slice):
        node.slice = ast.Index(value=node.slice)
    return node


def _is_old_index(node):
    return isinstance(ast.Index(value=None), ast.AST) and not isinstance(node, (ast.Slice, ast.ExtSlice))


def fields_of(kind):
    return [name for name in kind._fields if name not in SKIPPED]


def name(identifier):
    return ast.Name(id=identifier, ctx=ast.Load())


def call(function, *arguments):
    return ast.Call(func=name(function), args=list(arguments), keywords=[])


def names_in(data):
    """Identifiers of an expression as JSON."""
    if isinstance(data, list):
        return {found for item in data for found in names_in(item)}
    if isinstance(data, dict):
        (kind, fields), = data.items()
        return {fields[0]} if kind == "Name" else set() if kind == "=" else names_in(fields)
    return set()
