"""What expectations may call beside the language itself."""
import math
import re

from values import Opaque, Raised, TypeValue, Undecidable, chain_of, full_name


class TypeName(object):
    """A class of the code under test, known by its last name."""

    def __init__(self, name):
        self.name = name


def is_instance(value, kinds):
    if isinstance(kinds, tuple):
        return any(is_instance(value, kind) for kind in kinds)
    if isinstance(value, TypeValue) and kinds in (type, object):
        return True
    return in_chain(chain_of(value), kinds)


def in_chain(chain, kinds):
    if isinstance(kinds, tuple):
        return any(in_chain(chain, kind) for kind in kinds)
    if isinstance(kinds, TypeName):
        return any(name.rpartition(".")[2] == kinds.name for name in chain)
    if not isinstance(kinds, type):
        raise Undecidable("no class")
    return full_name(kinds) in chain


def identical(value, kind):
    if not isinstance(value, TypeValue):
        if any(kind is each for each in (None, True, False, Ellipsis, NotImplemented)):
            return value is kind
        if not isinstance(kind, (type, TypeName)):
            raise Undecidable("identity")
        return False
    name = value.chain[0] if value.chain else ""
    return name.rpartition(".")[2] == kind.name if isinstance(kind, TypeName) else name == full_name(kind)


def raised(value, kinds, pattern):
    if not isinstance(value, Raised):
        return False
    return in_chain(value.chain, kinds) and (pattern is None or bool(re.search(pattern, value.text)))


def warned(values, kinds, pattern):
    return type(values) is list and any(raised(value, kinds, pattern) for value in values)


def matches(text, pattern):
    return bool(re.search(pattern, text))


def matches_not(text, pattern):
    return not matches(text, pattern)


def same_items(first, second):
    first, second = list(first), list(second)
    if len(first) != len(second):
        return False
    for item in first:
        if item not in second:
            return False
        second.remove(item)
    return not second


def almost(first, second, places=None, delta=None):
    if first == second:
        return True
    difference = abs(first - second)
    return difference <= delta if delta is not None else round(difference, 7 if places is None else places) == 0


def almost_not(first, second, places=None, delta=None):
    return not almost(first, second, places, delta)


class Approx(object):
    """`pytest.approx` over numbers, and sequences and mappings of them."""

    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.options = expected, (rel, abs, nan_ok)

    def __eq__(self, actual):
        return approximately(self.expected, actual, *self.options)

    def __ne__(self, actual):
        return not self == actual


def approximately(expected, actual, rel, absolute, nan_ok):
    options = (rel, absolute, nan_ok)
    if isinstance(actual, Opaque):
        raise Undecidable("a value of its own kind")
    if isinstance(expected, dict):
        return isinstance(actual, dict) and set(expected) == set(actual) and all(
            approximately(expected[key], actual[key], *options) for key in expected
        )
    if isinstance(expected, (list, tuple)):
        return type(expected) is type(actual) and len(expected) == len(actual) and all(
            approximately(one, other, *options) for one, other in zip(expected, actual)
        )
    if expected == actual:
        return True
    if isinstance(expected, bool) or not is_number(expected) or not is_number(actual):
        return False
    if math.isnan(abs(expected)):
        return nan_ok and math.isnan(abs(actual))
    if math.isinf(abs(expected)):
        return False
    return bool(abs(expected - actual) <= tolerance(expected, rel, absolute))


def is_number(value):
    return hasattr(value, "__abs__") and hasattr(value, "__sub__")


def tolerance(expected, rel, absolute):
    kind = type(expected) if type(expected).__name__ == "Decimal" else float
    floor = kind("1e-12") if absolute is None else absolute
    if rel is None and absolute is not None:
        return floor
    return max((kind("1e-6") if rel is None else kind(rel)) * abs(expected), kind(floor))


NAMESPACE = {
    "_is": is_instance, "_identical": identical, "_type": TypeName, "_raised": raised, "_warned": warned, "_matches": matches, "_matches_not": matches_not,
    "_same_items": same_items, "_almost": almost, "_almost_not": almost_not,
}
