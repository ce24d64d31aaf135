"""The encoding as the suite's side has it: what comes from the builder's side is a plain value, a type of the contract made
here, or a proxy; what goes there and is no value can only be used as the kind of thing that it is (gate.md part 11)."""

import collections
import inspect
import itertools
import sys
import types
import weakref

from wall_codec import Codec
from wall_exceptions import BUILTIN_ATTRIBUTES, encode_exception, lineage, make_exception, nearest
from wall_late import is_cancelled, is_future
from wall_mocks import is_async_mock, is_mock
from wall_named import encode_named, fields_of
from wall_plain import EXCEPTION_NAMES, EXCEPTIONS, CannotCross, native_name, type_name
from wall_stubs import COMPARING, FORWARDED, operators_of

MAX_PARAMS = 30
# Shared objects from which on those that nobody holds are looked for.
PRUNE_MIN = 8
_REFUSED = (KeyboardInterrupt, GeneratorExit)
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_NO_OBJECTS = (types.ModuleType, types.FrameType, types.CodeType)


class SuiteCodec(Codec):
    """`proxies` makes what stands for a handle; `exits` says whether the contract allows SystemExit."""

    def __init__(self, proxies, exits=False):
        super().__init__(2)
        self.proxies, self.exits = proxies, exits
        self.classes, self.by_name = {}, {}
        self.alive, self.proxy_ids, self.dropped = {}, {}, []
        self.own, self.own_ids, self.next_own, self.is_test = {}, {}, itertools.count(1), False
        self.errors, self.on_field, self.veil = {}, lambda cls, name, value: None, lambda error: None
        self.on_class, self.words = lambda cls: None, None
        self.shared_dropped, self.prune_at, self.makings = [], PRUNE_MIN, {}
        self.objects[0] = []
        self.alone = sys.getrefcount(self.objects[0])
        del self.objects[0]

    def add_class(self, cls, kind, module, name, fields):
        self.classes[cls] = (kind, module, name, fields)
        self.by_name[module, name] = cls

    # -- encoding -------------------------------------------------------------------------------------------------

    def encode_other(self, value):
        known = self.proxy_ids.get(id(value))
        if known is not None and known[0]() is value:
            return ["R", known[1]]
        if is_mock(value):
            return self.own_handle(value)
        if isinstance(value, type):
            return self._class(value)
        place = getattr(type(value), "_a7_place", None)
        if place is not None:
            return place(value)
        if type(value) is types.FunctionType and "_a7_place" in value.__dict__:
            return value._a7_place
        info = next((self.classes[base] for base in type(value).__mro__ if base in self.classes), None)
        if info is not None:
            return self._contract_value(value, info)
        if isinstance(value, BaseException):
            return self.exception(value)
        if isinstance(value, types.TracebackType):
            return None
        fields = fields_of(type(value))
        if fields is not None:
            return encode_named(value, fields, self.enc)
        for base in (str, int, float, bytes):
            if isinstance(value, base):
                return self.enc(base(value) if base is not str else str.__getitem__(value, slice(None)))
        native = native_name(value)
        return ["G", native] if native is not None else self.own_handle(value)

    def _class(self, cls):
        name = type_name(cls)
        if name is not None:
            return ["T", name]
        info = self.classes.get(cls)
        if info is not None:
            return ["K", info[1], info[2]]
        if cls in self.derived.numbers:
            return ["DC", self.derived.numbers[cls]]
        if issubclass(cls, BaseException):
            return ["KX", encode_exception_class(self, cls)]
        return self.own_handle(cls)

    def _contract_value(self, value, info):
        kind, module, name, _fields = info
        if kind == "data":
            return self.share(value, "o")
        if kind == "named":
            return ["N", module, name, *map(self.enc, tuple.__iter__(value))]
        if kind == "enum":
            by_name = value.name in type(value).__members__
            return ["E", module, name, value.name] if by_name else ["EF", module, name, value.value]
        if kind == "exception":
            return self.exception(value)
        return self.own_handle(value)

    def data_content(self, value):
        _kind, module, name, fields = self.classes[type(value)]
        space = vars(value) if hasattr(value, "__dict__") else {}
        return [module, name, *(self.enc(space[field]) if field in space else ["m"] for field in fields)]

    def data_look(self, value):
        space = vars(value) if hasattr(value, "__dict__") else {}
        return tuple([space.get(field) for field in self.classes[type(value)][3]])

    def exception(self, error):
        number, veil = self._own_number(error, "error"), self.veil(error)
        if veil is not None:
            return ["X", lineage(type(error), self._own_error), [veil], veil, {}, number]
        return ["X", *encode_exception(error, self.enc, self._own_error, self._attributes), number]

    def _own_error(self, cls):
        info = self.classes.get(cls)
        if info is not None:
            return ["k", info[1], info[2]]
        if getattr(cls, "_a7_unknown", False):
            return None
        return ["s", self._own_number(cls, "error"), cls.__name__]

    def _attributes(self, cls):
        info = next((self.classes[base] for base in cls.__mro__ if base in self.classes), None)
        return info[3] if info is not None and info[0] == "exception" else ()

    def _own_number(self, value, category):
        key = (id(value.__self__), id(value.__func__)) if type(value) is types.MethodType else id(value)
        number = self.own_ids.get(key)
        if number is None:
            number = self.own_ids[key] = next(self.next_own)
            self.own[number] = (value, category, self.is_test, key)
        return number

    def keep(self, value, is_test):
        """Whether what was given dies with its test."""
        number = self.number_of(value)
        if number is not None:
            self.own[number] = (*self.own[number][:2], is_test, self.own[number][3])

    def number_of(self, value):
        """The number under which something of the suite was given, or None."""
        return self.own_ids.get((id(value.__self__), id(value.__func__)) if type(value) is types.MethodType else id(value))

    def own_handle(self, value):
        category, *rest = _category(value)
        number = self._own_number(value, category)
        if category in ("fn", "afn"):
            rest = [*self._said(value), rest[0]]
        return ["H", number, category, *rest]

    def _said(self, value):
        """Name and docstring of a function, where the suite's own text is about them; else nothing but its arity crosses."""
        name, doc = getattr(value, "__name__", None), getattr(value, "__doc__", None)
        if self.words is None or type(name) is not str or not self.words.tells(name):
            return "function", None
        return name, doc if self.words.tells_doc else None

    def end_test(self):
        """What a test passed on dies with it."""
        self.is_test = False
        self.derived.kept.clear()
        for number, (_value, _category, is_test, key) in list(self.own.items()):
            if is_test:
                del self.own[number]
                del self.own_ids[key]

    def take_drops(self):
        """Handles and shared objects that nobody here holds any longer."""
        if len(self.objects) >= self.prune_at:
            self.prune()
        handles = [number for number in self.dropped if number not in self.alive] if self.dropped else []
        shared, self.dropped, self.shared_dropped = self.shared_dropped, [], []
        return handles, shared

    def prune(self):
        for number in list(self.objects):
            # What was changed since it was last told is told first.
            if number not in self.reached and sys.getrefcount(self.objects[number]) <= self.alone and self.is_told(number):
                self.forget(number)
                self.shared_dropped.append(number)
        self.prune_at = max(PRUNE_MIN, 2 * len(self.objects))

    # -- decoding -------------------------------------------------------------------------------------------------

    def decode_other(self, part):
        tag = part[0]
        if tag == "H":
            return self._proxy(part)
        if tag == "R":
            return self.own[part[1]][0]
        if tag == "K":
            return self.by_name[part[1], part[2]]
        if tag == "DC":
            return self.derived.classes[part[1]]
        if tag == "E":
            return self.by_name[part[1], part[2]][part[3]]
        if tag == "EF":
            return self.by_name[part[1], part[2]](self.dec(part[3]))
        if tag == "N":
            return self._named(self.by_name[part[1], part[2]], [self.dec(item) for item in part[3:]])
        if tag == "X":
            return self._error(*part[1:])
        if tag == "XR":
            return self.own[part[1]][0]
        raise CannotCross("a value of an unknown kind")

    def _named(self, cls, items):
        kind, _module, _name, fields = self.classes[cls]
        self.on_class(cls)
        if kind == "named":
            return cls._make(items)
        value = cls.__new__(cls)
        for field, item in zip(fields, items, strict=True):
            object.__setattr__(value, field, item)
        return value

    def _proxy(self, part):
        number = part[1]
        if type(number) is not int:
            raise CannotCross("a handle without a number")
        known = self.alive.get(number)
        proxy = known() if known is not None else None
        if proxy is None:
            proxy = self.proxies(part)
            self._watch(proxy, number)
            self.on_class(type(proxy))
        return proxy

    def _watch(self, proxy, number):
        """Has the other side's object live as long as what stands for it here."""
        place = id(proxy)

        def gone(reference):
            if self.alive.get(number) is reference:
                del self.alive[number]
                self.dropped.append(number)
            if self.proxy_ids.get(place, (None,))[0] is reference:
                del self.proxy_ids[place]

        reference = weakref.ref(proxy, gone)
        self.alive[number] = reference
        self.proxy_ids[place] = (reference, number)

    def _error(self, lineage, args, text, found, number=None, cause=None):
        known = [cls for cls in map(self._error_class, lineage) if cls is not None]
        is_known = self._error_class(lineage[0]) is not None
        if any(issubclass(cls, _REFUSED) or (issubclass(cls, SystemExit) and not self.exits) for cls in known):
            raise CannotCross("the call ends the process")
        if not any(issubclass(cls, (Exception, SystemExit)) or any(map(is_cancelled, cls.__mro__)) for cls in known):
            raise CannotCross("an exception that is none")
        cls = known[0] if is_known else self._unknown_class(str(lineage[0][1]), nearest(known))
        allowed = BUILTIN_ATTRIBUTES if is_known and cls not in self.classes else {*BUILTIN_ATTRIBUTES, *self._attributes(cls)}
        text = self.dec(text)
        error = make_exception(
            cls,
            None if args is None else [self.dec(item) for item in args],
            text,
            {name: self.dec(item) for name, item in found.items() if name in allowed},
        )
        if cls not in EXCEPTION_NAMES:
            error._a7_text = text
            self.on_class(cls)
        if type(number) is int and cls in self.classes and number not in self.alive:
            self._watch(error, number)
        if cause is not None:
            error.__cause__ = self._cause(cause)
        return error

    def _cause(self, part):
        cause = self.dec(part)
        if not isinstance(cause, Exception):
            raise CannotCross("a cause that is no exception")
        return cause

    def _error_class(self, entry):
        if entry[0] == "b":
            return EXCEPTIONS[entry[1]]
        if entry[0] == "k":
            return self.by_name.get((entry[1], entry[2]))
        return self.own[entry[1]][0] if entry[0] == "s" else None

    def _unknown_class(self, name, bases):
        key = (name, bases)
        if key not in self.errors:
            self.errors[key] = type(bases[0])(name[:200] or "Unknown", bases, {"_a7_unknown": True, "__str__": error_text, "__module__": "builtins"})
        return self.errors[key]

    def built(self, value, args, kwargs):
        """Remembers what a value was built of: the code under test gets one that its own constructor has seen."""
        try:
            reference = weakref.ref(value, lambda _gone: self.makings.pop(id_, None))
        except TypeError:
            return
        id_ = id(value)
        self.makings[id_] = (reference, args, kwargs)

    def making(self, number):
        reference, args, kwargs = self.makings.pop(id(self.objects[number]), (None, (), {}))
        if reference is None or reference() is not self.objects[number]:
            return ()
        try:
            return [self.enc(item) for item in args], {key: self.enc(item) for key, item in kwargs.items()}
        except CannotCross:
            return ()

    def has_handles(self, args):
        """Whether something that lives with the code is among the arguments: it may change with what it belongs to."""
        return any(id(item) in self.proxy_ids for item in args)

    def data_shell(self, content):
        cls = self.by_name[content[0], content[1]]
        if self.classes[cls][0] != "data":
            raise CannotCross("a data object of another kind")
        self.on_class(cls)
        return object.__new__(cls)

    def fill_data(self, value, content, before):
        kind, _module, _name, fields = self.classes[type(value)]
        if kind != "data" or len(content) != len(fields) + 2:
            raise CannotCross("a data object of another shape")
        is_frozen = before is not None and type(value).__dataclass_params__.frozen
        for place, field in enumerate(fields, start=2):
            if content[place] != ["m"] and (before is None or before[place] != content[place] or type(before[place]) is not type(content[place])):
                if is_frozen and before[place] != ["m"]:
                    raise CannotCross(f"the field '{field}' of a frozen value changed after it had crossed")
                found = self.dec(content[place])
                object.__setattr__(value, field, found)
                self.on_field(type(value), field, found)


def error_text(error):
    """`__str__` of exceptions whose text the builder's side made."""
    return error.__dict__.get("_a7_text", None) or Exception.__str__(error)


def encode_exception_class(codec, cls):
    return [entry for entry in encode_exception(cls.__new__(cls), codec.enc, codec._own_error, codec._attributes)[0]]


def _category(value):
    if is_mock(value):
        is_function = is_async_mock(value) and not value._mock_children
        return ("afn", None) if is_function else ("k", operators_of(type(value), [*FORWARDED, *COMPARING]))
    if isinstance(value, _NO_OBJECTS):
        raise CannotCross(f"a value of the type {type(value).__name__}")
    if isinstance(value, _FUNCTIONS):
        return "afn" if inspect.iscoroutinefunction(value) else "fn", _arity(value)
    if inspect.iscoroutine(value) or is_future(value) or (type(value).__module__ == "builtins" and isinstance(value, collections.abc.Awaitable)):
        return ("aw",)
    if isinstance(value, collections.abc.Iterator) and type(value).__module__ in ("builtins", "itertools"):
        return ("g",)
    return "x", operators_of(type(value), [*FORWARDED, *COMPARING])


def _arity(value):
    """[kind, whether it can be left out] of each parameter."""
    try:
        found = list(inspect.signature(value).parameters.values())[:MAX_PARAMS]
    except (TypeError, ValueError):
        return None
    return [[int(item.kind), item.default is not item.empty] for item in found]
