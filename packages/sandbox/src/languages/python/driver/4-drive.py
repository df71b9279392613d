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
