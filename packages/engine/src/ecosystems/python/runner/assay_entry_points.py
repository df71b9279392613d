"""Plugins come from the environment only: an `*.egg-info` in the repository must not register one."""
import os

import pluggy

from assay_interpreter import site_directories

try:
    import importlib.metadata as metadata
except ImportError:  # Python 3.6 and 3.7, where pytest brings the backport.
    import importlib_metadata as metadata

_trusted = []


def only_environment_plugins():
    """Replaces the loader of entry points by one that looks at the distributions in site-packages alone."""
    _trusted[:] = environment_distributions()

    def load_setuptools_entrypoints(self, group, name=None):
        count = 0
        for distribution in _trusted:
            for entry_point in distribution.entry_points:
                if entry_point.group != group or (name is not None and entry_point.name != name):
                    continue
                if self.get_plugin(entry_point.name) or self.is_blocked(entry_point.name):
                    continue
                plugin = entry_point.load()
                self.register(plugin, name=entry_point.name)
                self._plugin_distinfo.append((plugin, as_pluggy_keeps_it(distribution)))
                count += 1
        return count

    pluggy.PluginManager.load_setuptools_entrypoints = load_setuptools_entrypoints


def plugin_names():
    return {point.name for distribution in _trusted for point in distribution.entry_points if point.group == "pytest11"}


def environment_distributions():
    directories = site_directories()
    found = []
    for distribution in metadata.distributions():
        place = getattr(distribution, "_path", None)
        if place is not None and os.path.realpath(os.path.dirname(str(place))) in directories:
            found.append((str(place), distribution))
    return [distribution for _, distribution in sorted(found, key=lambda pair: pair[0])]


def as_pluggy_keeps_it(distribution):
    """Until 1.x, and in some of those, pluggy keeps a wrapper that has `project_name`."""
    for module in ("_manager", "manager"):
        facade = getattr(getattr(pluggy, module, None), "DistFacade", None)
        if facade is not None:
            return facade(distribution)
    return distribution
