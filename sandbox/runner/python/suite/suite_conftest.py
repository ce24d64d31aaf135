"""A conftest may define fixtures and nothing else, and only in a folder of the suite (gate.md parts 1 and 11).

Hooks are never taken from a conftest or from a plugin that the suite names: they are refused, and reported.
"""

import os
import types

_FORBIDDEN_NAMES = ("collect_ignore", "collect_ignore_glob", "pytestmark")


def guard_plugins(pluginmanager, suite_dirs, refuse):
    """Wraps pytest's plugin manager; calls `refuse(reason, path)` for every attempt."""
    load_conftest = pluginmanager._importconftest
    parse_options = pluginmanager.parse_hookimpl_opts

    def parse_hookimpl_opts(plugin, name):
        if isinstance(plugin, types.ModuleType) and _is_conftest(plugin):
            return None
        return parse_options(plugin, name)

    def import_conftest(conftestpath, *args, **kwargs):
        path = os.path.realpath(str(conftestpath))
        if os.path.dirname(path) not in suite_dirs:
            return types.ModuleType("conftest_of_another_folder")
        module = load_conftest(conftestpath, *args, **kwargs)
        refuse_names(module, path, refuse)
        return module

    def consider_module(module):
        if getattr(module, "pytest_plugins", None):
            refuse("names plugins in 'pytest_plugins'", getattr(module, "__file__", ""))

    pluginmanager.parse_hookimpl_opts = parse_hookimpl_opts
    pluginmanager._importconftest = import_conftest
    pluginmanager.consider_module = consider_module


def refuse_names(module, path, refuse):
    """Refuses and removes what a conftest may not define."""
    for name in sorted(vars(module)):
        is_hook = name.startswith("pytest_") and not isinstance(vars(module)[name], types.ModuleType)
        if (is_hook and name != "pytest_plugins") or name in _FORBIDDEN_NAMES:
            refuse(f"defines '{name}'; a conftest may define fixtures only", path)
            delattr(module, name)


def _is_conftest(module):
    return os.path.basename(getattr(module, "__file__", "") or "") == "conftest.py"
