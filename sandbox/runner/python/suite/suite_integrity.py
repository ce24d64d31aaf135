"""Whether the functions that carry a verdict are still those of pytest, unittest and the suite, where suite and code share a process.

It makes a cheat visible, not impossible: only the glass wall keeps the code away from them.
"""

import os
import sys
import types
import unittest

_PACKAGES = ("unittest", "pytest", "_pytest", "pluggy")
# A plugin of pytest's own replaces it at each start.
_FREE = frozenset(["_getini_unknown_type"])


class Integrity:
    """Remembers every function of those packages as it was before suite and code were loaded."""

    def __init__(self):
        self._functions, self._classes, self._found = [], [], None
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] in _PACKAGES and isinstance(module, types.ModuleType):
                self._remember_module(module, name)

    def add_suite(self, items, folders):
        """Remembers the suite's own functions once it is loaded, before the first test runs."""
        modules = {id(module): module for module in [*sys.modules.values(), *(getattr(item, "module", None) for item in items)]}
        for module in list(modules.values()):
            if isinstance(module, types.ModuleType) and os.path.dirname(getattr(module, "__file__", None) or "") in folders:
                self._remember_module(module, module.__name__)

    def look_at(self, item):
        """Looks at what a test case holds itself, while it exists: it may not stand before a function of unittest."""
        case = getattr(item, "_instance", None) or getattr(item, "_testcase", None)
        if self._found is None and isinstance(case, unittest.TestCase):
            self._found = next((f"{type(case).__name__}.{name}" for name in vars(case) if _is_unittest(name)), None)

    def changed(self):
        """Name of the first function that is another now, or None."""
        if self._found is not None:
            return self._found
        for space, name, value, function, code, label in self._functions:
            if space.get(name) is not value or function.__code__ is not code:
                return label
        for cls, names in self._classes:
            for name in vars(cls):
                if name not in names and _is_unittest(name):
                    return f"{cls.__name__}.{name}"
        return None

    def _remember_module(self, module, name):
        self._remember(module, name)
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name:
                self._remember(value, name)
                if issubclass(value, unittest.TestCase):
                    self._classes.append((value, frozenset(vars(value))))

    def _remember(self, owner, module):
        for name, value in vars(owner).items():
            function = getattr(value, "__func__", value)
            if isinstance(function, types.FunctionType) and function.__module__ == module and name not in _FREE:
                self._functions.append((vars(owner), name, value, function, function.__code__, f"{owner.__name__}.{name}"))


def _is_unittest(name):
    return isinstance(getattr(unittest.TestCase, name, None), (types.FunctionType, types.MethodType))
