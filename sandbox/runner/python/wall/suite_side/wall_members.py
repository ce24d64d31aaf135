"""Members of the classes that wall_classes.py makes: methods, properties and comparisons that ask the builder's side."""

import types

from wall_proxies import COMPARING_NAMES, is_derived, of_base


def ask_too(cls, oracle, space):
    """What the declaration makes of a data class is asked of the builder's class, too."""
    for name in (*COMPARING_NAMES, "__setattr__", "__delattr__"):
        made = cls.__dict__.get(name)
        if isinstance(made, types.FunctionType) and name not in space:
            setattr(cls, name, (_guard if name in ("__setattr__", "__delattr__") else _held)(oracle, name, made))


def _held(oracle, name, made):
    def method(self, *args):
        mine = made(self, *args)
        oracle.hold(name, mine, self, args)
        return mine

    method.__name__ = name
    return method


def _guard(oracle, _name, made):
    def method(self, name, *value):
        try:
            made(self, name, *value)
        except AttributeError:
            oracle.refuse(self, name, value)
            raise

    return method


def setter(bridge):
    def __setattr__(self, name, value):
        if not bridge.oracle.change(self, name, (value,)):
            object.__setattr__(self, name, value)

    return __setattr__


def slotted(assign, names):
    """Assigns to declared fields, and to no other name."""

    def __setattr__(self, name, value):
        # A property with a setter is no field.
        if name not in names and not hasattr(type(self), name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        assign(self, name, value)

    return __setattr__


class ErrorMeta(type):
    """Class of the contract's exceptions: the builder's constructor says which arguments and attributes an instance has."""

    def __call__(cls, *args, **kwargs):
        place = cls.__dict__.get("_a7_class")
        if place is None:
            return super().__call__(*args, **kwargs)
        return cls._a7_bridge.request("f", place[0], place[1], args, kwargs)


def plain_method(bridge, place, name, is_async, doc):
    if is_async:

        async def method(self, *args, **kwargs):
            if is_derived(type(self)):
                return await of_base(bridge, self, place, name, args, kwargs)
            return await bridge.request("m", self, name, args, kwargs)

    else:

        def method(self, *args, **kwargs):
            if is_derived(type(self)):
                return of_base(bridge, self, place, name, args, kwargs)
            return bridge.request("m", self, name, args, kwargs)

    method.__name__, method.__doc__ = name, doc
    return method


def class_method(bridge, module, label, doc):
    def method(*args, **kwargs):
        return bridge.request("f", module, label, args, kwargs)

    method.__name__, method.__doc__ = label.rsplit(".", 1)[-1], doc
    return staticmethod(method)


def plain_property(bridge, name, doc):
    return property(
        lambda self: bridge.request("get", self, name),
        lambda self, value: bridge.request("set", self, name, (value,)),
        lambda self: bridge.request("del", self, name),
        doc,
    )


def enum_attribute(bridge, member, name):
    if name.startswith("_") or not isinstance(member, tuple(bridge.codec.classes)):
        raise AttributeError(name)
    return bridge.request("get", member, name)


def makes(base, name):
    """Whether an abstract base such as Mapping brings a comparison that works, so that it is declared with it."""
    made = getattr(base, name, None)
    return callable(made) and made is not getattr(object, name, None)
