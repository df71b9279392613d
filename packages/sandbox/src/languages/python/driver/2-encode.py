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
