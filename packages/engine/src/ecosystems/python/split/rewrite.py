"""Makes stripped tests of hidden ones."""
import re

from decompose import Native
from forms import Forms
from functions import Finder, file_of, group_ids
from loops import Loops
from outside import Expectations, Impure, Outside
from scopes import Scope
from sites import SiteFinder, asserting_functions, outer_functions
from source import Source
from strip import Stripper
from tables import Tables
from trees import names_in

MAX_DETAIL = 500
# A token that makes no sense is a `SyntaxError`, too; text that cannot be encoded a `ValueError`.
UNREADABLE = (SyntaxError, ValueError, RecursionError)


def rewrite(request):
    return Rewriter(request).answer()


class Rewriter(object):
    def __init__(self, request):
        self._request = request
        self._shared = Expectations()
        self._native = {int(site): reason for site, reason in request["native"].items()}
        self._relaxed = set(request.get("relaxed") or [])
        self._groups = group_ids(request["ids"])
        self._wanted = set(group_ids(request["wanted"]))
        self._files, self._problems, self._finders = {}, [], {}
        first = 0
        for file in sorted(request["files"], key=lambda each: each["path"]):
            try:
                part = FileRewriter(file["path"], file["text"], self._shared, self._finders, first)
            except UNREADABLE as error:
                self._problems.append({"file": file["path"], "detail": str(error)[:MAX_DETAIL]})
                continue
            first += len(part.sites)
            self._files[file["path"]] = part
        self._found = {base: self._find(base) for base in self._groups}

    def _find(self, base):
        finder = self._finders.get(file_of(base))
        return finder.find(base) if finder else "its file cannot be read"

    def answer(self):
        for base, found in self._found.items():
            if not isinstance(found, str):
                path, node, classes = found
                self._files[path].known.setdefault(node, (classes, []))[1].append(base)
        files = []
        words = {path: set(re.findall(r"\w+", part.source.text)) for path, part in self._files.items()}
        for path, part in list(self._files.items()):
            part.build(self._native, self._relaxed)
            others = set().union(*(found for other, found in words.items() if other != path))
            try:
                files.append({"path": path, "text": part.strip(self._wanted, others)})
            except UNREADABLE as error:
                self._problems.append({"file": path, "detail": "stripped: %s" % str(error)[:MAX_DETAIL]})
                del self._files[path]
        return {
            "files": files, "functions": self._functions(), "problems": self._problems,
            "sites": [entry for part in self._files.values() for entry in part.reported()],
            "expectations": self._expectations(),
        }

    def _functions(self):
        before = {file["path"]: file["text"] for file in self._request["before"]}
        earlier = {path: Earlier(path, text) for path, text in before.items()}
        answer = []
        for base, ids in self._groups.items():
            found = self._found[base]
            entry = {"ids": ids, "base": base, "sites": [], "visible": False}
            if isinstance(found, str) or found[0] not in self._files:
                entry["blocked"] = found if isinstance(found, str) else "its file cannot be stripped"
            else:
                part = self._files[found[0]]
                entry["sites"] = [site.id for site in part.sites if site.owner is found[1]]
                old = earlier.get(found[0])
                entry["visible"] = old is not None and old.has(base, part.source, found[1])
            answer.append(entry)
        return answer

    def _expectations(self):
        bases, sites = {}, {}
        for base, found in self._found.items():
            # Of a test that is not stripped, whatever is observed is nobody's business.
            bases[base] = {"sites": None}
            if not isinstance(found, str) and found[0] in self._files:
                own = [site for site in self._files[found[0]].sites if site.owner is found[1] and site.expected]
                bases[base] = {"sites": [site.id for site in own]}
                sites.update({str(site.id): site.expected for site in own})
        shared = self._shared
        return {
            "constants": shared.constants, "imports": shared.imports, "tables": shared.tables, "loops": shared.loops, "bases": bases,
            "sites": sites,
        }


class FileRewriter(object):
    """`known`: functions that test ids mean, each with its classes and the ids without their rows."""

    def __init__(self, path, text, shared, finders, first):
        self.source = Source(path, text)
        self.known = {}
        self._shared = shared
        self._module = Scope(self.source.tree)
        self._tables, self._loops = Tables(self._module, shared), Loops(shared)
        self._outer = outer_functions(self.source.tree)
        finders[path] = Finder(path, self._outer, self.source.tree, finders)
        self.sites = []
        asserting = asserting_functions([node for node, _ in self._outer])
        for node, _ in self._outer:
            for site in SiteFinder(node, Scope(node, self._module), asserting).find():
                site.id = first + len(self.sites)
                self.sites.append(site)

    def build(self, native, relaxed):
        forms = Forms(self.source)
        tables = {node: self._tables.columns_of(node, classes) for node, (classes, _) in self.known.items()}
        for site in self.sites:
            if site.owner not in self.known:
                continue
            columns = {name: table for name, table in tables[site.owner].items() if not rebinds(site.scope, site.owner, name)}
            site.relaxed = site.id in relaxed
            try:
                if site.id in native:
                    raise Native(native[site.id])
                numbers, rounds = self._loops.around(site, columns)
                forms.build(site, Outside(site.scope, self._shared, columns, rounds))
                if rounds and any(name.startswith("_q") for name in names_in(site.expected["tree"])):
                    site.expected["loops"] = numbers
            except (Native, Impure) as error:
                site.native = str(error) or "it cannot be taken apart"
                site.expected, site.edits = None, []
                forms.keep(site)

    def strip(self, wanted, others):
        kept = {node for node, (_, bases) in self.known.items() if any(base in wanted for base in bases)}
        return Stripper(self.source, self._outer, kept, self.known, self.sites, self._tables.numbers, others).strip()

    def reported(self):
        answer = []
        for site in self.sites:
            if site.owner not in self.known:
                continue
            entry = {"id": site.id, "file": self.source.path, "line": site.node.lineno, "form": site.form[:100]}
            if site.repeats:
                entry["repeats"] = True
            if site.message_line is not None:
                entry["messageLine"] = site.message_line
            if site.native is not None:
                entry["native"] = site.native
            answer.append(entry)
        return answer


def rebinds(scope, owner, name):
    """Whether a column is something else where a site stands."""
    while scope is not None and scope.node is not owner:
        if name in scope.bindings:
            return True
        scope = scope.parent
    return scope is not None and (len(scope.bindings.get(name, [])) > 1 or name in scope.mutated)


class Earlier(object):
    """The same file at T0."""

    def __init__(self, path, text):
        self._finder = None
        try:
            self._source = Source(path, text)
            self._finder = Finder(path, outer_functions(self._source.tree), self._source.tree)
        except UNREADABLE:
            pass

    def has(self, base, source, function):
        found = self._finder.find(base) if self._finder else "there is no file"
        return not isinstance(found, str) and whole_text(self._source, found[1]) == whole_text(source, function)


def whole_text(source, function):
    texts = [source.segment(node) for node in function.decorator_list] + [source.segment(function)]
    return re.sub(r"\s+", " ", "\n".join(texts))
