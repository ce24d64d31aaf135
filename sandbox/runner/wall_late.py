"""asyncio, loaded when it is first needed: it costs either side of the wall more than all else together (gate.md part 10)."""

import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# The path as it is before the judged party's folder comes first: nobody's file stands in for the library.
_STANDARD = [entry for entry in sys.path if entry not in ("", HERE)]
CANCELLED = "CancelledError"


def asyncio():
    """The library, loaded now if nobody has."""
    if "asyncio" not in sys.modules:
        shown, sys.path[:] = sys.path[:], _STANDARD
        try:
            import asyncio  # noqa: F401 - kept in sys.modules
        finally:
            sys.path[:] = shown
    return sys.modules["asyncio"]


def running_loop():
    """The event loop that runs in this thread; where asyncio is not loaded there is none."""
    events = sys.modules.get("asyncio.events")
    return None if events is None else events._get_running_loop()


def is_future(value):
    futures = sys.modules.get("asyncio.futures")
    return futures is not None and isinstance(value, futures.Future)


def is_cancelled(cls):
    """Whether a class is `CancelledError`."""
    exceptions = sys.modules.get("asyncio.exceptions")
    return exceptions is not None and cls is exceptions.CancelledError


class Names(dict):
    """Classes by name, with `CancelledError` among them, which is loaded when it is asked for."""

    def __missing__(self, name):
        if name != CANCELLED:
            raise KeyError(name)
        self[name] = asyncio().CancelledError
        return self[name]

    def __contains__(self, name):
        return name == CANCELLED or dict.__contains__(self, name)

    def get(self, name, default=None):
        return self[name] if name in self else default


class Classes(dict):
    """Names by class, with `CancelledError` among them."""

    def __missing__(self, cls):
        if not is_cancelled(cls):
            raise KeyError(cls)
        return CANCELLED

    def __contains__(self, cls):
        return dict.__contains__(self, cls) or is_cancelled(cls)

    def get(self, cls, default=None):
        found = dict.get(self, cls)
        return found if found is not None else CANCELLED if is_cancelled(cls) else default
