"""Loops of a test over values that are known outside: the occurrence of an observation says which round it is from."""
import ast

import trees
from outside import Impure, Outside


class Loops(object):
    """Loops of a file, each with a number once it is known outside."""

    def __init__(self, expectations):
        self._expectations = expectations
        self._numbers = {}

    def around(self, site, columns):
        """
        Numbers of the loops around a site, the outermost first, and the names that they bind. Both are empty when it is not
        plain in which round the site is reached.
        """
        if site.loops is None:
            return [], {}
        numbers, names = [], {}
        for loop in site.loops:
            number = self._number(loop, Outside(site.scope, self._expectations, columns))
            if number is None:
                return [], {}
            numbers.append(number)
            for name in names_of(loop.target):
                if site.scope.is_bound_by(name, loop):
                    names[name] = number
        return numbers, names

    def _number(self, loop, outside):
        if loop not in self._numbers:
            self._numbers[loop] = self._register(loop, outside)
        return self._numbers[loop]

    def _register(self, loop, outside):
        target = names_of(loop.target)
        if not target or loop.orelse:
            return None
        try:
            values = trees.dump(outside.of(loop.iter))
        except Impure:
            return None
        self._expectations.loops.append({"values": values, "target": shape_of(loop.target)})
        return len(self._expectations.loops) - 1


def names_of(target):
    return [inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name)] if shape_of(target) is not None else []


def shape_of(target):
    """Names, and lists of them where a value is taken apart; None for anything else."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = [shape_of(part) for part in target.elts]
        return None if None in parts else parts
    return None


def cells_of(loop, scope, loads, name):
    """The expressions that a name of a loop is bound to, of a list that nothing else reads; empty when it is not plain which."""
    values, target = loop.iter, loop.target
    counted = isinstance(values, ast.Call) and getattr(values.func, "id", None) == "enumerate" and len(values.args) == 1
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        values, target = values.args[0], target.elts[1]
    if isinstance(values, ast.Name) and loads.get(values.id) == 1:
        found, _ = scope.find(values.id)
        values = found[1] if found is not None and found[0] == "value" else None
    return column_of(values, target, name) if isinstance(values, (ast.List, ast.Tuple)) else []


def column_of(display, target, name):
    if isinstance(target, ast.Name):
        return display.elts if target.id == name else []
    index = next((at for at, part in enumerate(target.elts) if isinstance(part, ast.Name) and part.id == name), None)
    rows = [row.elts for row in display.elts if isinstance(row, (ast.Tuple, ast.List)) and len(row.elts) == len(target.elts)]
    if index is None or len(rows) != len(display.elts):
        return []
    return [] if any(isinstance(cell, ast.Starred) for row in rows for cell in row) else [row[index] for row in rows]
