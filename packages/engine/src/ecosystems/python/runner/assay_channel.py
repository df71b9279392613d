"""The result channel: one JSON object a line, each with the nonce."""
import os
from json.encoder import encode_basestring_ascii as quote

MAX_ID = 4096
MAX_DETAIL = 2000


def open_channel(descriptor, nonce):
    """
    Returns `emit(type, **fields)`. Strings and numbers only. Nothing is written by a fork of this process.

    What the function needs is bound here, before anything of the repository is loaded, so that a patched `os.write` or `json.dumps`
    changes nothing.
    """
    write, getpid, owner = os.write, os.getpid, os.getpid()
    head = '{"nonce": %s' % quote(nonce)
    state = {"descriptor": descriptor}

    def emit(kind, **fields):
        if getpid() != owner or state["descriptor"] is None:
            return
        parts = [head, '"type": %s' % quote(kind)]
        for name in fields:
            value = fields[name]
            parts.append('"%s": %s' % (name, quote(clean(value)) if isinstance(value, str) else repr(value)))
        data = (", ".join(parts) + "}\n").encode("ascii")
        while data:
            data = data[write(state["descriptor"], data):]
        if kind == "end":
            os.close(state["descriptor"])
            state["descriptor"] = None

    return emit


def clean(text):
    """Text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def shorten(test_id):
    """Ids longer than a record should be end in a digest of the whole."""
    if len(test_id) <= MAX_ID:
        return test_id
    import hashlib

    digest = hashlib.sha256(test_id.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return "%s... sha256:%s" % (test_id[: MAX_ID - 100], digest)
