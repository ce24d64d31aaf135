"""What one test calls and asserts, as far as its values can be followed (suite_follow.py)."""

MAX_DEPTH = 6
MAX_TEXT = 2_000
MAX_EVENTS = 2_000
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def is_plain(value, depth=0):
    """Data that tells by itself what it is."""
    if type(value) in _PLAIN:
        return True
    if depth > MAX_DEPTH:
        return False
    if type(value) is dict:
        return all(is_plain(part, depth + 1) for pair in value.items() for part in pair)
    return type(value) in (list, tuple, set, frozenset) and all(is_plain(part, depth + 1) for part in value)


def described(value):
    """The same text for the same data; of what is no data, its type."""
    return repr(value)[:MAX_TEXT] if is_plain(value) else f"<{type(value).__name__}>"


class Calls:
    """One test. `excused` are exports of which it cannot be told whether their value or effect is asserted; `after` names the calls that
    may tell what an earlier one did to what both are about."""

    # An event: what it is, texts of values, whether it shows an object that a call gave,
    # whether what is asserted holds, exports that gave or were given an object that it shows.
    def __init__(self):
        self.events, self.excused, self.first, self.given = [], set(), {}, {}
        self.makers, self.used, self.kept = {}, {}, []
        self.groups, self.assertion, self.after = {}, None, {}

    def told(self):
        return {"events": self.events, "excused": sorted(self.excused), "first": self.first, "given": self.given,
                "after": {name: sorted(later) for name, later in self.after.items()}}  # fmt: skip

    def call(self, name, given, value, is_sure):
        parts = list(_parts(given))
        self._later(name, parts)
        self.events.append(["call", [name, *(described(part) for part in given.values())], False, False, []])
        self.first.setdefault(name, len(self.events))
        self.given.setdefault(name, described(value))
        if not is_sure or not is_plain(value) or len(self.events) > MAX_EVENTS:
            self.excused.add(name)
        objects = self._hold(parts)
        if type(value) not in _PLAIN:
            self.kept.append(value)
            self.makers.setdefault(id(value), name)
            self._join([*objects, id(value)])
        used = self.used.setdefault(name, {"objects": set(), "data": set(), "nothing": False})
        used["objects"].update(objects)
        used["data"].update(_data(parts))
        used["nothing"] = used["nothing"] or not given

    def link(self, name, given):
        parts = list(_parts(given))
        self._later(name, parts)
        self.events.append(["call", [name, *(described(part) for part in given.values())], False, False, []])
        self._join(self._hold(parts))

    def begin(self):
        self.assertion = ["assertion", [], False, False, []]
        self.events.append(self.assertion)
        return self.assertion

    def see(self, value, is_whole):
        if self.assertion is None:
            self.begin()
        maker = self.makers.get(id(value))
        if maker is not None:
            self.assertion[2] = True
            self.assertion[4].append(maker)
        if not is_whole:
            return
        self.assertion[1].append(described(value))
        if type(value) not in _PLAIN:
            self.assertion[4].extend(name for name, used in self.used.items() if id(value) in used["objects"])

    def _later(self, name, parts):
        objects, data = {self._group(each) for each in _ids(parts)}, _data(parts)
        earlier = {key: used for key, used in self.used.items() if key != name}
        for key, used in earlier.items():
            is_about = used["nothing"] or not parts or used["data"] & data or {self._group(each) for each in used["objects"]} & objects
            if is_about:
                self.after.setdefault(key, set()).add(name)

    def _hold(self, parts):
        """Identities, with the objects kept alive: an identity is used again."""
        self.kept.extend(parts)
        return _ids(parts)

    def _group(self, each):
        while each in self.groups:
            each = self.groups[each]
        return each

    def _join(self, ids):
        for one, other in zip(ids, ids[1:]):
            one, other = self._group(one), self._group(other)
            if one != other:
                self.groups[one] = other


def _parts(given):
    """Arguments, what containers among them hold, and what a bound method belongs to."""
    for value in given.values():
        yield value
        if type(value) in (list, tuple, set, frozenset):
            yield from value
        elif type(value) is dict:
            yield from value.values()
        elif getattr(value, "__self__", None) is not None:
            yield value.__self__


def _ids(parts):
    return [id(part) for part in parts if type(part) not in _PLAIN]


def _data(parts):
    """Plain arguments by which two calls may be about the same: `set(key)`, then `get(key)`."""
    return {repr(part) for part in parts if type(part) in (int, float, str, bytes) and part}
