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
    """`functions`: the outer functions of a file with their classes. `others`: finders of the other files, by path."""

    def __init__(self, path, functions, tree, others=None):
        self.path = path
        self._functions = {}
        for node, classes in functions:
            self._functions.setdefault(tuple(each.name for each in classes) + (node.name,), []).append((node, classes))
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._imports = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
        }
        self._others = {} if others is None else others

    def find(self, base):
        """`(path, function, classes)`, or the reason why there is none."""
        if re.search(r" #\d+$", base):
            return "two tests have the same id"
        names = tuple(base.split("::")[1:])
        found = [(self.path,) + each for each in self._functions.get(names, [])]
        if not found and len(names) == 2:
            found = self.inherited(names[0], names[1], ())
        if len(found) == 1:
            return found[0]
        return "it is defined twice" if found else "its function is not in the file"

    def inherited(self, owner, name, seen):
        """What the class `owner` has as `name`, itself or from a class that it derives from, here or in another test file."""
        key = (self.path, owner)
        if key in seen:
            return []
        if owner in self._imports:
            module, original = self._imports[owner]
            place = "/" + module.replace(".", "/") + ".py"
            for path, other in self._others.items():
                if module and ("/" + path).endswith(place):
                    return other.inherited(original, name, seen + (key,))
            return []
        if owner not in self._classes:
            return []
        own = [(self.path,) + each for each in self._functions.get((owner, name), [])]
        for parent in [] if own else self._classes[owner].bases:
            if isinstance(parent, ast.Name):
                own = own or self.inherited(parent.id, name, seen + (key,))
        return own
