"""The repository's `addopts`, made to work in an environment that lacks some of the plugins that they name."""
import os
import sys

import pytest
from _pytest.config import Config

from assay_entry_points import plugin_names

# Report, debug, write files, choose by what failed before, or stop early, instead of running the tests.
REFUSED = set(
    """
--collect-only --co --collectonly --setup-only --setup-plan --setuponly --setupplan --fixtures --fixtures-per-test --markers --help -h
--version -V --pdb --trace --cache-show --cache-clear --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip
--stepwise-skip --sw-reset --stepwise-reset --strict-config --quiet --no-summary --disable-plugin-autoload --snapshot-update --force-regen
--regen-all --debug --cov-append --cov-branch --no-cov --no-cov-on-fail --cov-reset --exitfirst -x
""".split()
)
# The same, with a value in the next argument or after `=`.
REFUSED_WITH_VALUE = set(
    """
--pdbcls --lfnf --last-failed-no-failures --maxfail --inline-snapshot --cov --cov-report --cov-config --cov-fail-under --cov-context
-n --numprocesses --dist --tx --rsyncdir --maxprocesses --max-worker-restart --reruns --reruns-delay --only-rerun --retries --retry-delay
--randomly-seed --random-order-bucket --random-order-seed
""".split()
)


class AddoptsCleaner(object):
    """
    Two steps, because which options exist is known only after plugins and conftest files are loaded: first what is refused and plugins that
    are not there are left out; then what nobody declared is dropped from the argument list, with its value.
    """

    def __init__(self, root, args):
        self._root = root
        self.args = self._without_refused(args)
        self._count = len(self.args)
        standard = Config.getini

        def getini(config, name, *rest, **keywords):
            value = standard(config, name, *rest, **keywords)
            if name != "addopts":
                return value
            kept = self._without_refused(value)
            # pytest puts them before the command line.
            self._count = len(kept) + len(self.args)
            return kept

        Config.getini = getini

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config, parser, args):
        yield
        args[: self._count] = drop_unknown(args[: self._count], known_options(parser))
        self._count = 0

    def _without_refused(self, tokens):
        kept = []
        rest = list(tokens)
        while rest:
            token = rest.pop(0)
            name, _, value = token.partition("=")
            if name == "-p" or (token.startswith("-p") and not token.startswith("--")):
                plugin = rest.pop(0) if token == "-p" and rest else token[2:]
                if self._is_there(plugin):
                    kept += ["-p", plugin]
            elif name in REFUSED or is_short_flags(token, "q") or is_short_flags(token, "x"):
                continue
            elif name in REFUSED_WITH_VALUE or (token[:2] == "-n" and token[2:].isalnum()):
                if name == token and name in REFUSED_WITH_VALUE and rest and not rest[0].startswith("-"):
                    rest.pop(0)
            else:
                kept.append(token)
        return kept

    def _is_there(self, plugin):
        """Whether `-p plugin` can be loaded: one that is not there would end the session."""
        if plugin.startswith("no:") or plugin in plugin_names():
            return True
        top = plugin.strip().split(".")[0]
        if top in sys.modules or "_pytest.%s" % top in sys.modules:
            return True
        paths = [os.path.join(entry, top) for entry in sys.path + [self._root]]
        return any(os.path.isfile(path + ".py") or os.path.isdir(path) for path in paths)


def is_short_flags(token, letter):
    return len(token) > 1 and token[0] == "-" and set(token[1:]) == {letter}


def known_options(parser):
    """Every option string that pytest, its plugins and the conftest files declared."""
    argparse_parser = parser._getparser() if hasattr(parser, "_getparser") else parser.optparser
    return {option for action in argparse_parser._actions for option in action.option_strings}


def drop_unknown(tokens, options):
    kept = []
    dropping = False
    for token in tokens:
        is_option = len(token) > 1 and token[0] == "-"
        if is_option:
            unknown = not is_known(token, options)
            if not unknown:
                kept.append(token)
            # The next argument may be its value.
            dropping = unknown and "=" not in token
        elif dropping:
            dropping = False
        else:
            kept.append(token)
    return kept


def is_known(token, options):
    if token.startswith("--"):
        name = token.split("=", 1)[0]
        # argparse lets long options be shortened.
        return any(option.startswith(name) for option in options)
    return token[:2] in options
