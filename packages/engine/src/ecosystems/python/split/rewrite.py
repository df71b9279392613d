"""Makes stripped tests of hidden ones."""
import ast
import re

from decompose import Native
from forms import Forms
from functions import Finder, file_of, group_ids
from outside import Expectations, Impure, Outside
from scopes import Scope
from sites import SiteFinder, asserting_functions, outer_functions
from source import Source
from strip import Stripper
from tables import Rows

MAX_DETAIL = 500


def rewrite(request):
    groups = group_ids(request["ids"])
    wanted = set(group_ids(request["wanted"]))
    native = {int(site): reason for site, reason in request["native"].items()}
    before = {file["path"]: file["text"] for file in request["before"]}
    shared = Expectations()
    answer = {"files": [], "functions": [], "sites": [], "problems": []}
    bases, sites, first = {}, {}, 0
    for file in sorted(request["files"], key=lambda each: each["path"]):
        path = file["path"]
        own = {base: ids for base, ids in groups.items() if file_of(base) == path}
        others = [each["text"] for each in request["files"] if each["path"] != path]
        try:
            part = FileRewriter(path, file["text"], shared, first)
            text = part.rewrite(own, wanted, native, others)
        except (SyntaxError, ValueError, RecursionError) as error:  # A decoding error is a `ValueError`, a token error a `SyntaxError`.
            answer["problems"].append({"file": path, "detail": str(error)[:MAX_DETAIL]})
            continue
        first += len(part.sites)
        answer["files"].append({"path": path, "text": text})
        answer["functions"] += part.functions(own, before.get(path))
        answer["sites"] += part.reported()
        bases.update(part.bases)
        sites.update({site.id: site.decomposed for site in part.sites if site.decomposed and site.owner in part.known})
    answer["expectations"] = {
        "constants": shared.constants, "imports": shared.imports, "tables": shared.tables, "bases": bases, "sites": sites,
    }
    return answer


class FileRewriter(object):
    def __init__(self, path, text, shared, first):
        self._source = Source(path, text)
        self._shared = shared
        self._module = Scope(self._source.tree)
        self._outer = outer_functions(self._source.tree)
        self._finder = Finder(self._outer, self._source.tree)
        self.sites, self.bases, self.known = [], {}, {}
        asserting = asserting_functions([node for node, _ in self._outer])
        self._by_function = {}
        for node, _ in self._outer:
            found = SiteFinder(node, Scope(node, self._module), asserting).find()
            for site in found:
                site.id = first + len(self.sites)
                self.sites.append(site)
            self._by_function[node] = found

    def rewrite(self, groups, wanted, native, others):
        for base, ids in groups.items():
            found = self._finder.find(base)
            if not isinstance(found, str):
                self.known.setdefault(found[0], (found[1], []))[1].append((base, ids))
        for node, (classes, tests) in self.known.items():
            self._build(node, classes, tests, native)
        kept = {node for node, (_, tests) in self.known.items() if any(base in wanted for base, _ in tests)}
        return Stripper(self._source, self._outer, kept, self.known, self.sites, others).strip()

    def _build(self, node, classes, tests, native):
        rows = Rows(node, classes, self._module, [len(ids) for _, ids in tests], self._shared)
        forms = Forms(self._source)
        for site in self._by_function[node]:
            columns = {name for name in rows.columns if not rebinds(site.scope, node, name)}
            try:
                if site.id in native:
                    raise Native(native[site.id])
                forms.build(site, Outside(site.scope, self._shared, columns))
            except (Native, Impure) as error:
                site.native = str(error) or "it cannot be taken apart"
                site.decomposed, site.edits = None, []
                forms.keep(site)
        outside = [site.id for site in self._by_function[node] if site.decomposed]
        for base, ids in tests:
            self.bases[base] = {"sites": outside, "tables": rows.numbers, "rows": len(ids)}

    def functions(self, groups, before):
        earlier = Earlier(before)
        answer = []
        for base, ids in groups.items():
            found = self._finder.find(base)
            entry = {"ids": ids, "base": base, "sites": [], "visible": False}
            if isinstance(found, str):
                entry["blocked"] = found
            else:
                entry["sites"] = [site.id for site in self._by_function[found[0]]]
                entry["visible"] = earlier.has(base, self._source, found[0])
            answer.append(entry)
        return answer

    def reported(self):
        answer = []
        for site in self.sites:
            if site.owner not in self.known:
                continue
            entry = {"id": site.id, "file": self._source.path, "line": site.node.lineno, "form": site.form[:100]}
            if site.repeats:
                entry["repeats"] = True
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

    def __init__(self, text):
        self._finder = None
        try:
            if text is not None:
                self._source = Source("before", text)
                self._finder = Finder(outer_functions(self._source.tree), self._source.tree)
        except (SyntaxError, ValueError, RecursionError):
            pass

    def has(self, base, source, function):
        found = self._finder.find(base) if self._finder else "there is no file"
        if isinstance(found, str):
            return False
        return whole_text(self._source, found[0]) == whole_text(source, function)


def whole_text(source, function):
    texts = [source.segment(node) for node in function.decorator_list] + [source.segment(function)]
    return re.sub(r"\s+", " ", "\n".join(texts))
