"""Immutable values as JSON lists with a tag, and back (gate.md part 10). Only these types are decoded: no pickle, no eval.

None, booleans, text, finite and other floats and integers of 64 bits are JSON itself; every other value is a list whose
first element is its tag. What refers to other values takes the codec's `enc` and `dec`.
"""

import array
import builtins
import collections
import datetime
import decimal
import fractions
import functools
import math
import operator
import pathlib
import re
import types
import uuid
import zoneinfo

from wall_late import Classes, Names

_BIG = 1 << 63
# Bound once: a suite may replace the names in their modules.
_date, _datetime, _time_of_day, _timedelta, _timezone = datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone
_Decimal, _Fraction, _UUID, _ZoneInfo, _compile = decimal.Decimal, fractions.Fraction, uuid.UUID, zoneinfo.ZoneInfo, re.compile
# What holds a plain value and acts like it.
USERS = {collections.UserList: list, collections.UserDict: dict, collections.UserString: str}
_USER_OF = {cls.__name__: (cls, kind) for cls, kind in USERS.items()}
_PATHS = {"PosixPath": pathlib.PosixPath, "PurePosixPath": pathlib.PurePosixPath, "PureWindowsPath": pathlib.PureWindowsPath}
_TYPE_NAMES = (
    "object type bool int float complex str bytes bytearray tuple list dict set frozenset range slice enumerate zip map filter reversed"
).split()
EXCEPTIONS = Names(
    (name, value) for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
EXCEPTIONS["InvalidOperation"] = decimal.InvalidOperation
EXCEPTIONS["FrozenInstanceError"] = __import__("dataclasses").FrozenInstanceError
EXCEPTIONS["JSONDecodeError"] = __import__("json").JSONDecodeError
EXCEPTION_NAMES = Classes((value, name) for name, value in EXCEPTIONS.items())
TYPES = Names({
    **{name: getattr(builtins, name) for name in _TYPE_NAMES},
    **EXCEPTIONS,
    **{item.__name__: item for item in (
        decimal.Decimal, fractions.Fraction, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, uuid.UUID,
        collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter, array.array, *_PATHS.values(),
    )},
    "NoneType": type(None),
})  # fmt: skip
_TYPE_OF = Classes((value, name) for name, value in TYPES.items())
# Functions that either side has itself: they need no way back. Only the builder's side takes them.
_NATIVE = {
    value: f"{module.__name__}.{name}"
    for module, names in (
        (builtins, "abs all any ascii bin bool callable chr divmod format hash hex isinstance iter len max min next oct ord pow repr round sorted sum".split()),
        (operator, [name for name in dir(operator) if not name.startswith("_")]),
        (math, [name for name in dir(math) if not name.startswith("_")]),
    )
    for name, value in ((name, getattr(module, name)) for name in names)
    if isinstance(value, types.BuiltinFunctionType)
}  # fmt: skip
NATIVE_BY_NAME = {name: value for value, name in _NATIVE.items()}


class CannotCross(Exception):
    """A value that has no encoding, or a message that decodes to nothing."""


def encode_text(value):
    """Lone surrogates would be joined by JSON: such text goes as bytes."""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
        return value
    except UnicodeEncodeError:
        return ["S", value.encode("utf-8", "surrogatepass").hex()]


def encode_int(value):
    return value if -_BIG < value < _BIG else ["I", format(value, "x")]


def _zone(value):
    if value is None:
        return None
    if isinstance(value, _timezone):
        offset = value.utcoffset(None)
        return ["z", offset.days, offset.seconds, offset.microseconds]
    if isinstance(value, _ZoneInfo) and value.key:
        return ["Z", value.key]
    raise CannotCross("a time zone that has no name")


def _time(value):
    return [value.hour, value.minute, value.second, value.microsecond, value.fold, _zone(value.tzinfo)]


# By exact type: value, enc -> JSON.
ENCODERS = {
    bytes: lambda v, enc: ["b", v.hex()],
    tuple: lambda v, enc: ["t", *map(enc, v)],
    frozenset: lambda v, enc: ["f", *map(enc, v)],
    complex: lambda v, enc: ["c", v.real, v.imag],
    decimal.Decimal: lambda v, enc: ["D", str(v)],
    fractions.Fraction: lambda v, enc: ["Q", encode_int(v.numerator), encode_int(v.denominator)],
    datetime.datetime: lambda v, enc: ["dt", v.year, v.month, v.day, *_time(v)],
    datetime.date: lambda v, enc: ["da", v.year, v.month, v.day],
    datetime.time: lambda v, enc: ["ti", *_time(v)],
    datetime.timedelta: lambda v, enc: ["td", v.days, v.seconds, v.microseconds],
    datetime.timezone: lambda v, enc: ["tz", _zone(v)],
    zoneinfo.ZoneInfo: lambda v, enc: ["tz", _zone(v)],
    uuid.UUID: lambda v, enc: ["U", v.hex],
    range: lambda v, enc: ["r", encode_int(v.start), encode_int(v.stop), encode_int(v.step)],
    slice: lambda v, enc: ["sl", enc(v.start), enc(v.stop), enc(v.step)],
    re.Pattern: lambda v, enc: ["re", enc(v.pattern), v.flags],
    **dict.fromkeys(USERS, lambda v, enc: ["us", type(v).__name__, enc(v.data)]),
    type(NotImplemented): lambda v, enc: ["no"],
    type(Ellipsis): lambda v, enc: ["el"],
    types.MappingProxyType: lambda v, enc: ["mp", enc(dict(v))],
    collections.ChainMap: lambda v, enc: ["cm", *map(enc, v.maps)],
    type({}.keys()): lambda v, enc: ["vk", *map(enc, v)],
    type({}.values()): lambda v, enc: ["vv", *map(enc, v)],
    type({}.items()): lambda v, enc: ["vi", *(enc(part) for pair in v for part in pair)],
    **{cls: functools.partial(lambda name, v, enc: ["P", name, encode_text(str(v))], name) for name, cls in _PATHS.items()},
}


def native_name(value):
    """Name under which the other side has the same function, or None."""
    try:
        return _NATIVE.get(value)
    except TypeError:
        return None


def type_name(value):
    """Name of a type that both sides have, or None."""
    return _TYPE_OF.get(value)


def _int(value):
    if type(value) is int:
        return value
    if type(value) is list and len(value) == 2 and value[0] == "I":
        return int(value[1], 16)
    raise CannotCross("a number that is none")


def _from_zone(part):
    if part is None:
        return None
    if part[0] == "Z":
        return _ZoneInfo(part[1])
    return _timezone(_timedelta(part[1], part[2], part[3]))


def _from_time(parts):
    hour, minute, second, micro, fold, zone = parts
    return {"hour": hour, "minute": minute, "second": second, "microsecond": micro, "fold": fold, "tzinfo": _from_zone(zone)}


def _pairs(parts):
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _user(cls, kind, data):
    if type(data) is not kind:
        raise CannotCross("a holder of another kind of value")
    value = cls.__new__(cls)
    value.data = data
    return value


def _singleton(value):
    return lambda p, dec: value


# By tag: parts behind the tag, dec -> value.
DECODERS = {
    "I": lambda p, dec: int(p[0], 16),
    "S": lambda p, dec: bytes.fromhex(p[0]).decode("utf-8", "surrogatepass"),
    "b": lambda p, dec: bytes.fromhex(p[0]),
    "t": lambda p, dec: tuple(map(dec, p)),
    "f": lambda p, dec: frozenset(map(dec, p)),
    "c": lambda p, dec: complex(float(p[0]), float(p[1])),
    "D": lambda p, dec: _Decimal(p[0]),
    "Q": lambda p, dec: _Fraction(_int(p[0]), _int(p[1])),
    "dt": lambda p, dec: _datetime(p[0], p[1], p[2], **_from_time(p[3:])),
    "da": lambda p, dec: _date(*p),
    "ti": lambda p, dec: _time_of_day(**_from_time(p)),
    "td": lambda p, dec: _timedelta(p[0], p[1], p[2]),
    "tz": lambda p, dec: _from_zone(p[0]),
    "U": lambda p, dec: _UUID(hex=p[0]),
    "r": lambda p, dec: range(_int(p[0]), _int(p[1]), _int(p[2])),
    "sl": lambda p, dec: slice(dec(p[0]), dec(p[1]), dec(p[2])),
    "re": lambda p, dec: _compile(dec(p[0]), p[1] & ~re.DEBUG if type(p[0]) is str else p[1] & ~(re.DEBUG | re.UNICODE)),
    "us": lambda p, dec: _user(*_USER_OF[p[0]], dec(p[1])),
    "no": _singleton(NotImplemented),
    "el": _singleton(Ellipsis),
    "mp": lambda p, dec: types.MappingProxyType(dec(p[0])),
    "cm": lambda p, dec: collections.ChainMap(*map(dec, p)),
    "vk": lambda p, dec: dict.fromkeys(map(dec, p)).keys(),
    "vv": lambda p, dec: dict(enumerate(map(dec, p))).values(),
    "vi": lambda p, dec: _pairs([dec(part) for part in p]).items(),
    "P": lambda p, dec: _PATHS[p[0]](dec(p[1])),
    "T": lambda p, dec: TYPES[p[0]],
}
