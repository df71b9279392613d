"""Tables of `parametrize`: which value of which column each row of a test has."""
import ast

import trees
from outside import Impure, Outside
from scopes import arguments_of


class Table(object):
    """`rows`: cells of each row. `shared`: the name of a module's constant that holds the rows, if one does."""

    def __init__(self, call, names, rows, params, shared):
        self.call, self.names, self.rows, self.params, self.shared = call, names, rows, params, shared

    def cells(self, column):
        index = self.names.index(column)
        return [row[index] for row in self.rows]


def tables_of(function, classes, module):
    """
    Tables of a function, the slowest first; None in place of one that cannot be read. Rows of the one that stands first in
    the file change fastest, and those of a class come after the function's own.
    """
    found = []
    for node in (function,) + tuple(reversed(classes)):
        for decorator in reversed(node.decorator_list):
            if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
                found.append(read_table(decorator, module))
    return found


def has_tables(function, classes):
    return bool(tables_of(function, classes, None))


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def read_table(call, module):
    arguments = list(call.args)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    names = arguments[0] if arguments else keywords.get("argnames")
    values = arguments[1] if len(arguments) > 1 else keywords.get("argvalues")
    names = names_of(names)
    shared = None
    if isinstance(values, ast.Name) and module is not None:
        shared = values.id
        found, scope = module.find(shared)
        values = found[1] if scope is module and found is not None and found[0] == "value" else None
    if names is None or not isinstance(values, (ast.List, ast.Tuple)) or "indirect" in keywords:
        return None
    rows, params = [], []
    for element in values.elts:
        is_param = isinstance(element, ast.Call) and last_name(element.func) == "param"
        if isinstance(element, ast.Starred):
            return None
        if is_param:
            cells = element.args
        elif len(names) == 1:
            cells = [element]
        elif isinstance(element, (ast.Tuple, ast.List)):
            cells = element.elts
        else:
            return None
        if len(cells) != len(names) or any(isinstance(cell, ast.Starred) for cell in cells):
            return None
        rows.append(cells)
        params.append(element if is_param else None)
    return Table(call, names, rows, params, shared)


def names_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, (ast.Tuple, ast.List)) and all(isinstance(item, ast.Constant) for item in node.elts):
        return [item.value for item in node.elts]
    return None


class Rows(object):
    """The columns of a function that are known outside, if its tables have as many rows as it has tests."""

    def __init__(self, function, classes, module, counts, expectations):
        self.tables = tables_of(function, classes, module)
        self.columns = {}
        self.numbers = []
        known = [table for table in self.tables if table is not None]
        size = 1
        for table in known:
            size *= len(table.rows)
        if not known or len(known) < len(self.tables) or any(count != size for count in counts):
            return
        outside = Outside(module, expectations)
        for table in known:
            columns = self._columns(table, outside, bound_names(classes), arguments_of(function))
            self.columns.update(columns)
            expectations.tables.append({"rows": len(table.rows), "columns": columns})
            self.numbers.append(len(expectations.tables) - 1)

    @staticmethod
    def _columns(table, outside, hidden, arguments):
        columns = {}
        for name in table.names:
            if name not in arguments:
                continue
            try:
                columns[name] = [trees.dump(cell_of(cell, outside, hidden)) for cell in table.cells(name)]
            except Impure:
                pass
        return columns


def cell_of(cell, outside, hidden):
    if any(isinstance(inner, ast.Name) and inner.id in hidden for inner in ast.walk(cell)):
        raise Impure()
    try:
        return outside.of(cell)
    except Impure:
        return outside.types(cell)


def bound_names(classes):
    """Names that the bodies of classes bind: decorators see them, functions do not."""
    return {inner.id for node in classes for inner in ast.walk(node) if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)}
