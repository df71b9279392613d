"""Which function of a file each test id means."""
import ast
import re


def base_of(test_id):
    """The id without its row."""
    start = test_id.find("::")
    bracket = test_id.find("[", max(start, 0))
    return test_id if bracket < 0 else test_id[:bracket]


def group_ids(ids):
    """Bases in order, each with the ids of its rows."""
    groups = {}
    for test_id in ids:
        groups.setdefault(base_of(test_id), []).append(test_id)
    return groups


def file_of(test_id):
    return test_id.split("::", 1)[0]


class Finder(object):
    """`functions`: the outer functions of a file with their classes, as `outer_functions` gives them."""

    def __init__(self, functions, tree):
        self._functions = {}
        for node, classes in functions:
            self._functions.setdefault(tuple(each.name for each in classes) + (node.name,), []).append((node, classes))
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def find(self, base):
        """`(function, classes)`, or the reason why there is none."""
        if re.search(r" #\d+$", base):
            return "two tests have the same id"
        path = tuple(base.split("::")[1:])
        found = self._functions.get(path, [])
        if not found and len(path) == 2:
            found = self._inherited(path[0], path[1], ())
        if len(found) == 1:
            return found[0]
        return "it is defined twice" if found else "its function is not in the file"

    def _inherited(self, owner, name, seen):
        node = self._classes.get(owner)
        if node is None or owner in seen:
            return []
        for parent in node.bases:
            if isinstance(parent, ast.Name):
                found = self._functions.get((parent.id, name)) or self._inherited(parent.id, name, seen + (owner,))
                if found:
                    return found
        return []
