"""The repository's `addopts`, made to work in an environment that lacks some of the plugins it names."""
import os
import sys

# Options that report, debug or change files instead of running the tests; those with a value of their own are in TAKES_VALUE.
REFUSED = set(
    """
--collect-only --co --collectonly --setup-only --setup-plan --setuponly --setupplan --fixtures --fixtures-per-test --markers --help -h
--version -V --pdb --trace --pdbcls --cache-show --cache-clear --lf --last-failed --ff --failed-first --nf --new-first --lfnf
--last-failed-no-failures --sw --stepwise --sw-skip --stepwise-skip --sw-reset --stepwise-reset --strict-config --quiet --no-summary
--disable-plugin-autoload --snapshot-update --force-regen --inline-snapshot --update-snapshots --regen-all --debug --cov-append
""".split()
)
TAKES_VALUE = {"--pdbcls", "--lfnf", "--last-failed-no-failures"}


class AddoptsCleaner(object):
    """
    Two steps, because which options exist is known only after plugins and conftest files are loaded: `getini("addopts")` leaves out what is
    refused and plugins that are not there; then the rest that nobody declared is dropped from the argument list, each with its value.
    """

    def __init__(self, pytest, root, own_count):
        self._root = root
        self._count = 0
        self._hook = pytest.hookimpl
        from _pytest.config import Config

        standard = Config.getini

        def getini(config, name, *args, **kwargs):
            value = standard(config, name, *args, **kwargs)
            if name != "addopts":
                return value
            kept = self._first_step(list(value))
            self._count = len(kept)
            return kept

        Config.getini = getini
        # Set here because the decorator comes from the pytest of the environment.
        type(self).pytest_load_initial_conftests = pytest.hookimpl(hookwrapper=True)(second_step)

    def _first_step(self, tokens):
        kept = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token == "-p" and index < len(tokens):
                if self._is_there(tokens[index]):
                    kept += [token, tokens[index]]
                index += 1
            elif token.startswith("-p") and len(token) > 2 and not token.startswith("--"):
                if self._is_there(token[2:]):
                    kept.append(token)
            elif token.split("=", 1)[0] in REFUSED:
                if token in TAKES_VALUE:
                    index += 1
            elif len(token) > 1 and token[0] == "-" and set(token[1:]) == {"q"}:
                continue
            else:
                kept.append(token)
        return kept

    def _is_there(self, plugin):
        """Whether `-p plugin` can be loaded: an early plugin that is not there would end the session."""
        plugin = plugin.strip()
        if plugin.startswith("no:"):
            return True
        top = plugin.split(".")[0]
        if top in sys.modules or "_pytest.%s" % top in sys.modules or is_entry_point(plugin):
            return True
        return any(
            os.path.isfile(os.path.join(entry, top + ".py")) or os.path.isdir(os.path.join(entry, top)) for entry in sys.path + [self._root]
        )


def is_entry_point(name):
    from assay_entry_points import plugin_names

    return name in plugin_names()


def second_step(self, early_config, parser, args):
    yield
    head = args[: self._count]
    args[: self._count] = drop_unknown(head, known_options(parser), self._root)
    self._count = 0


def known_options(parser):
    """Every option string that pytest, its plugins and the conftest files declared."""
    options = set()
    for action in parser._getparser()._actions if hasattr(parser, "_getparser") else parser.optparser._actions:
        options.update(action.option_strings)
    return options


def drop_unknown(tokens, options, root):
    kept = []
    dropping = False
    for token in tokens:
        if len(token) < 2 or token[0] != "-":
            # The value of an option that is gone, unless it is a path that shall be tested.
            if dropping and not os.path.exists(os.path.join(root, token.split("::")[0])):
                continue
            dropping = False
            kept.append(token)
            continue
        dropping = not is_known(token, options)
        if not dropping:
            kept.append(token)
    return kept


def is_known(token, options):
    if token.startswith("--"):
        name = token.split("=", 1)[0]
        # argparse lets long options be shortened.
        return name in options or any(option.startswith(name) for option in options)
    return token[:2] in options
