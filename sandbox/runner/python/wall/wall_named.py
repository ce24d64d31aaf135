"""Tuples with named fields whose class no contract declares: each side has a class of its own for a name and its fields."""

import collections
import keyword

MAX_FIELDS = 100
_known = {}


def fields_of(cls):
    """Names of the fields of a named tuple's class, else None."""
    fields = getattr(cls, "_fields", None) if issubclass(cls, tuple) else None
    if type(fields) is not tuple or len(fields) > MAX_FIELDS or not all(map(_is_name, fields)):
        return None
    return fields


def encode_named(value, fields, enc):
    cls = type(value)
    _known.setdefault((cls.__name__, fields), cls)
    return ["nt", cls.__name__, list(fields), *map(enc, tuple.__iter__(value))]


def decode_named(parts, dec):
    name, fields, *items = parts
    fields = tuple(fields)
    if not (_is_name(name) and all(map(_is_name, fields)) and len(set(fields)) == len(fields) == len(items) <= MAX_FIELDS):
        raise ValueError("a tuple with names that are none")
    cls = _known.get((name, fields))
    if cls is None:
        cls = _known[name, fields] = collections.namedtuple(name, fields)
    return tuple.__new__(cls, map(dec, items))


def _is_name(text):
    return type(text) is str and len(text) < 200 and text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("_")
