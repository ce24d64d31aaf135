"""What the code may set on plain objects of the suite: fields, and methods only where the suite has named them (gate.md part 11).

A suite's own double says what it saw by its methods: code that replaces one would answer for it.
"""

import types

MAX_NAME = 100
MAX_NAMES = 20
_METHODS = (types.FunctionType, staticmethod, classmethod)


class Named:
    """Remembers the words that a test gave the code: `spy_on(thing, "save")` may replace `save`."""

    def __init__(self, codec):
        self.codec, self._words = codec, set()

    def note(self, args):
        for item in args:
            for word in item[:MAX_NAMES] if type(item) in (list, tuple) else (item,):
                if type(word) is str and len(word) <= MAX_NAME:
                    self._words.add(word)

    def forget(self):
        self._words.clear()

    def set_attribute(self, value, name, given):
        is_method = any(isinstance(base.__dict__.get(name), _METHODS) for base in type(value).__mro__)
        if is_method and name not in self._words and self.codec.number_of(given) is None:
            raise TypeError(f"'{name}' is a method of the caller's object: only the caller's own may take its place")
        return setattr(value, name, given)
