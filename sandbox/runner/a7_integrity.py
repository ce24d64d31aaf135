"""Whether the functions that carry a verdict are still those of pytest and unittest, where suite and code share a process.

It makes a cheat visible, not impossible: only the glass wall keeps the code away from them.
"""

import sys
import types

_PACKAGES = ("unittest", "pytest", "_pytest", "pluggy")
# A plugin of pytest's own replaces it at each start.
_FREE = frozenset(["_getini_unknown_type"])


class Integrity:
    """Remembers every function of those packages as it was before suite and code were loaded."""

    def __init__(self):
        self._functions = []
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] in _PACKAGES and isinstance(module, types.ModuleType):
                self._remember(module, name)
                for value in list(vars(module).values()):
                    if isinstance(value, type) and value.__module__ == name:
                        self._remember(value, name)

    def _remember(self, owner, module):
        for name, value in vars(owner).items():
            function = getattr(value, "__func__", value)
            if isinstance(function, types.FunctionType) and function.__module__ == module and name not in _FREE:
                self._functions.append((vars(owner), name, value, function, function.__code__, f"{owner.__name__}.{name}"))

    def changed(self):
        """Name of the first function that is another now, or None."""
        for space, name, value, function, code, label in self._functions:
            if space.get(name) is not value or function.__code__ is not code:
                return label
        return None
