class Decoder:
    """The value of parsed tagged JSON. What has no like in Python stays as it is described."""

    def __init__(self):
        self.ancestors = []

    def value(self, item):
        if type(item) is list:
            return self.fill([], lambda made: made.extend(self.value(each) for each in item))
        if type(item) is not dict:
            return item
        name = item.get("$type")
        if type(name) is not str:
            return self.fill({}, lambda made: made.update((key, self.value(each)) for key, each in item.items()))
        return self.tagged(name, item)

    def fill(self, made, fill):
        self.ancestors.append(made)
        fill(made)
        self.ancestors.pop()
        return made

    def all(self, items):
        self.ancestors.append(None)
        values = [self.value(item) for item in items]
        self.ancestors.pop()
        return values

    def tagged(self, name, item):
        if name in ("undefined", "hole"):
            return None
        if name == "cycle":
            return self.ancestors[-item["up"]]
        if name in ("map", "object"):
            return self.fill({}, lambda made: made.update((hashable(self.value(key)), self.value(each)) for key, each in item["entries"]))
        if name in ("tuple", "set", "frozenset", "typed-array"):
            values = self.all(item["values"])
            return {"tuple": tuple, "typed-array": list}[name](values) if name in ("tuple", "typed-array") else {"set": set, "frozenset": frozenset}[name](map(hashable, values))
        if name in FROM_TEXT:
            return FROM_TEXT[name](item.get("value"))
        if name == "error":
            return Exception(item["message"])
        if name == "regexp":
            import re

            return re.compile(item["source"])
        return item


def hashable(item):
    """JavaScript has arrays as keys and as members of sets."""
    if type(item) is list:
        return tuple(map(hashable, item))
    return frozenset(map(hashable, item)) if type(item) is set else item


def from_library(module, name):
    return lambda text: getattr(__import__(module), name)(text)


def moment(text):
    from datetime import date, datetime

    if text is None:
        return None
    if len(text) == 10:
        return date.fromisoformat(text)
    return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)


def time_of_day(text):
    from datetime import time

    return time.fromisoformat(text)


def duration(text):
    from datetime import timedelta
    from decimal import Decimal

    return timedelta(microseconds=int(Decimal(text) * 1_000_000))


def octets(text):
    from binascii import a2b_base64

    return a2b_base64(text)


FROM_TEXT = {
    "number": float, "bigint": whole_number, "date": moment, "datetime": moment, "time": time_of_day, "timedelta": duration, "bytes": octets,
    "complex": complex, "decimal": from_library("decimal", "Decimal"), "fraction": from_library("fractions", "Fraction"),
    "uuid": from_library("uuid", "UUID"), "path": from_library("pathlib", "PurePosixPath"), "range": lambda text: range(*map(int, text.split(":"))),
}
