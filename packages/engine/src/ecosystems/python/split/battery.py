"""Tries to guess what sites expect, as who sees the stripped tests would."""
import ast

from expectations import Expectations, rows_of
from functions import Finder, base_of, file_of
from scopes import Scope
from sites import outer_functions
from source import Source
from values import Opaque, Raised, TypeValue

MAX_ROWS = 60
MAX_ROUNDS = 12
SECONDS = 3.0
MAX_GUESSES = 400
LEVELS = ("strong", "contain", "echo", "weak")


class Everything(tuple):
    """Names of classes that has every name: whoever forges may claim any."""

    def __bool__(self):
        return True

    def __contains__(self, name):
        return True

    def __iter__(self):
        return iter([AnyName(), "builtins.object"])


    def __getitem__(self, index):
        return AnyName()


class AnyName(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def __radd__(self, other):
        return self

    def rpartition(self, separator):
        return ("", "", self)


def constants():
    values = [None, True, False, "", b"", [], (), {}, set(), frozenset(), 0.0, 1.0, -1.0, 0.5, 10 ** 9, -10 ** 9, 1e300, -1e300, "a", "0", "1"]
    values += list(range(-2, 33)) + [64, 100, 128, 200, 201, 204, 255, 256, 301, 302, 304, 400, 401, 403, 404, 500, 512, 1000, 1024]
    values += ["None", "True", "False", "test", "foo", "bar", [None], [""], ["a"], [0], [1], (0,), (None,), {"a": 1}, "\n", " "]
    values += [Opaque(Everything()), TypeValue(Everything()), ["x", "y"], ["x", "y", "z"], [1, 2], [1, 2, 3]]
    return [(repr_of(value), value) for value in values]


def repr_of(value):
    return "an object of every type" if isinstance(value, Opaque) else repr(value)[:60]


def battery(request):
    plan = request["plan"]
    expectations = Expectations(plan["expectations"], SECONDS)
    everything = "\n".join(texts_of(request["files"] + request["sources"]))
    shown = shown_literals(request["files"], expectations.bases)
    to_all = [guess for base in request.get("alsoShown", []) for guess in shown.get(base, [])]
    rows, sites = {}, {}
    for test in plan["tests"]:
        if test.get("stripped"):
            rows.setdefault(base_of(test["stripped"]), []).append(rows_of(test["stripped"]))
    for base, numbers in rows.items():
        entry = expectations.bases.get(base)
        for site in (str(number) for number in entry["sites"] or ()) if entry else ():
            level, guess = worst_of(expectations, site, numbers[:MAX_ROWS], shown.get(base, []) + to_all, everything)
            known = sites.get(site)
            if known is None or LEVELS.index(level) > LEVELS.index(known["level"]):
                sites[site] = {"level": level} if guess is None else {"level": level, "guess": guess}
    return {"sites": sites}


def worst_of(expectations, site, rows, shown, everything):
    found = ("strong", None)
    for row in rows:
        for level, guesses in (("weak", CONSTANTS), ("echo", shown), ("contain", [("all texts", everything)])):
            if LEVELS.index(level) <= LEVELS.index(found[0]):
                break
            guess = first_that_holds(expectations, site, row, guesses)
            if expectations.is_spent(site):
                return "weak", "its comparison takes too long to be tried"
            if guess is not None:
                found = (level, guess)
                break
    return found


def first_that_holds(expectations, site, row, guesses):
    expected = expectations.sites[site]
    times = min(expectations.times(site, row) or 1, MAX_ROUNDS)
    for name, value in guesses:
        for leaves in shapes_of(value, expected):
            for occurrence in range(times):
                if expectations.holds(site, expected["kind"], leaves, row, occurrence)[0] == "true":
                    return name
    return None


def shapes_of(value, expected):
    """What a guess can be as leaves: the same for each, and what observers say of exceptions."""
    if expected["kind"] in ("raised", "warned"):
        text = value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else str_of(value)
        error = Raised(Everything(), text)
        return [[[error]]] if expected["kind"] == "warned" else [[error]]
    same = [value] * expected["leaves"]
    shapes = [same]
    if isinstance(value, str):
        shapes += [[[value]] * expected["leaves"], [value.encode("utf-8", "replace")] * expected["leaves"]]
    if expected["leaves"] == 2:
        shapes += [[value, True], [value, False], [True, value], [False, value]]
    return shapes


def str_of(value):
    return "" if isinstance(value, Opaque) else str(value)


def texts_of(files):
    found = []
    for file in files:
        try:
            tree = ast.parse(file["text"])
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                found.append(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
    return list(dict.fromkeys(found))


def shown_literals(files, bases):
    """By base, the values of literals that a stripped test and the constants of its file show."""
    shown, finders, common = {}, {}, {}
    for file in files:
        try:
            source = Source(file["path"], file["text"])
        except (SyntaxError, ValueError, RecursionError):
            continue
        finders[file["path"]] = Finder(file["path"], outer_functions(source.tree), source.tree, finders)
        module = [value for found in Scope(source.tree).bindings.values() for kind, value in found if kind == "value"]
        fixtures = [node for node, _ in outer_functions(source.tree) if node.decorator_list and not node.name.startswith("test")]
        common[file["path"]] = literals_in(module + fixtures)
    for base in bases:
        found = finders[file_of(base)].find(base) if file_of(base) in finders else ""
        if not isinstance(found, str):
            path, node, classes = found
            own = literals_in([node] + [each for owner in classes for each in owner.decorator_list])
            shown[base] = [(repr(value)[:60], value) for value in distinct(own + common[path])[:MAX_GUESSES]]
    return shown


def literals_in(nodes):
    values = []
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp)):
                try:
                    values.append(ast.literal_eval(node))
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    pass
    return values


def distinct(values):
    seen, kept = set(), []
    for value in values:
        key = (type(value), repr(value))
        if key not in seen:
            seen.add(key)
            kept.append(value)
    return kept


CONSTANTS = constants()
