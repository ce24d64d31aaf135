"""asyncio, loaded when it is first needed: it costs either side of the wall more than all else together (gate.md part 10)."""

import importlib
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# The path as it is before the judged party's folder comes first: nobody's file stands in for the library.
_STANDARD = [entry for entry in sys.path if entry not in ("", HERE)]
CANCELLED = "CancelledError"
# Modules of the standard library whose exceptions either side has: they are loaded when one of them crosses.
_RAISING = frozenset((
    "_csv _queue argparse asyncio.exceptions asyncio.queues binascii calendar concurrent.futures._base configparser copy decimal email.errors "
    "getopt graphlib gzip http.client http.cookies ipaddress locale _lzma plistlib queue re shutil socket sqlite3 ssl statistics struct "
    "subprocess tarfile threading tokenize tomllib urllib.error xml.etree.ElementTree xml.parsers.expat zipfile zlib zoneinfo._common"
).split())  # fmt: skip


def asyncio():
    """The library, loaded now if nobody has."""
    return _library("asyncio")


def _library(name):
    if name not in sys.modules:
        shown, sys.path[:] = sys.path[:], _STANDARD
        try:
            importlib.import_module(name)
        finally:
            sys.path[:] = shown
    return sys.modules[name]


def _raised_by(name):
    """The exception `module.Name` of the library, or None."""
    module, _, label = name.rpartition(".")
    if module not in _RAISING:
        return None
    found = vars(_library(module)).get(label)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def _name_of(cls):
    """`module.Name` of an exception of the library, or None."""
    try:
        module, label = cls.__module__, cls.__qualname__
    except AttributeError:
        return None
    is_known = type(module) is str and module in _RAISING and vars(sys.modules.get(module, object)).get(label) is cls
    return f"{module}.{label}" if is_known and issubclass(cls, Exception) else None


async def sleep(seconds):
    """`asyncio.sleep` of the library, whatever a suite has put under that name."""
    await asyncio().tasks.sleep(seconds)


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
    """Classes by name, with `CancelledError` and the library's other exceptions among them, which are loaded when one is asked for."""

    def __missing__(self, name):
        found = asyncio().CancelledError if name == CANCELLED else _raised_by(name) if type(name) is str else None
        if found is None:
            raise KeyError(name)
        self[name] = found
        return found

    def __contains__(self, name):
        return name == CANCELLED or dict.__contains__(self, name) or (type(name) is str and _raised_by(name) is not None)

    def get(self, name, default=None):
        return self[name] if name in self else default


class Classes(dict):
    """Names by class, with the same among them."""

    def __missing__(self, cls):
        found = CANCELLED if is_cancelled(cls) else _name_of(cls)
        if found is None:
            raise KeyError(cls)
        return found

    def __contains__(self, cls):
        return dict.__contains__(self, cls) or is_cancelled(cls) or _name_of(cls) is not None

    def get(self, cls, default=None):
        return self[cls] if cls in self else default
