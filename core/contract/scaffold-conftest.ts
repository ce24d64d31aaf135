/** Root `conftest.py` of a Python project: a plain `pytest` finds the same files beside a suite as the gate does. */
export const ROOT_CONFTEST = `"""Lets each suite import the files beside it by name, as the gate does, and keeps one suite's from another's."""

import os
import sys

import pytest

_modules = {}
_entered = None


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector):
    if isinstance(collector, pytest.Module):
        _enter(os.path.dirname(collector.path))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    _enter(os.path.dirname(item.path))


def _enter(folder):
    global _entered
    if folder == _entered:
        return
    if _entered is not None:
        sys.path.remove(_entered)
        beside = {name: module for name, module in sys.modules.items() if _is_beside(name, module)}
        for name in beside:
            del sys.modules[name]
        _modules[_entered] = beside
    sys.path.append(folder)
    sys.modules.update(_modules.get(folder, {}))
    _entered = folder


def _is_beside(name, module):
    file = getattr(module, "__file__", None) or ""
    top = os.path.join(_entered, name.partition(".")[0])
    return file.startswith(top + ".") or file.startswith(top + os.sep)
`;
