"""Names that the suite replaces, on the builder's side: each is put back as it was."""

import importlib
import inspect
import types

_missing = object()


class Patched:
    """Remembers what was there before, by owner and name."""

    def __init__(self):
        self.before = {}

    def replace(self, target, name, value):
        owner = _owner(target)
        self.before.setdefault((owner, name), vars(owner).get(name, _missing))
        setattr(owner, name, value)

    def put_back(self, target, name):
        owner = _owner(target)
        before = self.before.pop((owner, name), _missing)
        if before is not _missing:
            setattr(owner, name, before)
        elif name in vars(owner):
            delattr(owner, name)


def _owner(target):
    """A class of the contracts as it is; `module` or `module:Class` of anything else."""
    if type(target) is not str:
        return target
    module, _, path = target.partition(":")
    found = importlib.import_module(module)
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


def peek(module, name):
    """What kind of thing a module has under a name that nobody declared; None if it has nothing."""
    value = getattr(module, name, _missing)
    if value is _missing:
        return None
    if isinstance(value, types.ModuleType):
        return ["library", value.__name__]
    if isinstance(value, type):
        return ["library", value.__module__, value.__qualname__]
    return ["async"] if inspect.iscoroutinefunction(value) else ["other"]
