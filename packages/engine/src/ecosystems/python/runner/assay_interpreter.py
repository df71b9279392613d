"""Makes an interpreter that started bare (`-I -S`) fit for tests, without letting the repository take part in that."""
import importlib
import os
import site
import sys

# What pytest and the usual plugins import late: a file of the same name in the repository must not be taken instead.
LATE_IMPORTS = """
argparse ast asyncio atexit base64 bdb bisect calendar cmd code codecs collections collections.abc concurrent.futures configparser
contextlib copy csv datetime decimal difflib dis doctest email.message enum errno faulthandler fnmatch fractions functools gc getpass
glob hashlib heapq html http.client importlib.abc importlib.machinery importlib.metadata importlib.resources importlib.util inspect io
itertools json keyword linecache locale logging logging.handlers marshal math multiprocessing numbers opcode operator pathlib pdb pickle
pkgutil platform pprint pstats queue random re readline reprlib secrets select shlex shutil signal socket statistics stat string struct
subprocess sysconfig tempfile textwrap threading time timeit token tokenize tomllib traceback types typing unicodedata unittest
unittest.case unittest.mock unittest.async_case urllib.parse urllib.request uuid warnings weakref xml.dom.minidom xml.etree.ElementTree
xml.sax.saxutils zipfile zipimport zlib zoneinfo
""".split()


def prepare_interpreter(root):
    """Site-packages of the environment, stdlib modules loaded, no bytecode of the repository."""
    sys.dont_write_bytecode = True
    check_hash_based_bytecode()
    ignore_bytecode_below(root)
    for name in LATE_IMPORTS:
        try_import(name)
    add_site_packages()
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_CURRENT_TEST", "PYTHONSTARTUP"):
        os.environ.pop(name, None)


def try_import(name):
    try:
        importlib.import_module(name)
    except Exception:  # Not in this version, or built without it.
        pass


def add_site_packages():
    """What `site.main()` does, `.pth` files included, but for sitecustomize and usercustomize."""
    known = set(sys.path)
    site.ENABLE_USER_SITE = False
    if hasattr(site, "venv"):
        known = site.venv(known)
    site.addsitepackages(known)
    site.setquit()
    site.setcopyright()
    site.sethelper()


def check_hash_based_bytecode():
    """`--check-hash-based-pycs always`, which Python 3.6 does not know as an option."""
    import _imp

    if hasattr(_imp, "check_hash_based_pycs"):
        _imp.check_hash_based_pycs = "always"


def ignore_bytecode_below(root):
    """A `__pycache__` in the repository is never read; that of the environment, which is read-only, is."""
    import _frozen_importlib_external as machinery

    standard = machinery.cache_from_source
    prefix = root.rstrip("/") + "/"

    def cache_from_source(path, *args, **kwargs):
        if os.path.abspath(os.fspath(path)).startswith(prefix):
            raise NotImplementedError("no bytecode of the repository")
        return standard(path, *args, **kwargs)

    machinery.cache_from_source = cache_from_source


def site_directories():
    """Real paths of the site-packages of the environment."""
    return {os.path.realpath(path) for path in site.getsitepackages()}
