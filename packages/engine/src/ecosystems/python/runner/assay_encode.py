"""Values of a test as data. Exact types only, read through the slots of the language; see `specs` of the split oracle."""
import collections
import datetime
import decimal
import fractions
import pathlib
import uuid
from json.encoder import encode_basestring_ascii as quote

MAX_DEPTH = 25
MAX_NODES = 20000
MAX_TEXT = 1024 * 1024
MAX_CHAIN = 60

_mro_of = type.__dict__["__mro__"].__get__
_dict_of = type.__dict__["__dict__"].__get__
_name_of = type.__dict__["__qualname__"].__get__
_module_of = type.__dict__["__module__"].__get__
_args_of = BaseException.__dict__["args"].__get__
CAPPED = '["o",["capped"]]'
CYCLE = '["o",["cycle"]]'
# Classes of the standard library whose own `__eq__` says the same as that of their base for what tests compare.
FAITHFUL = {collections.OrderedDict, collections.defaultdict, collections.Counter}


def names_of(kind):
    """The names of a class and all that it derives from, as JSON. Nothing of the class itself is asked."""
    names = []
    for each in _mro_of(kind)[:MAX_CHAIN]:
        try:
            module = _module_of(each)
            names.append("%s.%s" % (module if type(module) is str else "?", _name_of(each)))
        except Exception:
            names.append("?")
    return "[%s]" % ",".join(quote(name[:200]) for name in names)


class Encoder(object):
    """One value. Never raises but for what it is interrupted by."""

    def __init__(self):
        self._nodes = 0
        self._open = set()

    def encode(self, value):
        try:
            return self._value(value, 0)
        except Exception:
            return '["o",[]]'

    def _value(self, value, depth):
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            return CAPPED
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        kind = type(value)
        make = KINDS.get(kind)
        if make is not None:
            return make(self, value, depth)
        if isinstance_of(kind, type):
            return '["type",%s]' % names_of(value)
        if isinstance_of(kind, BaseException):
            return self.exception(value)
        return self._instance(value, kind, depth)

    def _instance(self, value, kind, depth):
        names = names_of(kind)
        for each in _mro_of(kind):
            base = BASES.get(each)
            if base is not None:
                plain = base(value)
                return '["sub",%s,%s]' % (names, KINDS[each](self, plain, depth))
            if each not in FAITHFUL and any(name in _dict_of(each) for name in ("__eq__", "__ne__")):
                break
        return '["o",%s]' % names

    def exception(self, error):
        try:
            text = str(error)
            notes = getattr(error, "__notes__", None)
            if type(notes) in (list, tuple):
                text = "\n".join([text] + [str(note) for note in notes])
        except Exception:
            text = ""
        return '["x",%s,%s]' % (names_of(type(error)), self._text(str.__str__(text)))

    def _text(self, value, depth=0):
        return quote(value) if len(value) <= MAX_TEXT else CAPPED

    def _int(self, value, depth):
        return '["i","%x"]' % value if value.bit_length() <= 4 * MAX_TEXT else CAPPED

    def _float(self, value, depth):
        return '["f","%s"]' % float.hex(value)

    def _complex(self, value, depth):
        return '["c","%s","%s"]' % (float.hex(value.real), float.hex(value.imag))

    def _bytes(self, value, depth):
        return '["b","%s"]' % value.hex() if len(value) <= MAX_TEXT else CAPPED

    def _bytearray(self, value, depth):
        return '["y","%s"]' % value.hex() if len(value) <= MAX_TEXT else CAPPED

    def _items(self, tag, value, items, depth):
        if id(value) in self._open:
            return CYCLE
        self._open.add(id(value))
        parts = []
        for item in items:
            if self._nodes > MAX_NODES:
                return CAPPED
            parts.append(self._value(item, depth + 1))
        self._open.discard(id(value))
        return '["%s",[%s]]' % (tag, ",".join(parts))

    def _list(self, value, depth):
        return self._items("l", value, list.__iter__(value), depth)

    def _tuple(self, value, depth):
        return self._items("t", value, tuple.__iter__(value), depth)

    def _set(self, value, depth):
        return self._items("s", value, set.__iter__(value), depth)

    def _frozenset(self, value, depth):
        return self._items("z", value, frozenset.__iter__(value), depth)

    def _dict(self, value, depth):
        if id(value) in self._open:
            return CYCLE
        self._open.add(id(value))
        parts = []
        for key, item in dict.items(value):
            if self._nodes > MAX_NODES:
                return CAPPED
            parts.append("[%s,%s]" % (self._value(key, depth + 1), self._value(item, depth + 1)))
        self._open.discard(id(value))
        return '["d",[%s]]' % ",".join(parts)

    def _view(self, value, depth):
        return '["v","%s",%s]' % (type(value).__name__, self._items("l", value, type(value).__iter__(value), depth)[5:-1])

    def _datetime(self, value, depth):
        parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
        return '["dt",%s,%d,%s]' % (parts, value.fold, zone_of(value))

    def _time(self, value, depth):
        parts = [value.hour, value.minute, value.second, value.microsecond]
        return '["tm",%s,%d,%s]' % (parts, value.fold, zone_of(value))

    def _date(self, value, depth):
        return '["da",%s]' % [value.year, value.month, value.day]

    def _timedelta(self, value, depth):
        return '["td",%s]' % [value.days, value.seconds, value.microseconds]

    def _decimal(self, value, depth):
        return '["de",%s]' % self._text(decimal.Decimal.__str__(value))

    def _fraction(self, value, depth):
        return '["fr","%x","%x"]' % (value.numerator, value.denominator)

    def _uuid(self, value, depth):
        return '["u","%032x"]' % value.int

    def _path(self, value, depth):
        return '["p","%s",%s]' % (type(value).__name__, self._text(str(value)))

    def _range(self, value, depth):
        return '["r",["%x","%x","%x"]]' % (value.start, value.stop, value.step)

    def _ellipsis(self, value, depth):
        return '["e"]'

    def _not_implemented(self, value, depth):
        return '["n"]'


def isinstance_of(kind, base):
    return any(each is base for each in _mro_of(kind))


def zone_of(value):
    """The offset of a zone, which its own code says."""
    offset = value.utcoffset()
    return "null" if offset is None else "%s" % [offset.days, offset.seconds, offset.microseconds]


KINDS = {
    str: Encoder._text, int: Encoder._int, float: Encoder._float, complex: Encoder._complex, bytes: Encoder._bytes,
    bytearray: Encoder._bytearray, list: Encoder._list, tuple: Encoder._tuple, set: Encoder._set, frozenset: Encoder._frozenset,
    dict: Encoder._dict, datetime.datetime: Encoder._datetime, datetime.time: Encoder._time, datetime.date: Encoder._date,
    datetime.timedelta: Encoder._timedelta, decimal.Decimal: Encoder._decimal, fractions.Fraction: Encoder._fraction,
    uuid.UUID: Encoder._uuid, pathlib.PosixPath: Encoder._path, pathlib.PurePosixPath: Encoder._path,
    pathlib.PureWindowsPath: Encoder._path, range: Encoder._range, type(Ellipsis): Encoder._ellipsis,
    type(NotImplemented): Encoder._not_implemented, type({}.keys()): Encoder._view, type({}.values()): Encoder._view,
    type({}.items()): Encoder._view,
}


def _same(value):
    return value


# How the part of a subclass is read that its base has. Those of containers read it when they are walked.
BASES = {
    str: str.__str__, int: int.__int__, float: float.__float__, bytes: lambda value: b"".join((value, b"")), list: _same, tuple: _same,
    set: _same, frozenset: _same, dict: _same, complex: lambda value: complex(value.real, value.imag), datetime.datetime: _same,
    datetime.date: _same, datetime.time: _same, datetime.timedelta: _same, decimal.Decimal: _same, fractions.Fraction: _same,
}
