"""Exceptions across the wall: type, arguments, text and declared attributes, never traceback or context; the code's own causes cross to
the suite (decision 0110)."""

from wall_plain import EXCEPTION_NAMES, EXCEPTIONS, CannotCross, encode_text

MAX_TEXT = 20_000
MAX_ARGS = 20
MAX_NAMES = 40
_mro = type.__dict__["__mro__"].__get__
_BUILTIN_ATTRIBUTES = {
    OSError: ("errno", "strerror", "filename"),
    ImportError: ("name", "path"),
    EXCEPTIONS["JSONDecodeError"]: ("msg", "doc", "pos", "lineno", "colno"),
}
_LIBRARY_ATTRIBUTES = {
    "subprocess.CalledProcessError": ("returncode", "cmd", "output", "stderr"),
    "subprocess.TimeoutExpired": ("timeout", "cmd", "output", "stderr"),
    "re.error": ("msg", "pattern", "pos", "lineno", "colno"),
    "urllib.error.URLError": ("reason",),
}
BUILTIN_ATTRIBUTES = frozenset(name for group in (*_BUILTIN_ATTRIBUTES.values(), *_LIBRARY_ATTRIBUTES.values()) for name in group)


def lineage(cls, own_ref):
    """Every class of an exception's line as [tag, ...]; `own_ref(cls)` gives the entry of a class that is no builtin, or None."""
    found = []
    for base in _mro(cls)[:MAX_NAMES]:
        if base is object:
            continue
        builtin = EXCEPTION_NAMES.get(base)
        entry = ["b", builtin] if builtin is not None else own_ref(base)
        found.append(entry or ["u", encode_text(str(base.__name__)[:200])])
    return found


def encode_exception(error, enc, own_ref, attributes):
    """[lineage, args or None, text, {attribute: value}] of an exception."""
    cls = type(error)
    try:
        text = str(error)[:MAX_TEXT]
    except Exception:  # noqa: BLE001 - the exception's own __str__
        text = ""
    try:
        args = [enc(item) for item in error.args[:MAX_ARGS]]
    except CannotCross:
        args = None
    names = [*attributes(cls), *(name for base, group in _BUILTIN_ATTRIBUTES.items() if isinstance(error, base) for name in group), *_LIBRARY_ATTRIBUTES.get(EXCEPTION_NAMES.get(cls), ())]
    found = {}
    for name in names:
        try:
            found[name] = enc(getattr(error, name))
        except (AttributeError, CannotCross):
            pass
    return [lineage(cls, own_ref), args, encode_text(text), found]


def make_exception(cls, args, text, attributes):
    """An instance without running the class's own `__init__`."""
    given = tuple(args) if args is not None else (text,)
    try:
        if cls in EXCEPTION_NAMES and not attributes:
            return cls(*given)
        error = cls(*given) if cls in EXCEPTION_NAMES else cls.__new__(cls, *given)
    except Exception:  # noqa: BLE001 - a constructor that wants other arguments
        error = next(base for base in _mro(cls) if base in EXCEPTION_NAMES).__new__(cls)
    error.args = given
    for name, value in attributes.items():
        try:
            setattr(error, name, value)
        except (AttributeError, TypeError):
            pass
    return error


def nearest(classes):
    """The classes of a lineage without those that another one of it is derived from."""
    kept = []
    for cls in classes:
        if not any(issubclass(other, cls) for other in kept):
            kept.append(cls)
    return tuple(kept) or (Exception,)
