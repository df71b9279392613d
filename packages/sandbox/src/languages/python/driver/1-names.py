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
