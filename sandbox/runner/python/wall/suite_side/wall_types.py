"""What an annotation of the contract allows: `int` is no float and no bool, in fields and containers, too (gate.md part 12).

A shape is None for anything at all, or a tuple whose first part says how a value is held against it.
"""

import array
import ast
import collections.abc
import datetime
import decimal
import fractions
import pathlib
import types
import uuid

from stub_kinds import short
from wall_plain import USERS
from wall_proxies import WallFunction, WallObject

LEAF, HOLDS, YIELDS, ONE_OF, CALLED, INSTANCE, ONLY, KEYS = "leaf", "holds", "yields", "one of", "called", "instance", "only", "keys"
_NUMBERS = (int, float)
# Which exact types are right at once, and which others are by what they are derived from.
_LEAF = {
    "int": (int,), "float": _NUMBERS, "complex": (*_NUMBERS, complex), "str": (str,), "Text": (str,), "bytes": (bytes,), "bytearray": (bytearray,),
    "bool": (bool,), "Decimal": (decimal.Decimal,), "Fraction": (fractions.Fraction,), "datetime": (datetime.datetime,), "date": (datetime.date,),
    "time": (datetime.time,), "timedelta": (datetime.timedelta,), "UUID": (uuid.UUID,), "Path": (pathlib.PurePath,), "PurePath": (pathlib.PurePath,),
    "range": (range,),
}  # fmt: skip
_HOLDS = {
    "list": list, "List": list, "dict": dict, "Dict": dict, "set": set, "Set": set, "frozenset": frozenset, "FrozenSet": frozenset, "tuple": tuple,
    "Tuple": tuple, "deque": collections.deque, "Deque": collections.deque, "OrderedDict": collections.OrderedDict, "Counter": collections.Counter,
    "defaultdict": collections.defaultdict, "DefaultDict": collections.defaultdict, "array": array.array,
}  # fmt: skip
_YIELDS = {
    **{name: getattr(collections.abc, name) for name in (
        "Iterator Iterable Generator Sequence MutableSequence Collection Mapping MutableMapping AsyncIterator AsyncIterable AsyncGenerator".split())},
    "AbstractSet": collections.abc.Set,
}  # fmt: skip
_WRAPPING = frozenset("Final ClassVar Annotated Required NotRequired ReadOnly".split())
_AWAITED = frozenset(("Awaitable", "Coroutine"))
# Whatever is iterated over may be asked for these, too.
_ANYWAY = frozenset("__len__ __bool__ __repr__ __str__ __format__ __length_hint__ __iter__ __next__ __enter__ __exit__ __aenter__ __aexit__ close aclose".split())
_SCALARS = frozenset([int, float, bool, complex, bytes, type(None)])
_TEXTS = (str, bytes)
_ASKED = (types.FunctionType, types.MethodType, WallFunction)
NONE = (ONLY, (type(None),), (None,))


class Shapes:
    """Reads annotations of one module; `own` gives the shape of a name that its contract defines, `others` of one that any other does."""

    def __init__(self, own, others):
        self.own, self.others = own, others

    def of(self, node):
        if isinstance(node, ast.Constant):
            if node.value is None:
                return NONE
            return self._quoted(node.value) if type(node.value) is str else None
        if isinstance(node, ast.BinOp):
            return (ONE_OF, [self.of(node.left), self.of(node.right)])
        name = short(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else ""
        found = self.own(name)
        if found is not False:
            return found
        standard, other = self._standard(node, name), self.others(name)
        if other is False or standard is None:
            return standard if other is False else other
        return (ONE_OF, [standard, other])  # `Path` of the library, or of a node below

    def _standard(self, node, name):
        inner = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else [getattr(node, "slice", None)]
        inner = [] if inner == [None] else inner
        if name in _LEAF:
            return (LEAF, _LEAF[name], name)
        if name == "Callable":
            given = inner[0].elts if inner and isinstance(inner[0], ast.List) else []
            return (CALLED, [self.of(item) for item in given], self.of(inner[1]) if len(inner) == 2 else None)
        if name == "Literal":
            values = [item.value for item in inner if isinstance(item, ast.Constant)]
            return (ONLY, tuple(map(type, values)), tuple(values)) if len(values) == len(inner) else None
        if name in ("Optional", "Union"):
            return (ONE_OF, [*map(self.of, inner), *([NONE] if name == "Optional" else [])])
        if name in _WRAPPING or name in _AWAITED:
            return self.of(inner[-1 if name in _AWAITED else 0]) if inner else None
        if name in _YIELDS:
            # The keys of a mapping are stepped through, its values are asked for by key: neither is told from the other.
            return (YIELDS, [] if "Mapping" in name else [self.of(item) for item in inner[:1]], _ANYWAY.union(dir(_YIELDS[name])))
        return (HOLDS, _HOLDS[name], self._inside(name, inner), name) if name in _HOLDS else None

    def _inside(self, name, inner):
        if name in ("Counter",) and len(inner) == 1:
            return [self.of(inner[0]), (LEAF, (int,), "int")]
        return [... if isinstance(item, ast.Constant) and item.value is ... else self.of(item) for item in inner]

    def _quoted(self, text):
        try:
            return self.of(ast.parse(text, mode="eval").body)
        except SyntaxError:
            return None


class Fitting:
    """Holds values against shapes. `remember(value, shape)` is told of what gives its items later; `derived` are the places of
    classes of the contract that are themselves of a plain type. Loose: only what acts like a plain value and is none is wrong."""

    def __init__(self, remember, derived):
        self.remember, self.derived = remember, derived

    def fits(self, value, shape, is_loose=False):
        if shape is None:
            return True
        kind = shape[0]
        if kind == LEAF and type(value) in shape[1]:
            return True
        if type(value) is types.CoroutineType:
            self.remember(value, shape)
            return True
        if kind == LEAF:
            return not self.acts(value) if is_loose else isinstance(value, shape[1]) and not isinstance(value, bool)
        if kind == ONE_OF:
            # Each is tried: one of them may be what is remembered.
            return any([self.fits(value, each, is_loose) for each in shape[1]])
        if kind == ONLY:
            return any(type(value) is cls and value == each for cls, each in zip(shape[1], shape[2])) or (is_loose and not self.acts(value))
        if kind == INSTANCE:
            return is_loose or isinstance(value, shape[1]())
        if kind == KEYS:
            return is_loose or (isinstance(value, dict) and all(self.fits(value[key], each) for key, each in shape[1]().items() if key in value))
        if kind == CALLED:
            self.remember(value, shape)
            return is_loose or callable(value)
        if kind == YIELDS:
            return self._yields(value, shape, is_loose)
        if self.acts(value) or not (is_loose or isinstance(value, shape[1])):
            return False
        return self._holds(value, shape[2], is_loose)

    def _yields(self, value, shape, is_loose):
        if self.acts(value) or isinstance(value, types.GeneratorType):
            self.remember(value, shape)
            return True
        if type(value) in _SCALARS:
            return is_loose
        return isinstance(value, _TEXTS) or self._holds(value, shape[1], is_loose)

    def _holds(self, value, inner, is_loose):
        if isinstance(value, dict):
            keys, values = inner if len(inner) == 2 else (inner[0] if inner else None, None)
            return all(self.fits(key, keys, is_loose) and self.fits(item, values, is_loose) for key, item in value.items())
        if not inner or not isinstance(value, (list, tuple, set, frozenset, collections.deque)):
            return True
        if isinstance(value, tuple) and len(inner) > 1 and inner[-1] is not ...:
            return is_loose or (len(inner) == len(value) and all(map(self.fits, value, inner)))
        return inner[0] is None or all(self.fits(item, inner[0], is_loose) for item in value)

    def is_given(self, value, shape):
        """Whether the suite keeps to a declared type. What a builtin, a class or a mock makes of its arguments is not known."""
        if shape is not None and shape[0] == CALLED and shape[2] is not None and not isinstance(value, _ASKED):
            return value is None
        return self.fits(value, shape)

    def acts(self, value):
        if isinstance(value, (WallFunction, *USERS)):
            return True
        return isinstance(value, WallObject) and getattr(type(value), "_a7_class", None) not in self.derived


def told(shape):
    """What a shape asks for, in words of the contract."""
    if shape[0] == LEAF or shape[0] == HOLDS:
        return shape[-1]
    if shape[0] == ONE_OF:
        return " | ".join("any" if each is None else told(each) for each in shape[1])
    if shape[0] == ONLY:
        return " | ".join(map(repr, shape[2]))
    return shape[1]().__name__ if shape[0] == INSTANCE else "something else"
