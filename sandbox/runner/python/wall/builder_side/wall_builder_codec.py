"""The encoding as the builder's side has it: it owns the instances of the contract's classes, the suite's side gets handles."""

import collections
import enum
import inspect
import sys
import types
import weakref

from wall_codec import SHARED_KINDS, Codec
from wall_derived import make_derived
from wall_exceptions import encode_exception, make_exception, nearest
from wall_late import is_future
from wall_named import encode_named, fields_of
from wall_plain import ENCODERS, EXCEPTIONS, NATIVE_BY_NAME, USERS, CannotCross, type_name
from wall_stubs import COMPARING, FORWARDED, awaitable_stub, function_stub, iterator_stub, object_stub, operators_of

# A subclass of one of these crosses as what it is derived from.
_PLAIN_BASES = (*(kind for kind in ENCODERS if kind not in (tuple, frozenset)), str, int, float, tuple, frozenset, *SHARED_KINDS)
_COPY = {str: lambda v: str.__getitem__(v, slice(None)), int: int.__int__, float: float.__float__, tuple: lambda v: tuple(tuple.__iter__(v)),
         list: lambda v: list(list.__iter__(v)), dict: lambda v: dict(dict.items(v)), set: lambda v: set(set.__iter__(v))}  # fmt: skip
# What a decorator makes may be an object that is called, with the name of what it wraps.
_FUNCTION_LIKE = frozenset(["__call__", "__get__", "__repr__"])
_BARE = frozenset(["__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__", "_abc_impl"])
_missing = object()
# An error may be its own cause.
MAX_CAUSES = 4
_cause = BaseException.__dict__["__cause__"].__get__


class BuilderCodec(Codec):
    """`classes` maps the real classes of the contracts to (kind, module, name, fields)."""

    def __init__(self, ask):
        super().__init__(1)
        self.ask = ask
        self.classes, self.by_name, self.lookup = {}, {}, {}
        self.handles, self.handle_ids, self.next_handle = {}, {}, 1
        self.stubs, self.stub_ids = weakref.WeakValueDictionary(), {}
        self.suite_errors, self.derived = {}, {}

    def add_class(self, cls, kind, module, name, fields):
        self.classes[cls] = (kind, module, name, fields)
        self.by_name[module, name] = cls
        self.lookup.clear()

    def of_contract(self, cls):
        """What the contracts say of a class or of the nearest class that it is derived from."""
        found = self.lookup.get(cls, _missing)
        if found is _missing:
            found = next((self.classes[base] for base in cls.__mro__ if base in self.classes), None)
            self.lookup[cls] = found
        return found

    # -- encoding -------------------------------------------------------------------------------------------------

    def encode_other(self, value):
        cls = type(value)
        number = self._stub_number(value)
        if number is not None:
            return ["R", number]
        if isinstance(value, type):
            return self._class_ref(value) or self.handle(value)
        info = self.of_contract(cls)
        if info is not None:
            return self._contract_value(value, info)
        if isinstance(value, BaseException):
            return self.exception(value)
        fields = fields_of(cls)
        if fields is not None:
            return encode_named(value, fields, self.enc)
        for base in cls.__mro__:
            if base in USERS:
                return ["us", base.__name__, self.enc(value.data)] if _adds_nothing(cls, base) else self.handle(value)
            if base in _PLAIN_BASES:
                return self.enc(_COPY.get(base, base)(value))
        return self.handle(value)

    def _stub_number(self, value):
        known = self.stub_ids.get(id(value))
        return known[1] if known is not None and known[0]() is value else None

    def _class_ref(self, cls):
        name = type_name(cls)
        if name is not None:
            return ["T", name]
        info = self.classes.get(cls)
        if info is not None:
            return ["K", info[1], info[2]]
        if cls.__dict__.get("_a7_derived") in self.derived:
            return ["DC", cls.__dict__["_a7_derived"]]
        number = cls.__dict__.get("_a7_class")
        return ["R", number] if type(number) is int else None

    def _contract_value(self, value, info):
        kind, module, name, _fields = info
        if kind == "data":
            return self.share(value, "o")
        if kind == "named":
            return ["N", module, name, *map(self.enc, tuple.__iter__(value))]
        if kind == "enum":
            if value.name in type(value).__members__:
                return ["E", module, name, value.name]
            return ["EF", module, name, value.value]
        if kind == "exception":
            return self.exception(value)
        return self.handle(value)

    def data_content(self, value):
        _kind, module, name, fields = self.of_contract(type(value))
        content = [module, name]
        for field in fields:
            found = getattr(value, field, _missing)
            content.append(["m"] if found is _missing else self.enc(found))
        return content

    def data_look(self, value):
        fields, space = self.of_contract(type(value))[3], getattr(value, "__dict__", None)
        # Slots and properties tell only by being read.
        if type(space) is not dict or any(field not in space for field in fields):
            return None
        return tuple([space[field] for field in fields])

    def exception(self, error, depth=0):
        number = getattr(error, "_a7_number", None)
        if type(number) is int:
            return ["XR", number]
        # Methods of an exception of the contract are called on the very object that was raised.
        place = self._place(error) if self.of_contract(type(error)) is not None else None
        told = ["X", *encode_exception(error, self.enc, self._own_error, self._attributes), place]
        cause = _cause(error)
        return [*told, self.exception(cause, depth + 1)] if isinstance(cause, Exception) and depth < MAX_CAUSES else told

    def _own_error(self, cls):
        info = self.classes.get(cls)
        if info is not None:
            return ["k", info[1], info[2]]
        number = cls.__dict__.get("_a7_class")
        return ["s", number] if type(number) is int else None

    def _attributes(self, cls):
        info = self.of_contract(cls)
        return info[3] if info is not None and info[0] == "exception" else ()

    def _place(self, value):
        number = self.handle_ids.get(id(value))
        if number is None:
            number = self.next_handle
            self.next_handle += 1
            self.handles[number] = value
            self.handle_ids[id(value)] = number
        return number

    def handle(self, value):
        derived = type(value).__dict__.get("_a7_derived")
        return ["H", self._place(value), *_category(value, self.of_contract(type(value))), *([derived] if derived in self.derived else [])]

    def derive(self, name, number, bases, members):
        """The class that the suite has derived from those of the contract."""
        self.derived[number] = make_derived(number, name, bases, members)

    def drop(self, handles, shared):
        for number in handles:
            value = self.handles.pop(number, _missing)
            if value is not _missing:
                self.handle_ids.pop(id(value), None)
        for number in shared:
            self.forget(number)

    # -- decoding -------------------------------------------------------------------------------------------------

    def decode_other(self, part):
        tag = part[0]
        if tag == "R":
            return self.handles[part[1]]
        if tag == "H":
            return self._stub(part)
        if tag == "K":
            return self.by_name[part[1], part[2]]
        if tag == "DC":
            return self.derived[part[1]]
        if tag == "E":
            return self.by_name[part[1], part[2]][part[3]]
        if tag == "EF":
            return self.by_name[part[1], part[2]](part[3])
        if tag == "N":
            return self.by_name[part[1], part[2]]._make([self.dec(item) for item in part[3:]])
        if tag == "X":
            return self._error(part)
        if tag == "KX":
            return self._error_class(part[1])
        if tag == "F":
            value = sys.modules[part[1]]
            for name in part[2].split("."):
                value = getattr(value, name)
            return value
        if tag == "G":
            return NATIVE_BY_NAME[part[1]]
        raise CannotCross(f"a value of the unknown kind {tag!r}")

    def _error(self, part):
        lineage, args, text, found, number = part[1:]
        error = make_exception(
            self._error_class(lineage),
            None if args is None else [self.dec(item) for item in args],
            self.dec(text),
            {name: self.dec(item) for name, item in found.items()},
        )
        if number is not None:
            error._a7_number = number
        return error

    def _error_class(self, lineage):
        head = lineage[0]
        if head[0] == "b":
            return EXCEPTIONS[head[1]]
        if head[0] == "k":
            return self.by_name[head[1], head[2]]
        cls = self.suite_errors.get(head[1]) if head[0] == "s" else None
        if cls is None:
            bases = nearest([self._error_class([entry]) for entry in lineage[1:] if entry[0] != "u"] if head[0] == "s" else [Exception])
            name = head[2] if head[0] == "s" else str(head[1])
            cls = type(name, bases, {"_a7_class": head[1], "__module__": "__main__"})
            self.suite_errors[head[1]] = cls
        return cls

    def _stub(self, part):
        number, category = part[1], part[2]
        stub = self.stubs.get(number)
        if stub is None:
            stub = self._make_stub(number, category, part[3:])
            self.stubs[number] = stub
            place = id(stub)
            self.stub_ids[place] = weakref.ref(stub, lambda _gone: self.stub_ids.pop(place, None)), number
        return stub

    def _make_stub(self, number, category, rest):
        def call(*args, **kwargs):
            return self.ask("v", number, "", args, kwargs)

        async def call_async(*args, **kwargs):
            return await awaitable_stub(lambda: self.ask("av", number, "", args, kwargs), lambda verb, each: self.ask(verb, each, "", (), {}))

        if category in ("fn", "afn"):
            name, doc, arity = rest
            return function_stub(name, doc, arity, category == "afn", call_async if category == "afn" else call)
        if category == "g":
            return iterator_stub(lambda name, args: self.ask("m", number, name, args, {}))
        if category == "aw":
            return awaitable_stub(lambda: self.ask("av", number, "", (), {}), lambda verb, each: self.ask(verb, each, "", (), {}))
        return object_stub(rest[0], lambda verb, name, args, kwargs: self.ask(verb, number, name, args, kwargs))

    def data_shell(self, content):
        cls = self.by_name[content[0], content[1]]
        return object.__new__(cls)

    def make(self, value, how):
        args, kwargs = [self.dec(item) for item in how[0]], {key: self.dec(item) for key, item in how[1].items()}
        try:
            type(value).__init__(value, *args, **kwargs)
        except Exception:  # noqa: BLE001 - the oracle has said that it can be made
            pass

    def fill_data(self, value, content, before):
        fields = self.of_contract(type(value))[3]
        for place, field in enumerate(fields, start=2):
            if content[place] == ["m"] or (before is not None and before[place] == content[place] and type(before[place]) is type(content[place])):
                continue
            object.__setattr__(value, field, self.dec(content[place]))


def _adds_nothing(cls, base):
    """Whether a class does only what the one that it is derived from does."""
    between = cls.__mro__[: cls.__mro__.index(base)]
    return not any(callable(value) or hasattr(value, "__get__") for each in between for name, value in vars(each).items() if name not in _BARE)


def _category(value, info):
    """How the suite's side is to show a handle."""
    if info is not None:
        return "i", info[1], info[2]
    if isinstance(value, types.GeneratorType):
        return ("g",)
    if isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        is_async = inspect.iscoroutinefunction(value)
        return "afn" if is_async else "fn", str(getattr(value, "__name__", "function"))[:200], _doc(value)
    if inspect.iscoroutine(value) or is_future(value) or isinstance(value, collections.abc.Awaitable):
        return ("aw",)
    if isinstance(value, enum.Enum) or isinstance(value, types.ModuleType):
        raise CannotCross(f"a value of the type {type(value).__name__}, which the contract does not declare")
    operators = operators_of(type(value), [*FORWARDED, *COMPARING])
    name = getattr(value, "__name__", None)
    if _FUNCTION_LIKE.issuperset(operators) and "__call__" in operators and type(name) is str:
        return "fn", name[:200], _doc(value)
    return "x", str(type(value).__name__)[:200], operators


def _doc(value):
    doc = getattr(value, "__doc__", None)
    return doc[:2000] if type(doc) is str and doc.isascii() else None
