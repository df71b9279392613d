"""Expectations as they are evaluated: over decoded data, and nothing of a submission."""
import builtins
import importlib
import re
import signal
import time

import compare
import pure
import trees
from values import Undecidable

# For all observations of a site.
SECONDS_A_SITE = 5.0
ROW = re.compile(r"r(\d+)x(\d+)$")
BUILTINS = {name: getattr(builtins, name) for name in pure.BUILTINS | pure.EXCEPTIONS | pure.TYPES}


class TooLong(BaseException):
    pass


class LeafRaised(Exception):
    """A part that is not always evaluated did raise, and its value is asked for."""


class Late(object):
    """A part that is not always evaluated, and that raised."""

    def __init__(self, raised):
        self.raised = raised


def value_of(leaf):
    if isinstance(leaf, Late):
        raise LeafRaised(leaf.raised.chain[0] if leaf.raised.chain else "it raised")
    return leaf


class Expectations(object):
    def __init__(self, data, seconds=SECONDS_A_SITE):
        self._seconds = seconds
        self.bases, self.sites, self._tables = data["bases"], data["sites"], data["tables"]
        self._constants, self._imports, self._loops = data["constants"], data["imports"], data["loops"]
        self._compiled, self._known, self._spent = {}, dict(compare.NAMESPACE, _value=value_of), {}
        self._cells, self._rounds = {}, {}

    def holds(self, site, kind, leaves, rows, occurrence=0):
        """
        `(outcome, detail)` of one observation. `rows`: by the number of a table, the row that the test is for. `occurrence`: how
        many observations of the site the test had before.
        """
        expected = self.sites[site]
        if kind != expected["kind"] or len(leaves) != expected["leaves"]:
            return "false", "%s of %d parts" % (kind, len(leaves))
        left = self._seconds - self._spent.get(site, 0.0)
        if self.is_spent(site):
            return "false", "the comparison takes too long"
        limit = TimeLimit(left)
        try:
            with limit:
                return ("true" if self._evaluate(site, leaves, rows, occurrence) else "false"), None
        except Undecidable as error:
            return "undecidable", str(error)
        except LeafRaised as error:
            return "false", str(error)
        except (TooLong, MemoryError):
            return "false", "the comparison takes too long"
        except Exception as error:
            return "error", "%s: %s" % (type(error).__name__, str(error)[:200])
        finally:
            self._spent[site] = self._spent.get(site, 0.0) + limit.spent

    def is_spent(self, site):
        return self._spent.get(site, 0.0) > self._seconds - 0.001

    def _evaluate(self, site, leaves, rows, occurrence):
        code, names = self.compiled(site)
        rounds = self._rounds_of(site, rows, occurrence)
        scope = {"__builtins__": BUILTINS}
        for name in names:
            if name.startswith("_l"):
                scope[name] = leaves[int(name[2:])]
            elif name.startswith("_q"):
                scope[name] = rounds[name]
            elif name.startswith("_p"):
                scope[name] = self._cell(name, rows)
            else:
                scope[name] = self._shared(name)
        return bool(eval(code, scope))

    def compiled(self, site):
        if site not in self._compiled:
            self._compiled[site] = self._compile(self.sites[site]["tree"])
        return self._compiled[site]

    @staticmethod
    def _compile(data):
        tree = trees.load(data)
        names = {node.id for node in trees.ast.walk(tree) if isinstance(node, trees.ast.Name)}
        own = {name for name in names if name.startswith("_")}
        return compile(tree, "<expectation>", "eval"), sorted(own - {"_"})

    def _shared(self, name):
        """Constants, imports and what `compare` brings; each is made once."""
        if name not in self._known:
            if name.startswith("_m"):
                self._known[name] = imported(*self._imports[int(name[2:])])
            elif name.startswith("_c"):
                self._known[name] = self._pure_value(self._constants[int(name[2:])])
        return self._known.get(name)

    def _pure_value(self, data):
        code, names = self._compile(data)
        scope = {"__builtins__": BUILTINS}
        scope.update({name: self._shared(name) for name in names})
        return eval(code, scope)

    def times(self, site, rows):
        """How often a site in loops is reached; None where that is not known."""
        loops = self.sites[site].get("loops")
        if not loops:
            return None
        count = 1
        for number in loops:
            count *= len(self._values(number, rows))
        return count

    def _rounds_of(self, site, rows, occurrence):
        """The names that loops around a site bind, when it is reached for the nth time."""
        names, loops = {}, self.sites[site].get("loops") or []
        for number in reversed(loops):
            values = self._values(number, rows)
            occurrence, at = divmod(occurrence, len(values) or 1)
            bind(self._loops[number]["target"], values[at] if values else None, "_q%d_" % number, names)
        if loops and occurrence:
            raise Undecidable("more rounds than the loop has")
        return names

    def _values(self, number, rows):
        """What a loop goes through. It may name columns of a table."""
        key = (number, tuple(sorted(rows.items())))
        if key not in self._rounds:
            code, names = self._compile(self._loops[number]["values"])
            scope = {"__builtins__": BUILTINS}
            scope.update({name: self._cell(name, rows) if name.startswith("_p") else self._shared(name) for name in names})
            self._rounds[key] = list(eval(code, scope))
        return self._rounds[key]

    def _cell(self, name, rows):
        number, _, column = name[2:].partition("_")
        row = rows.get(int(number))
        if row is None:
            raise Undecidable("a row that is not known")
        key = (name, row)
        if key not in self._cells:
            self._cells[key] = self._pure_value(self._tables[int(number)][column][row])
        return self._cells[key]


def bind(target, value, prefix, names):
    if isinstance(target, str):
        names[prefix + target] = value
        return
    values = list(value)
    if len(values) != len(target):
        raise Undecidable("a round of another form")
    for part, item in zip(target, values):
        bind(part, item, prefix, names)


def rows_of(stripped_id):
    """Rows of a stripped test by the number of their table: its own id says which, never an observation."""
    bracket = stripped_id.find("[", max(stripped_id.find("::"), 0))
    names = stripped_id[bracket + 1:-1].split("-") if bracket >= 0 else []
    return {int(match.group(1)): int(match.group(2)) for match in map(ROW.match, names) if match}


def imported(module, name):
    if not pure.is_module(module) or (name is not None and not pure.allows(module, name)):
        raise Undecidable("a module that is not known")
    if (module, name) == ("pytest", "approx"):
        return compare.Approx
    if module == "mock":
        module = "unittest.mock"
    loaded = importlib.import_module(module)
    return loaded if name is None else getattr(loaded, name)


class TimeLimit(object):
    """Ends what runs in the main thread, also inside of a regular expression."""

    def __init__(self, seconds):
        self._seconds, self.spent = seconds, 0.0

    def __enter__(self):
        self._started = time.monotonic()
        self._before = signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        self.spent = time.monotonic() - self._started


def _too_long(*_):
    raise TooLong()


