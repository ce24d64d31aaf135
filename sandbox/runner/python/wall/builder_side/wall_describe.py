"""What the builder's module defines, told to the suite's side when a test imports it: which declared names there are and how they behave."""

import enum
import importlib
import inspect
import types

from wall_plain import EXCEPTION_NAMES
from wall_stubs import COMPARING, FORWARDED, operators_of

MAX_DOC = 2000


def describe(codec, module_name, declared):
    """`declared` maps each name to [kind, fields]. Imports the module, makes its classes known, and returns name -> facts."""
    module = importlib.import_module(module_name)
    found = {}
    for name, (kind, fields) in declared.items():
        value = getattr(module, name, found)
        if value is found:
            continue
        if kind == "function":
            found[name] = ["function", [_call_kind(value), _doc(value)]]
        elif isinstance(value, type) and kind in ("class", "dataclass", "enum", "exception"):
            _learn(codec, value, kind, module_name, name, fields)
            found[name] = [kind, value]
        else:
            found[name] = ["value", None]
    return {name: [kind, _class_facts(codec, value) if isinstance(value, type) else value] for name, (kind, value) in found.items()}


def _learn(codec, cls, kind, module_name, name, fields):
    if kind == "dataclass":
        kind = "named" if issubclass(cls, tuple) else "dict" if issubclass(cls, dict) else "data"
    if kind == "class" and issubclass(cls, BaseException):
        kind = "exception"
    codec.add_class(cls, kind, module_name, name, fields)


def _call_kind(value):
    target = inspect.unwrap(value) if callable(value) else value
    if inspect.iscoroutinefunction(target):
        return "async"
    return "async_generator" if inspect.isasyncgenfunction(target) else "plain"


def _class_facts(codec, cls):
    facts = {
        "bases": [_base(codec, base) for base in cls.__mro__[1:] if base is not object],
        "operators": operators_of(cls, [*FORWARDED, *COMPARING]),
        "hashable": cls.__hash__ is not None,
        "frozen": cls.__setattr__ is not object.__setattr__ or _is_read_only(cls),
        "ownText": _own_text(cls),
        "doc": _doc(cls),
        "docs": {name: _doc(value) for name, value in vars(cls).items() if not name.startswith("_") and _is_member(value)},
        "async": [name for name in dir(cls) if not name.startswith("_") and _method_kind(cls, name) == "async"],
    }
    if issubclass(cls, enum.Enum):
        facts["members"] = [[name, member.value] for name, member in cls.__members__.items()]
    return facts


def _doc(value):
    doc = getattr(value, "__doc__", None)
    return doc[:MAX_DOC] if type(doc) is str else None


def _is_member(value):
    return isinstance(value, (types.FunctionType, property, staticmethod, classmethod))


def _base(codec, base):
    info = codec.classes.get(base)
    if info is not None:
        return [info[1], info[2]]
    return ["", EXCEPTION_NAMES.get(base, str(base.__name__)[:200])]


def _is_read_only(cls):
    fields = [getattr(cls, name, None) for name in getattr(cls, "__annotations__", {})]
    return any(isinstance(field, property) and field.fset is None for field in fields)


def _own_text(cls):
    """Which of repr and str a class writes itself: those that `dataclass` makes are wrapped."""
    names = [name for name in ("__repr__", "__str__", "__format__") if getattr(cls, name) is not getattr(object, name)]
    return [name for name in names if not hasattr(getattr(cls, name), "__wrapped__")]


def _method_kind(cls, name):
    try:
        value = inspect.getattr_static(cls, name)
    except AttributeError:
        return "plain"
    return _call_kind(getattr(value, "__func__", value))
