"""What may be part of an expectation: code that says the same wherever it runs, and touches nothing."""
import builtins

BUILTINS = set(
    """
abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset hex int len list map max min oct
ord pow range repr reversed round set slice sorted str sum tuple zip
""".split()
)
EXCEPTIONS = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)}
TYPES = {"bool", "int", "float", "complex", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset", "range", "object", "type"}

# Modules, and what of them when not all that is not in DENIED.
MODULES = {name: None for name in """
base64 binascii calendar collections datetime decimal fractions functools hashlib html ipaddress itertools json math operator re
statistics string struct textwrap unicodedata urllib.parse uuid zlib zoneinfo posixpath ntpath
""".split()}
MODULES.update({
    "copy": {"copy", "deepcopy"}, "os": {"path", "sep", "linesep", "pathsep", "curdir", "pardir", "extsep"},
    "os.path": {"join", "basename", "dirname", "normpath", "split", "splitext", "sep"},
    "pathlib": {"PurePath", "PurePosixPath", "PureWindowsPath", "Path", "PosixPath"},
    "sys": {"maxsize", "version_info", "byteorder", "platform", "hexversion"}, "http": {"HTTPStatus"}, "urllib": {"parse"},
    "unittest.mock": {"ANY"}, "mock": {"ANY"}, "pytest": {"approx"}, "unittest": {"mock"}, "email.utils": {"format_datetime", "formatdate"},
})
DENIED = set(
    """
now today utcnow uuid1 uuid4 uuid6 uuid7 getnode urandom cwd home exists is_file is_dir stat read_text read_bytes write_text write_bytes open
iterdir glob rglob resolve absolute expanduser expandvars abspath realpath relpath getcwd file_digest methodcaller attrgetter itemgetter
available_timezones reset_tzpath localtime tzset unlink mkdir touch rename replace_file samefile owner group chmod walk
""".split()
)
MUTATORS = set(
    """
append extend insert remove pop popitem clear sort reverse update setdefault add discard difference_update intersection_update
symmetric_difference_update appendleft popleft extendleft rotate subtract move_to_end __setitem__ __delitem__ write writelines close
""".split()
)


def is_module(name):
    return name in MODULES


def allows(module, name):
    if name.startswith("_") or name in DENIED:
        return False
    names = MODULES.get(module)
    return module in MODULES and (names is None or name in names)
