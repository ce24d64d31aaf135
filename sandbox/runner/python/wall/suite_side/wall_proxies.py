"""What the suite holds of things that live on the builder's side: instances, functions, generators, iterators, awaitables."""

import abc
import numbers

from wall_contexts import decorated
from wall_stubs import COMPARING, FORWARDED

# Operators whose answer is a truth value: it must be a real one, or NotImplemented where Python allows that.
_TRUTH = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__ __bool__".split())
_ARITHMETIC = frozenset((
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ "
    "__divmod__ __matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rshift__"
).split())  # fmt: skip
ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")


class WallMeta(abc.ABCMeta):
    """Class of the contract's classes: making an instance and reading what the class itself has cross."""

    def __call__(cls, *args, **kwargs):
        place = cls.__dict__.get("_a7_class")
        if place is not None:
            bridge = cls._a7_bridge
            return bridge.build(cls, args, kwargs) if bridge.codec.classes[cls][0] == "data" else bridge.request("f", *place, args, kwargs)
        if cls not in cls._a7_bridge.derived.numbers:
            raise TypeError(f"'{cls.__name__}' is derived from a class of the contract, which cannot cross")
        return cls._a7_bridge.request("v", cls, "", args, kwargs)

    def __init__(cls, name, bases, space, **options):
        super().__init__(name, bases, space, **options)
        if "_a7_class" not in space and issubclass(cls, WallInstance):
            cls._a7_bridge.derived.define(cls)

    def __getattr__(cls, name):
        if name.startswith("_") or not _is_shared(cls):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return cls._a7_bridge.request("get", cls, name)

    def __setattr__(cls, name, value):
        if name.startswith("_") or not _is_shared(cls):
            super().__setattr__(name, value)
        else:
            cls._a7_bridge.patches.in_class(cls, name, value)

    def __delattr__(cls, name):
        if name.startswith("_") or name in cls.__dict__ or not _is_shared(cls):
            super().__delattr__(name)
        else:
            cls._a7_bridge.request("del", cls, name)


def _is_shared(cls):
    return cls in cls._a7_bridge.codec.classes or cls in cls._a7_bridge.derived.numbers


class WallObject:
    """Base of the contract's classes. What the class does not define here is asked for on the builder's side."""

    def __getattr__(self, name):
        if name.startswith("_") and not (name.startswith("__") and name.endswith("__") and name in type(self)._a7_names):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return type(self)._a7_bridge.request("get", self, name)


class WallInstance(WallObject):
    """Base of classes whose instances live on the builder's side."""

    _a7_names = frozenset()

    def __init__(self, *args, **kwargs):
        # Reached by `super().__init__` of a class that the suite derived.
        of_base(type(self)._a7_bridge, self, _contract_class(type(self)), "__init__", args, kwargs)

    def __setattr__(self, name, value):
        if name.startswith("_") and is_derived(type(self)):
            object.__setattr__(self, name, value)
        else:
            type(self)._a7_bridge.request("set", self, name, (value,))

    def __delattr__(self, name):
        type(self)._a7_bridge.request("del", self, name)

    def __copy__(self):
        return type(self)._a7_bridge.request("copy", self, "copy")

    def __deepcopy__(self, _memo):
        return type(self)._a7_bridge.request("copy", self, "deepcopy")


def is_derived(cls):
    """Whether the suite derived a class from one of the contract's."""
    return "_a7_class" not in cls.__dict__


def _contract_class(cls):
    return next(base.__dict__["_a7_class"] for base in cls.__mro__ if "_a7_class" in base.__dict__)


def of_base(bridge, value, place, name, args, kwargs=None):
    """Calls what the contract's class has under a name, whatever the class of the instance has there."""
    return bridge.request("u", value, f"{place[0]}:{place[1]}.{name}", args, kwargs)


class WallFunction:
    # A function on the builder's side. Its `__doc__` is that of the function.

    def __init__(self, name, call, use, doc=None):
        self.__dict__.update(__name__=name, __qualname__=name, __doc__=doc, _a7_call=call, _a7_use=use)

    def __call__(self, *args, **kwargs):
        return self._a7_call(args, kwargs)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return lambda *args, **kwargs: self._a7_call((instance, *args), kwargs)

    def __getattr__(self, name):
        if name.startswith("_") and name != "__wrapped__":
            raise AttributeError(f"function has no attribute '{name}'")
        return self._a7_use("get", name)

    def __setattr__(self, name, value):
        if name.startswith("_"):
            self.__dict__[name] = value
        else:
            self._a7_use("set", name, (value,))

    def __repr__(self):
        return f"<function {self.__name__}>"


class Proxies:
    """Makes the proxy of a handle: ["H", number, category, ...]."""

    def __init__(self):
        self.bridge, self.classes, self._objects, self.made = None, {}, {}, 0

    def __call__(self, part):
        _tag, number, category, *rest = part
        self.made += 1
        if category == "i":
            if len(rest) > 2:
                return self.bridge.derived.instance(rest[2])
            cls = self.classes[rest[0], rest[1]]
            return object.__new__(cls)
        subject = Handle(number)
        request = self.bridge.request
        if category == "g":
            return _generator(request, subject)
        if category == "aw":
            return self.bridge.drive(subject)
        if category in ("fn", "afn"):
            return self._function(str(rest[0]), subject, category == "afn", rest[1] if type(rest[1]) is str else None)
        if category == "x":
            return self._object(str(rest[0]), [name for name in rest[1] if name in _ALLOWED], subject)
        raise ValueError("a handle of an unknown category")

    def _function(self, name, subject, is_async, doc):
        request, drive = self.bridge.request, self.bridge.drive
        if is_async:

            async def function(*args, **kwargs):
                return await request("v", subject, "", args, kwargs)

            function.__name__ = name
            return function
        return WallFunction(
            name, lambda args, kwargs: request("v", subject, "", args, kwargs), lambda verb, *rest: request(verb, subject, *rest), doc
        )

    def _object(self, name, operators, subject):
        key = (name, tuple(sorted(operators)))
        cls = self._objects.get(key)
        if cls is None:
            # Where a thing can be walked through, this side finds what it holds.
            is_walked = "__iter__" in operators or "__getitem__" in operators
            space = {"_a7_bridge": self.bridge, "_a7_names": frozenset(), "__module__": "builtins",
                     **{each: undeclared_method(self.bridge, each) for each in operators if each != "__contains__" or not is_walked}}  # fmt: skip
            cls = self._objects[key] = type(name[:200] or "object", (WallInstance,), space)
        return object.__new__(cls)


# Equality, hash and order of what the contract does not declare belong to this side.
_ALLOWED = frozenset(FORWARDED)


class Handle:
    """A number of the builder's side on its way back; keeps nothing alive."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number

    @staticmethod
    def _a7_place(handle):
        return ["R", handle.number]


def _generator(request, subject):
    """A real generator that drives one on the builder's side."""
    verb, args = "__next__", ()
    is_open = True
    try:
        while True:
            try:
                item = request("m", subject, verb, args)
            except StopIteration as end:
                is_open = False
                return end.value
            try:
                sent = yield item
                verb, args = ("__next__", ()) if sent is None else ("send", (sent,))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - thrown in by the suite
                verb, args = "throw", (error,)
    finally:
        if is_open:
            request("m", subject, "close")


def operator_method(bridge, name):
    """The method of an operator. A truth value must be a real one: nothing that the builder's side made decides."""

    def method(self, *args, **kwargs):
        if isinstance(type(self), WallMeta) and is_derived(type(self)) and isinstance(self, WallInstance):
            answer = of_base(bridge, self, _contract_class(type(self)), name, args, kwargs)
        else:
            answer = bridge.request("m", self, name, args, kwargs)
        if name in _TRUTH and type(answer) is not bool and not (answer is NotImplemented and name not in ("__contains__", "__bool__")):
            bridge.fault(f"'{name}' must answer with a boolean, it gave a value of another type")
        if name == "__eq__" and answer is True:
            _refuse_equal_to_all(bridge, self)
        return answer

    method.__name__ = name
    return method


def undeclared_method(bridge, name):
    """An operator of an object that the contract does not declare. It sees the suite's operand: it may not decide by it."""
    method = operator_method(bridge, name)

    def guarded(self, *args):
        answer = method(self, *args)
        if name == "__contains__" and answer is True and method(self, _Foreign()) is True:
            bridge.fault("'in' calls everything contained")
        if args and name in _ARITHMETIC and isinstance(args[0], numbers.Number) and isinstance(answer, numbers.Number):
            bridge.fault(f"'{name}' of an object that the contract does not declare made a number of the suite's number")
        return answer

    def called(self, *args, **kwargs):
        again = bridge.results.maker_of(self)
        return method(self, *args, **kwargs) if again is None else decorated(*args, again, hasattr(self, "__aenter__"))

    guarded.__name__ = called.__name__ = name
    if name == "__call__":
        return called
    return guarded if name in _ARITHMETIC or name == "__contains__" else method


class _Foreign:
    """Nothing is equal to it."""


def _refuse_equal_to_all(bridge, value):
    if type(value).__dict__.get("_a7_checked"):
        return
    type.__setattr__(type(value), "_a7_checked", True)
    try:
        answer = bridge.request("m", value, "__eq__", (_Foreign(),))
    except Exception:  # noqa: BLE001 - it may refuse to compare
        return
    if answer is True:
        bridge.fault(f"'{type(value).__name__}.__eq__' calls everything equal")


COMPARING_NAMES = frozenset(COMPARING)
