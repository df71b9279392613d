"""Tables of `parametrize`: which value of which column each row of a test has."""
import ast

import trees
from outside import Impure, Outside
from scopes import arguments_of, last_name


class Table(object):
    """`rows`: cells of each row. `shared`: the name of a module's constant that holds the rows, if one does."""

    def __init__(self, call, names, rows, params, shared):
        self.call, self.names, self.rows, self.params, self.shared = call, names, rows, params, shared

    def cells(self, column):
        index = self.names.index(column)
        return [row[index] for row in self.rows]


def tables_of(function, classes, module):
    """Tables of a function and its classes; None in place of one that cannot be read."""
    found = []
    for node in (function,) + tuple(classes):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
                found.append(read_table(decorator, module))
    return found


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


class Tables(object):
    """Tables of a file, each known by the line of its decorator. `numbers`: what the names of its rows begin with."""

    def __init__(self, module, expectations):
        self._module, self._expectations = module, expectations
        self.numbers = {}

    def columns_of(self, function, classes):
        """The columns that are known outside, each with the number of its table, and whether it holds classes of the code under test."""
        columns, arguments = {}, arguments_of(function)
        for table in tables_of(function, classes, self._module):
            if table is not None:
                number = self._number(table, bound_names(classes))
                known = self._expectations.tables[number]
                names = [name for name in table.names if name in known and name in arguments]
                columns.update({name: (number, "_type" in trees.names_in(known[name])) for name in names})
        return columns

    def _number(self, table, hidden):
        line = table.call.lineno
        if line not in self.numbers:
            outside, columns = Outside(self._module, self._expectations), {}
            for name in table.names:
                try:
                    columns[name] = [trees.dump(cell_of(cell, outside, hidden)) for cell in table.cells(name)]
                except Impure:
                    pass
            self._expectations.tables.append(columns)
            self.numbers[line] = len(self._expectations.tables) - 1
        return self.numbers[line]


def cell_of(cell, outside, hidden):
    if hidden and any(isinstance(inner, ast.Name) and inner.id in hidden for inner in ast.walk(cell)):
        raise Impure()
    try:
        return outside.of(cell)
    except Impure:
        return outside.types(cell)


def bound_names(classes):
    """Names that the bodies of classes bind: decorators see them, functions do not."""
    targets = [target for node in classes for statement in node.body for target in getattr(statement, "targets", [])]
    return {target.id for target in targets if isinstance(target, ast.Name)}
