"""Reads what probes saw with the reference and without it, and writes values as a person would."""
import re

from evaluate import decode_leaves, parse
from expectations import Late
from values import Malformed, Opaque, Raised, Undecidable

MAX_TEXT = 120
MAX_MESSAGE = 100
# Where it was, and not what went wrong.
PLACE = re.compile(r"0x[0-9a-f]{4,}|(^|[\s'\"])/\w+/")
# What is said of what is not there yet.
ABSENT = re.compile(r"has no attribute '(\w+)'|^name '(\w+)' is not defined|^cannot import name '(\w+)'")


def told(request):
    with_fix, without = read(request["reference"]), read(request["before"])
    last = last_known(request["tellings"], without)
    answer = []
    for telling in request["tellings"]:
        path, _, number = telling["probe"].rpartition("#")
        if int(number) > last[path]:
            continue
        found = tell_one(telling, with_fix.get(telling["probe"]), without.get(telling["probe"]))
        if found is not None:
            answer.append(dict(found, probe=telling["probe"]))
    return {"told": answer}


def last_known(tellings, observed):
    """
    By the path of a file, the last probe of which something is known, if only that it fails: the first after those that were observed,
    where a file began and did not come to its end. Of files that did not begin in such a run, nothing is.
    """
    numbers = {}
    for telling in tellings:
        path, _, number = telling["probe"].rpartition("#")
        numbers.setdefault(path, set()).add(int(number))
    seen = {path: {number for number in range(max(own) + 3) if "%s#%d" % (path, number) in observed} for path, own in numbers.items()}
    has_begun = {path: max(own) + 1 in seen[path] for path, own in numbers.items()}
    has_ended = {path: max(own) + 2 in seen[path] for path, own in numbers.items()}
    is_cut = any(has_begun[path] and not has_ended[path] for path in numbers)
    last = {}
    for path, own in numbers.items():
        if has_ended[path] or not is_cut:
            last[path] = max(own)
        else:
            last[path] = max(seen[path] & own, default=-1) + 1 if has_begun[path] else -1
    return last


def read(text):
    """Leaves by `path of the file#number of the probe`."""
    found = {}
    for line in text.split("\n"):
        try:
            test_id, site, _, leaves = parse(line.encode("utf-8"))
            found["%s#%s" % (test_id.split("::", 1)[0], site)] = decode_leaves(leaves)
        except Malformed:
            continue
    return found


def tell_one(telling, fixed, before):
    if not holds(telling, fixed) or (before is not None and holds(telling, before, fixed)):
        return None
    if not says_words(telling, fixed):
        return None
    expected = telling["raises"] if telling["kind"] == "raises" else literal(fixed[1])
    if expected is None:
        return None
    return {"expected": expected, "before": None if before is None else outcome_of(telling, before[0])}


def says_words(telling, leaves):
    return not telling.get("says") or telling["says"] in leaves[0].raised.text


def holds(telling, leaves, fixed=None):
    """Whether an observation is as the test wants it; `fixed`: what the reference has for the expectation, where T0 has none."""
    if leaves is None:
        return False
    found = leaves[0]
    if telling["kind"] == "raises":
        return isinstance(found, Late) and any(name.rpartition(".")[2] == telling["raises"] for name in found.raised.chain)
    wanted = fixed[1] if fixed is not None else leaves[1]
    if isinstance(found, Late) or isinstance(wanted, Late):
        return False
    try:
        if telling["kind"] == "truth":
            return found is wanted
        if telling["kind"] == "contains":
            return wanted in found
        return type(found) is type(wanted) and bool(found == wanted)
    except Exception:
        return False


def outcome_of(telling, leaf):
    """What T0 does; None where words fail."""
    if isinstance(leaf, Late):
        chain = leaf.raised.chain
        name = chain[0].rpartition(".")[2] if chain else None
        if name is None:
            return None
        text = leaf.raised.text.strip()
        says = text if text.isprintable() and 0 < len(text) <= MAX_MESSAGE and not PLACE.search(text) and "`" not in text else None
        missing = ABSENT.search(text)
        is_absent = missing is not None and bool(re.search(r"\b%s\b" % missing.group(missing.lastindex), telling["expression"]))
        return {"does": "absent" if is_absent else "raises", "text": name, "message": says}
    text = literal(leaf)
    return None if text is None else {"does": "returns", "text": text, "message": None}


def literal(value, limit=MAX_TEXT):
    """A value as it is written in a program; None when it is too long, or only its own class can say."""
    try:
        text = written(value)
    except (Undecidable, RecursionError):
        return None
    return text if len(text) <= limit and text.isprintable() and "`" not in text else None


def written(value):
    if isinstance(value, (Opaque, Raised)) or getattr(type(value), "chain", None) is not None:
        raise Undecidable("a value of its own kind")
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (written(key), written(item)) for key, item in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(written(item) for item in value)
    if isinstance(value, tuple):
        return "(%s%s)" % (", ".join(written(item) for item in value), "," if len(value) == 1 else "")
    if isinstance(value, (set, frozenset)) and value:
        text = "{%s}" % ", ".join(sorted(written(item) for item in value))
        return text if isinstance(value, set) else "frozenset(%s)" % text
    return repr(value)
