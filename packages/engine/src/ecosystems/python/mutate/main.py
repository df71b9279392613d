"""Reads sources from stdin, and writes their mutants or rewrites to stdout, both as JSON. Runs nothing of them."""

import json
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from find_mutants import Finder  # noqa: E402
from find_rewrites import find_rewrites  # noqa: E402
from source_text import Source, apply, compiles, shape  # noqa: E402

# Compiling a mutant takes as long as reading its file.
MOST = 150


def mutants(given):
    source = Source(given["text"])
    finder = Finder(source, set(given["lines"]))
    finder.visit(source.tree)
    found = spread(unique(finder.found))
    held = [(kind, edits) for kind, edits in found if compiles(apply(source.text, edits))]
    return [told(source, {"kind": kind}, edits) for kind, edits in held] + proposed(source, given["proposed"])


def proposed(source, given):
    before = shape(source.text)
    taken = []
    for each in given:
        edits = [(source.from_utf16(e["start"]), source.from_utf16(e["end"]), e["text"]) for e in each["edits"]]
        after = shape(apply(source.text, edits))
        if after is not None and after != before:
            taken.append(each)
    return taken


def rewrites(given):
    source = Source(given["text"])
    found = find_rewrites(source, set(given["lines"]))
    return [told(source, {"title": title}, edits) for title, edits in found if compiles(apply(source.text, edits))]


def told(source, head, edits):
    listed = [{"start": source.to_utf16(start), "end": source.to_utf16(end), "text": text} for start, end, text in edits]
    return {**head, "edits": sorted(listed, key=lambda edit: edit["start"])}


def unique(found):
    seen = set()
    for kind, edits in found:
        key = tuple(edits)
        if key not in seen:
            seen.add(key)
            yield kind, edits


def spread(found):
    found = list(found)
    return found if len(found) <= MOST else [found[index * len(found) // MOST] for index in range(MOST)]


def main():
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    find = mutants if request["wanted"] == "mutants" else rewrites
    answer = []
    for given in request["sources"]:
        try:
            # Trees have had ends since 3.8.
            answer.append(find(given) if sys.version_info >= (3, 8) else [])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            answer.append([])
    json.dump(answer, sys.stdout)


main()
