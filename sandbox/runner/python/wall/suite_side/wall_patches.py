"""Names that a suite replaces: in a module or class of the contracts, or in the standard library. The builder's side replaces them too,
and puts back what it had itself (gate.md part 10). Which targets cross is fixed by wall_scan_patches.py."""

import importlib
import sys
import types

from wall_scan_patches import is_patchable

_MISSING = object()
_BY_HAND = ("stdin", "argv")
_MEMBERS = (types.FunctionType, staticmethod, classmethod, property)


class Original:
    """Stands for what the builder's module has under a name that no contract declares: it can be put back, and nothing else."""

    __slots__ = ()


class Patches:
    """What is replaced now. `first` holds what was there before, by owner and name."""

    def __init__(self, bridge):
        self.bridge, self.first, self.marks, self.held = bridge, {}, {}, {}
        self.by_hand = {name: vars(sys)[name] for name in _BY_HAND}

    # -- the contracts' modules and classes -----------------------------------------------------------------------------

    def in_module(self, module, name, value):
        """Sets a name of a contract's module; what was there first is put back."""
        key, space = (module.__name__, name), module.__dict__
        if key not in self.first:
            self.first[key] = space.get(name, self.marks.get(key, _MISSING))
        if value is self.first[key]:
            self.out_of_module(module, name)
            return
        self._send("patch", module.__name__, name, value)
        if name not in module._a7_values:
            space[name] = value

    def out_of_module(self, module, name):
        before = self.first.pop((module.__name__, name), _MISSING)
        self._send("unpatch", module.__name__, name)
        if before is _MISSING or isinstance(before, Original) or name in module._a7_values:
            module.__dict__.pop(name, None)
        else:
            module.__dict__[name] = before

    def undeclared(self, module, name):
        """What a suite may hold of a name that only the builder's module has. Raises AttributeError."""
        kind, *place = self.bridge.request("peek", module, name) or ("none",)
        if kind == "none":
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        # A class of another contract that the module has imported, such as an error that it raises, is that class.
        if kind == "library" and len(place) == 2 and place[0] in self.bridge.modules:
            return getattr(importlib.import_module(place[0]), place[1])
        found = _library(*place) if kind == "library" else None
        if found is None:
            found = self.marks.get((module, name)) or (_asynchronous() if kind == "async" else Original())
        self.marks[module, name] = found
        return found

    def in_class(self, cls, name, value):
        """Sets an attribute of a contract's class; its methods are put back by what they were."""
        key, own = (cls, name), cls.__dict__.get(name, _MISSING)
        if key not in self.first and not isinstance(own, _MEMBERS):
            self.bridge.request("set", cls, name, (value,))
            if own is not _MISSING:
                type.__setattr__(cls, name, value)
            return
        if value is self.first.setdefault(key, own):
            del self.first[key]
            self._send("unpatch", cls, name)
        else:
            self._send("patch", cls, name, value)
        type.__setattr__(cls, name, value)

    # -- the standard library -------------------------------------------------------------------------------------------

    def watch(self):
        """Tells which of those names are others now that a suite sets by hand."""
        for name in _BY_HAND:
            now = vars(sys)[name]
            if now is not self.by_hand[name]:
                before, self.by_hand[name] = self.by_hand[name], now
                self.follow(sys, name, before)

    def follow(self, target, name, before=_MISSING):
        """Tells what a name of the standard library is now. `before` is what it was, where it is being replaced."""
        owner = _owner(target, name)
        key, now = (owner, name), vars(target).get(name, _MISSING) if owner is not None else _MISSING
        if target is sys and name in _BY_HAND:
            self.by_hand[name] = now
        if owner is None or (key not in self.first and before is _MISSING):
            return
        if self.first.setdefault(key, before) is now or now is _MISSING:
            del self.first[key]
            self._send("unpatch", owner, name)
        else:
            self._send("patch", owner, name, now)

    def _send(self, verb, owner, name, *value):
        self.bridge.request(verb, owner, name, value)
        if self.bridge.oracle is not None:
            self.bridge.oracle.tell(verb, owner, name, value)
        keep, key = self.bridge.codec.keep, (owner, name)
        # A patch may outlive the test in which it was made; what stood there lives no longer than it.
        if key in self.held:
            keep(self.held.pop(key), is_test=True)
        if value:
            self.held[key] = value[0]
            keep(value[0], is_test=False)


def _owner(target, name):
    """How the builder's side finds a module or class of the standard library, or None."""
    if isinstance(target, types.ModuleType):
        place = target.__name__
    elif isinstance(target, type):
        place = f"{target.__module__}.{target.__qualname__}"
        if _library(target.__module__, target.__qualname__) is not target:
            return None
    else:
        return None
    if not is_patchable(f"{place}.{name}"):
        return None
    return place if isinstance(target, types.ModuleType) else f"{target.__module__}:{target.__qualname__}"


def _library(module, path=""):
    """A module of the standard library, or a class of it, by the name that the other side gives."""
    if type(module) is not str or type(path) is not str or not is_patchable(f"{module}.{path or 'any'}"):
        return None
    found = importlib.import_module(module)
    for part in path.split(".") if path else ():
        found = getattr(found, part, None)
    return found if isinstance(found, (types.ModuleType, type)) else None


def _asynchronous():
    async def original():
        raise TypeError("only the code under test can call this")

    return original


class WallModule(types.ModuleType):
    """A module of a contract: what a suite sets in it crosses."""

    def __setattr__(self, name, value):
        patches = self.__dict__.get("_a7_patches")
        is_import = isinstance(value, types.ModuleType) and patches is not None and (self.__name__, name) not in patches.first
        if patches is None or name.startswith("__") or is_import:
            super().__setattr__(name, value)
        else:
            patches.in_module(self, name, value)

    def __delattr__(self, name):
        patches = self.__dict__.get("_a7_patches")
        if patches is None or (self.__name__, name) not in patches.first:
            super().__delattr__(name)
        else:
            patches.out_of_module(self, name)


def watch_patching(patches, with_mock):
    """Has pytest's `monkeypatch` and `unittest.mock.patch` tell what they replace."""
    _watch_monkeypatch(patches, sys.modules["_pytest.monkeypatch"].MonkeyPatch)
    if with_mock:
        from unittest import mock

        _watch_mock(patches, mock._patch)


def _watch_monkeypatch(patches, cls):
    set_attribute, undo = cls.setattr, cls.undo

    def setattr_(self, *args, **kwargs):
        known = len(self._setattr)
        set_attribute(self, *args, **kwargs)
        for target, name, before in self._setattr[known:]:
            patches.follow(target, name, before)

    def undo_(self):
        done = list(reversed(self._setattr))
        undo(self)
        for target, name, _before in done:
            patches.follow(target, name)

    cls.setattr, cls.undo = setattr_, undo_


def _watch_mock(patches, cls):
    enter, leave = cls.__enter__, cls.__exit__

    def __enter__(self):
        made = enter(self)
        patches.follow(self.target, self.attribute, self.temp_original)
        return made

    def __exit__(self, *details):
        target = self.target
        try:
            return leave(self, *details)
        finally:
            patches.follow(target, self.attribute)

    cls.__enter__, cls.__exit__ = __enter__, __exit__
