"""Classes that the suite derives from a class of the contract: the builder's side makes one too, whose methods are calls of the suite's
(gate.md part 10). Public attributes of an instance lie where the contract's own do; private ones never leave the suite's side."""

import itertools
import types

_OPERATORS = frozenset("__init__ __repr__ __str__ __len__ __call__ __contains__ __getitem__ __iter__ __enter__ __exit__ __eq__ __lt__".split())
_PLAIN = (type(None), bool, int, float, str, bytes, tuple)


class Derived:
    """Numbers of those classes, and the instances that live as long as the test that made them."""

    def __init__(self, bridge):
        self.bridge, self.classes, self.numbers, self.next = bridge, {}, {}, itertools.count(1)
        self.kept = []

    def define(self, cls):
        """Makes the class of the builder's side; its own `__init_subclass__` runs there."""
        number = next(self.next)
        members, bases = {}, []
        for each in reversed(cls.__mro__):
            if self._is_ours(each):
                members.update((name, part) for name, value in vars(each).items() if (part := _member(name, value)) is not None)
        for base in cls.__bases__:
            bases += self._nearest(base, bases)
        self.bridge.request("derive", None, cls.__name__, (number, bases, members))
        for name in members:
            self.bridge.called.note("m", cls, name)
        self.classes[number], self.numbers[cls] = cls, number
        # What both sides may change lies where the instances do.
        for name in [name for name, part in members.items() if part[0] == "value" and name in cls.__dict__]:
            type.__delattr__(cls, name)

    def _is_ours(self, cls):
        is_apart = cls.__module__ in ("builtins", "typing", "abc", "collections.abc") or cls.__module__.startswith("wall_")
        return cls not in self.bridge.codec.classes and cls not in self.numbers and not is_apart

    def _nearest(self, base, known):
        """The contract's or a derived class that a base is or comes from; a class of the suite alone has none."""
        found = next((each for each in base.__mro__ if each in self.bridge.codec.classes or each in self.numbers), None)
        return [] if found is None or found in known else [found]

    def instance(self, number):
        """What stands for an instance. A number of no class is the sender's fault."""
        proxy = object.__new__(self.classes[number])
        self.kept.append(proxy)
        return proxy


def _member(name, value):
    is_special = name.startswith("__") and name.endswith("__")
    if is_special and name not in _OPERATORS:
        return None
    if isinstance(value, types.FunctionType):
        return ("method", value)
    if isinstance(value, staticmethod):
        return ("static", value.__func__)
    if isinstance(value, property):
        return ("property", value.fget, value.fset)
    return ("value", value) if not name.startswith("_") and isinstance(value, _PLAIN) else None


def make_derived(number, name, bases, members):
    """The builder's side: the class itself."""
    space = {"_a7_derived": number, "__module__": "__main__"}
    for label, (kind, *parts) in members.items():
        space[label] = {"method": lambda part: part, "value": lambda part: part, "static": staticmethod, "property": property}[kind](*parts)
    return types.new_class(name, tuple(bases), {}, lambda target: target.update(space))
