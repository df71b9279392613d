"""Loads a submission in Python and calls its function, one case after the other. See run-tests/driver-protocol.ts.

It shares a process with the submission and knows nothing but the case that it was given. What it needs it keeps before foreign code can
replace it, and it reads values through the slots of their real types, so that a value is what it holds and not what it says it is.
"""
import builtins
import os
import sys
from _json import encode_basestring_ascii as quote
from _json import make_scanner

# A name is looked up here before it is looked up in the module that a submission may write to.
globals().update({name: item for name, item in vars(builtins).items() if not name.startswith("__")})

ANSWERS, REQUESTS = 3, 4
MOST_DEPTH, MOST_NODES, MOST_CHARACTERS = 100, 200_000, 4 * 1024 * 1024
MOST_INTEGER_BITS = 330_000
SAFE_INTEGER = 2**53 - 1
LINE_BYTES = 1 << 16

write, read, fork_id = os.write, os.read, os.getpid
end_process = os._exit
modules = sys.modules
digits_limit = getattr(sys, "get_int_max_str_digits", None), getattr(sys, "set_int_max_str_digits", None)
PROCESS = fork_id()


class Reading:
    """What the scanner of `json` is told, without the import of all that `json` needs. It is C: nothing that a submission may replace is used."""

    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, float


scan = make_scanner(Reading)


class Refused(Exception):
    """A value that is too large to be taken."""


type_name_slot = type.__dict__["__name__"].__get__
type_order_slot = type.__dict__["__mro__"].__get__
type_dict_slot = type.__dict__["__dict__"].__get__


def type_name(kind):
    return str.__str__(type_name_slot(kind))


def decimal_text(number):
    """Beyond the limit that Python sets on the digits of a conversion, which the submission shall find as it is."""
    get, put = digits_limit
    if get is None:
        return int.__repr__(number)
    before = get()
    put(0)
    try:
        return int.__repr__(number)
    finally:
        put(before)


def whole_number(text):
    get, put = digits_limit
    if get is None:
        return int(text)
    before = get()
    put(0)
    try:
        return int(text)
    finally:
        put(before)


class Encoder:
    """One value as tagged JSON; see values/tagged-value.ts."""

    def __init__(self):
        self.nodes = 0
        self.room = MOST_CHARACTERS
        self.parts = []
        self.ancestors = []

    def put(self, text):
        self.room -= len(text)
        if self.room < 0:
            raise Refused("it is longer than %d characters" % MOST_CHARACTERS)
        self.parts.append(text)

    def string(self, text):
        if len(text) > self.room:
            raise Refused("it is longer than %d characters" % MOST_CHARACTERS)
        self.put(quote(text))

    def text_tag(self, name, text):
        self.put('{"$type":"%s","value":' % name)
        self.string(text)
        self.put("}")

    def value(self, item):
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise Refused("it holds more than %d values" % MOST_NODES)
        kind = type(item)
        writer = WRITERS.get(kind)
        if writer is None:
            writer = writer_of(kind)
        writer(self, item)

    def within(self, item, write_content):
        ancestors = self.ancestors
        if len(ancestors) >= MOST_DEPTH:
            raise Refused("it nests deeper than %d levels" % MOST_DEPTH)
        for up, ancestor in enumerate(reversed(ancestors), 1):
            if ancestor is item:
                self.put('{"$type":"cycle","up":%d}' % up)
                return
        ancestors.append(item)
        write_content()
        ancestors.pop()

    def items(self, before, items, after):
        self.put(before)
        first = True
        for item in items:
            if not first:
                self.put(",")
            first = False
            self.value(item)
        self.put(after)

    def pairs(self, pairs):
        self.put('"entries":[')
        first = True
        for key, item in pairs:
            self.put("[" if first else ",[")
            first = False
            self.value(key)
            self.put(",")
            self.value(item)
            self.put("]")
        self.put("]")


def write_none(encoder, _):
    encoder.put("null")


def write_bool(encoder, item):
    encoder.put("true" if item is True else "false")


def write_int(encoder, item):
    if int.bit_length(item) > MOST_INTEGER_BITS:
        raise Refused("it holds an integer of more than %d bits" % MOST_INTEGER_BITS)
    text = decimal_text(item)
    if -SAFE_INTEGER <= int.__index__(item) <= SAFE_INTEGER:
        encoder.put(text)
    else:
        encoder.text_tag("bigint", text)


def write_float(encoder, item):
    text = float.__repr__(item)
    if text in ("nan", "inf", "-inf", "-0.0"):
        encoder.put('{"$type":"number","value":"%s"}' % {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "-0.0": "-0"}[text])
    else:
        encoder.put(text)


def write_str(encoder, item):
    encoder.string(str.__str__(item))


def write_bytes(encoder, item):
    from binascii import b2a_base64

    if bytes.__len__(item) > encoder.room:
        raise Refused("it is longer than %d characters" % MOST_CHARACTERS)
    encoder.text_tag("bytes", b2a_base64(item, newline=False).decode("ascii"))


def write_bytearray(encoder, item):
    write_bytes(encoder, bytes(memoryview(item)))


def write_list(encoder, item):
    encoder.within(item, lambda: encoder.items("[", list.__iter__(item), "]"))


def write_tuple(encoder, item):
    encoder.within(item, lambda: encoder.items('{"$type":"tuple","values":[', tuple.__iter__(item), "]}"))


def write_set(encoder, item):
    encoder.within(item, lambda: encoder.items('{"$type":"set","values":[', set.__iter__(item), "]}"))


def write_frozenset(encoder, item):
    encoder.within(item, lambda: encoder.items('{"$type":"frozenset","values":[', frozenset.__iter__(item), "]}"))


def write_dict(encoder, item):
    def content():
        pairs = [(key, value) for key, value in dict.items(item)]
        if not all(type(key) is str for key, _ in pairs):
            encoder.put('{"$type":"map",')
            encoder.pairs(pairs)
            encoder.put("}")
        elif dict.__contains__(item, "$type"):
            encoder.put('{"$type":"object",')
            encoder.pairs(pairs)
            encoder.put("}")
        else:
            separator = "{"
            for key, value in pairs:
                encoder.put(separator)
                encoder.string(key)
                encoder.put(":")
                encoder.value(value)
                separator = ","
            encoder.put("}" if pairs else "{}")

    encoder.within(item, content)


def write_range(encoder, item):
    encoder.text_tag("range", "%d:%d:%d" % (item.start, item.stop, item.step))


def write_complex(encoder, item):
    encoder.text_tag("complex", complex.__repr__(item))


def write_function(encoder, item):
    encoder.put('{"$type":"function","name":')
    encoder.string(type_name(type(item)))
    encoder.put("}")


def write_exotic(encoder, item):
    encoder.put('{"$type":"exotic","why":')
    encoder.string("a value of type " + type_name(type(item)))
    encoder.put("}")


def write_error(encoder, item):
    encoder.put('{"$type":"error","name":')
    encoder.string(type_name(type(item))[:10_000])
    encoder.put(',"message":')
    encoder.string(message_of(item))
    encoder.put("}")


def write_instance(encoder, item):
    def content():
        encoder.put('{"$type":"instance","class":')
        encoder.string(type_name(type(item))[:10_000])
        encoder.put(',"base":"object",')
        encoder.pairs(own_fields(item))
        encoder.put("}")

    encoder.within(item, content)


def own_fields(item):
    """What lies in the object itself: its dictionary, then the slots of its classes."""
    fields = []
    for kind in type_order_slot(type(item)):
        members = type_dict_slot(kind)
        for name, member in members.items():
            if type(name) is not str:
                continue
            if type(member) is GETSET and name == "__dict__":
                own = member.__get__(item)
                fields += [(str.__str__(key), value) for key, value in dict.items(own) if isinstance(key, str)] if type(own) is dict else []
            elif type(member) is MEMBER:
                try:
                    fields.append((name, member.__get__(item)))
                except AttributeError:
                    pass
    return fields


class Slotted:
    __slots__ = ("slot",)


class Plain:
    pass


GETSET, MEMBER = type(Plain.__dict__["__dict__"]), type(Slotted.__dict__["slot"])
FUNCTIONS = (type(write_none), type(len), type(str.join), type(Encoder().put), type(object().__str__))

WRITERS = {
    type(None): write_none, bool: write_bool, int: write_int, float: write_float, str: write_str, bytes: write_bytes, bytearray: write_bytearray,
    list: write_list, tuple: write_tuple, set: write_set, frozenset: write_frozenset, dict: write_dict, range: write_range, complex: write_complex,
    **{kind: write_function for kind in FUNCTIONS},
}
# A subclass of these is what it holds. Errors are told by name and message.
BASES = {**{kind: WRITERS[kind] for kind in (int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict)}, BaseException: write_error}


def write_datetime(encoder, item):
    encoder.text_tag("datetime", type(item).isoformat(item))


def write_time(encoder, item):
    encoder.text_tag("time", type(item).isoformat(item))


def write_timedelta(encoder, item):
    microseconds = (item.days * 86_400 + item.seconds) * 1_000_000 + item.microseconds
    sign, size = "-" if microseconds < 0 else "", abs(microseconds)
    fraction = ("%06d" % (size % 1_000_000)).rstrip("0")
    encoder.text_tag("timedelta", "%s%d%s" % (sign, size // 1_000_000, "." + fraction if fraction else ""))


def writer_of_text(name):
    return lambda encoder, item: encoder.text_tag(name, str(item))


# Of modules that cost time to import: a value of their types exists only when the submission imported them.
LIBRARY = {
    ("datetime", "datetime"): write_datetime, ("datetime", "date"): write_datetime, ("datetime", "time"): write_time, ("datetime", "timedelta"): write_timedelta,
    ("decimal", "Decimal"): writer_of_text("decimal"), ("fractions", "Fraction"): writer_of_text("fraction"), ("uuid", "UUID"): writer_of_text("uuid"),
    ("pathlib", "PurePosixPath"): writer_of_text("path"), ("pathlib", "PosixPath"): writer_of_text("path"),
}


def writer_of(kind):
    for (module, name), writer in LIBRARY.items():
        if module in modules and getattr(modules[module], name, None) is kind:
            return writer
    for base in type_order_slot(kind):
        if base in BASES:
            return BASES[base]
    # Modules and classes, generators, views, files and the like: made by the interpreter or its libraries.
    own = type_dict_slot(kind).get("__module__")
    return write_instance if own == "submission" and type not in type_order_slot(kind) else write_exotic


def encode(item):
    encoder = Encoder()
    encoder.value(item)
    return "".join(encoder.parts)


def message_of(error):
    try:
        text = str(error)
        return str.__str__(text)[:10_000]
    except BaseException:
        return ""


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


class Requests:
    def __init__(self):
        self.rest = b""

    def line(self):
        """None when there are no more."""
        pieces = [self.rest]
        while b"\n" not in pieces[-1]:
            piece = read(REQUESTS, LINE_BYTES)
            if not piece:
                return None
            pieces.append(piece)
        line, self.rest = b"".join(pieces).split(b"\n", 1)
        return scan(line.decode("ascii"), 0)[0]


def say(nonce, word, text):
    data = memoryview(("\n%s %s %s\n" % (nonce, word, text)).encode("ascii"))
    while data:
        data = data[write(ANSWERS, data):]


class Missing(Exception):
    """The submission does not define what is to be called."""


def load(source):
    """The module of the submission. Names of `typing` that it forgot to import are given to it, as judges of contests do."""
    code = compile(source.lstrip("\ufeff"), "submission.py", "exec", dont_inherit=True)
    given = {}
    for _ in range(2):
        module = type(sys)("submission")
        modules["submission"] = module
        module.__dict__.update(given)
        try:
            exec(code, module.__dict__)
            return module
        except NameError as error:
            import typing

            if given or getattr(error, "name", None) not in typing.__all__:
                raise
            given = {name: getattr(typing, name) for name in typing.__all__}
    raise Missing("the submission cannot be loaded")


def find(module, path):
    """How to get the function: a call of it returns the callable, so that each case gets an instance of its own."""
    root, last = path[0], path[-1]
    names = module.__dict__
    if len(path) == 1:
        if callable(names.get(last)):
            return lambda arguments: names[last]
        own = [item for item in names.values() if isinstance(item, type) and item.__module__ == "submission"]
        for holder in ([names["Solution"]] if isinstance(names.get("Solution"), type) else own):
            if callable(getattr(holder, last, None)):
                return lambda arguments, holder=holder: method(holder, last, arguments)
        raise Missing
    if root not in names:
        raise Missing
    holder = names[root]
    for part in path[1:-1]:
        holder = getattr(holder, part, None)
    if not callable(getattr(holder, last, None)):
        raise Missing
    return lambda arguments: method(holder, last, arguments)


def method(holder, name, arguments):
    if not isinstance(holder, type):
        return getattr(holder, name)
    raw = next((vars(kind)[name] for kind in holder.__mro__ if name in vars(kind)), None)
    if type(raw) is not type(find):
        return getattr(holder, name)
    code = raw.__code__
    without_self = code.co_argcount == len(arguments) and code.co_varnames[:1] not in (("self",), ("this",))
    return raw if without_self else getattr(holder(), name)


def call(target, arguments):
    result = target(arguments)(*arguments)
    if type(result) is COROUTINE or hasattr(type(result), "__await__"):
        import asyncio

        async def wait():
            return await result

        return asyncio.run(wait())
    return result


async def _coroutine():
    pass


_made = _coroutine()
COROUTINE = type(_made)
_made.close()


def outcome(target, tagged):
    try:
        arguments = Decoder().value(tagged)
        result = call(target, arguments)
    except BaseException as error:
        return '{"thrown":{"name":%s,"message":%s}}' % (quote(type_name(type(error))[:10_000]), quote(message_of(error)))
    finally:
        if fork_id() != PROCESS:
            end_process(0)
    try:
        return '{"returned":%s}' % encode(result)
    except Refused as error:
        return '{"failed":%s}' % quote("the result cannot be taken: " + message_of(error))
    except BaseException as error:
        return '{"failed":%s}' % quote("the result cannot be read: %s: %s" % (type_name(type(error))[:100], message_of(error)))


def refuse(nonce, reason, syntax=False):
    say(nonce, "refused", '{"reason":%s,"syntax":%s}' % (quote(reason), "true" if syntax else "false"))


def main():
    requests = Requests()
    greeting = requests.line()
    nonce, name = greeting["nonce"], greeting["functionName"]
    for descriptor in (ANSWERS, REQUESTS):
        os.set_inheritable(descriptor, False)
    say(nonce, "started", "{}")
    try:
        target = find(load(greeting["source"]), name.split("."))
    except Missing:
        return refuse(nonce, "the submission defines no function " + name)
    except SyntaxError as error:
        return refuse(nonce, "%s: %s (line %s)" % (type_name(type(error)), error.msg, error.lineno))
    except BaseException as error:
        return refuse(nonce, "%s: %s" % (type_name(type(error))[:100], message_of(error)))
    del greeting
    say(nonce, "loaded", "{}")
    while True:
        request = requests.line()
        if request is None:
            return None
        say(nonce, request["id"], outcome(target, request["input"]))


# What the submission left behind (threads, handlers of the end) is not waited for.
try:
    main()
finally:
    end_process(0)
