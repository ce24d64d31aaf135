"""What stands on the builder's side for objects of the suite: functions, iterators, awaitables and plain objects.

Each use asks the suite's side, which decides what is allowed: a callback can be called, an iterator advanced, the public
attributes and operators of an object used (gate.md part 11).
"""

import inspect

from wall_late import asyncio, sleep

FORWARDED = (
    "__call__ __iter__ __next__ __reversed__ __len__ __getitem__ __setitem__ __delitem__ __contains__ __enter__ __exit__ __bool__ "
    "__str__ __repr__ __int__ __float__ __index__ __abs__ __neg__ __pos__ __invert__ __round__ __add__ __radd__ __iadd__ __sub__ "
    "__rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __pow__ "
    "__rpow__ __divmod__ __matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rshift__ __iand__ "
    "__ior__ __aenter__ __aexit__ __aiter__ __anext__ __format__ __get__ __set__ __set_name__ __missing__ __bytes__ __complex__ "
    "__trunc__ __floor__ __ceil__ __length_hint__ __fspath__"
).split()
COMPARING = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__".split()


def operators_of(cls, names):
    """Those of `names` that a class defines itself, beyond `object` and without what its own class, `type`, can do."""
    found = {}
    for base in reversed(cls.__mro__):
        found.update((name, base.__dict__[name]) for name in names if name in base.__dict__)
    plain = object.__dict__
    return [name for name in names if name in found and found[name] is not plain.get(name)]


def function_stub(name, doc, arity, is_async, call):
    """A function whose call crosses. It has the arity of the suite's, and neither the names nor the defaults of its parameters."""
    if is_async:

        async def function(*args, **kwargs):
            return await call(*args, **kwargs)

    else:

        def function(*args, **kwargs):
            return call(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__module__ = doc, "__main__"
    if arity is not None:
        function.__signature__ = _signature(arity)
    return function


def _signature(arity):
    names = {2: "args", 4: "kwargs"}
    return inspect.Signature([
        inspect.Parameter(names.get(kind, f"p{place}"), kind, default=None if is_optional else inspect.Parameter.empty)
        for place, (kind, is_optional) in enumerate(arity)
    ])  # fmt: skip


def iterator_stub(ask):
    """A real generator that takes its items from the suite."""
    try:
        while True:
            try:
                item = ask("__next__", ())
            except StopIteration:
                return
            yield item
    finally:
        pass


async def awaitable_stub(start, ask):
    """Waits for something that the suite's event loop runs. `ask(verb, number)` polls ("ap") and cancels ("ac") it."""
    number = start()
    while True:
        answer = ask("ap", number)
        if answer is not None:
            return answer[0]
        try:
            await sleep(0)
        except asyncio().CancelledError:
            ask("ac", number)


class SuiteObject:
    """Base of the classes that stand for plain objects of the suite."""

    __slots__ = ("_a7_ask", "__weakref__")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return object.__getattribute__(self, "_a7_ask")("get", name, (), {})

    def __setattr__(self, name, value):
        object.__getattribute__(self, "_a7_ask")("set", name, (value,), {})


_CLASSES = {}


def object_stub(operators, ask):
    """An object of a class that has these operators."""
    key = tuple(sorted(set(operators)))
    cls = _CLASSES.get(key)
    if cls is None:
        space = {"__slots__": (), **{name: _forward(name) for name in key}}
        cls = _CLASSES[key] = type("SuiteObject", (SuiteObject,), space)
    stub = object.__new__(cls)
    object.__setattr__(stub, "_a7_ask", ask)
    return stub


def _forward(name):
    def method(self, *args, **kwargs):
        return object.__getattribute__(self, "_a7_ask")("m", name, args, kwargs)

    method.__name__ = name
    return method
