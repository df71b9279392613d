"""The result channel: one JSON object a line, each under the nonce."""
import os
from hashlib import sha256
from json.encoder import encode_basestring_ascii as quote

MAX_ID = 4096
MAX_DETAIL = 2000
BLOCK = 64


def open_channel(descriptor, nonce, signed):
    """
    Returns `emit(type, **fields)`. Strings and numbers only. Nothing is written by a fork of this process.

    `signed`: the nonce is the key of a code before each line, and never written, so that who reads the channel learns nothing. Else it
    is a member of each object. What the function needs is bound here, before anything of the repository is loaded, so that a patched
    `os.write` or `json.dumps` changes nothing.
    """
    write, getpid, owner = os.write, os.getpid, os.getpid()
    sign = signer(nonce)
    head = [] if signed else ['"nonce": %s' % quote(nonce)]
    state = {"descriptor": descriptor, "line": 0}

    def emit(kind, **fields):
        if getpid() != owner or state["descriptor"] is None:
            return
        parts = head + ['"type": %s' % quote(kind)]
        for name in fields:
            value = fields[name]
            parts.append('"%s": %s' % (name, quote(clean(value)) if isinstance(value, str) else repr(value)))
        data = ("{%s}" % ", ".join(parts)).encode("ascii")
        if signed:
            data = sign(b"%d\n%s" % (state["line"], data)) + b" " + data
        state["line"] += 1
        data += b"\n"
        while data:
            data = data[write(state["descriptor"], data):]
        if kind == "end":
            os.close(state["descriptor"])
            state["descriptor"] = None

    return emit


def signer(nonce):
    """HMAC-SHA256, 128 bits of it in hexadecimal. The key stays inside of two hash states, which no module keeps."""
    key = nonce.encode("utf-8").ljust(BLOCK, b"\0")
    inner, outer = sha256(bytes(byte ^ 0x36 for byte in key)), sha256(bytes(byte ^ 0x5C for byte in key))

    def sign(data):
        first, second = inner.copy(), outer.copy()
        first.update(data)
        second.update(first.digest())
        return second.hexdigest()[:32].encode("ascii")

    return sign


def clean(text):
    """Text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def shorten(test_id):
    """Ids longer than a record should be end in a digest of the whole."""
    if len(test_id) <= MAX_ID:
        return test_id
    digest = sha256(test_id.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return "%s... sha256:%s" % (test_id[: MAX_ID - 100], digest)
