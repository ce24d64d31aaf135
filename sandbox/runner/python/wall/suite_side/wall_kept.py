"""Failed assertions of the suite that the code was handed: a callback's, or one of a block that the code closes (gate.md part 11).

Code that catches one and goes on would have the test pass without it. So a test fails whose assertion does not come back:
raised out of the call, or let through by `__exit__`. What it says of the wanted value stays on the suite's side.
"""

from wall_proxies import WallObject

VEIL = "An assertion failed"
_CLOSING = ("__exit__", "__aexit__", "throw")


class Kept:
    """`is_open`: the contract itself speaks of assertion errors, and code may do with them what it says."""

    def __init__(self, codec, is_open):
        self.codec, self.is_open, self.types, self._errors = codec, is_open, (AssertionError,), {}
        codec.veil = self.veil

    def is_ours(self, error):
        if self.is_open or not isinstance(error, self.types) or getattr(error, "__traceback__", None) is None:
            return False
        return "_a7_frames" not in error.__dict__ and not any(base in self.codec.classes for base in type(error).__mro__)

    def veil(self, error):
        """Text that the code gets instead of the assertion's own, or None."""
        return VEIL if self.is_ours(error) else None

    def hand(self, error):
        if self.is_ours(error):
            self._errors[id(error)] = error

    def back(self, error):
        self._errors.pop(id(error), None)

    def closing(self, name, args):
        """The error that a call closes a block with."""
        error = next((item for item in args if isinstance(item, BaseException)), None) if name in _CLOSING else None
        if error is not None:
            self.hand(error)
        return error

    def closed(self, name, error, value):
        """`__exit__` lets an error through by what it gives."""
        if name == "__aexit__" and hasattr(value, "send"):
            return self._closed_later(error, value)
        if name != "throw" and not isinstance(value, WallObject) and not value:
            self.back(error)
        return value

    async def _closed_later(self, error, value):
        return self.closed("__exit__", error, await value)

    def take(self):
        """The first one that did not come back; forgets them all."""
        found, self._errors = next(iter(self._errors.values()), None), {}
        return found
