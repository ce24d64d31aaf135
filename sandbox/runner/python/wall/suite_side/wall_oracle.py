"""A second process of the builder's code, which shares nothing with the one under test (gate.md part 12).

What a suite expects is made of the declaration: `Point(4, 6)` runs no constructor in the process that gave `shift(p, 1, 2)`. Where the
builder's constructor refuses or normalises, and where its class compares, hashes or guards its fields, the oracle is asked, on copies;
where its answer is another than the declaration's, the builder is at fault.
"""

import dataclasses

from wall_bridge import Bridge
from wall_plain import CannotCross
from wall_wire import WireError

# Questions of one kind to one class; what is the same a thousand times is so the next time, too.
MAX_QUESTIONS = 1_000
MAX_HASHES = 100


class Apart(Exception):
    """What is asked about holds something that lives with the code under test, or with the suite."""


class Aside(Bridge):
    """The session with the oracle: what cannot cross to it is not asked there, and its faults are the session's."""

    def __init__(self, main, read_fd, write_fd):
        super().__init__(read_fd, write_fd, main.call_limit, main.session_ends, main.codec.exits, _no_proxies)
        self.main = main
        self.on_fault = lambda error: main.on_fault(error)
        self.codec.classes, self.codec.by_name, self.codec.own_handle = main.codec.classes, main.codec.by_name, _refuse
        self.codec.on_field = lambda *told: main.codec.on_field(*told)

    def _limit(self):
        return self.main._limit()

    def cannot_send(self, error):
        raise Apart(str(error))


def _no_proxies(_part):
    raise CannotCross("a value that lives on the other side")


def _refuse(value):
    raise CannotCross(f"a value of the type {type(value).__name__}")


class Oracle:
    """Asked once the suite builds, compares or changes the first value of a data class."""

    def __init__(self, main, finder, read_fd, write_fd, has_zones):
        self.main, self.side, self.finder = main, Aside(main, read_fd, write_fd), finder
        self.state, self.asked, self.hashes, self.is_asking = "closed", {}, {}, False
        self.has_zones = has_zones

    # -- values that the suite builds -----------------------------------------------------------------------------------

    def build(self, cls, args, kwargs):
        """What the contract's class makes of these arguments."""
        module, name = cls.__dict__["_a7_class"]
        if not self._is_open():
            return self._declared(cls, args, kwargs)
        try:
            value = self.side.request("f", module, name, args, kwargs)
        except Apart:
            return self.main.request("f", module, name, args, kwargs)
        self.main.results.check("f", module, name, args, kwargs, value)
        self.main.codec.built(value, args, kwargs)
        return value

    def _declared(self, cls, args, kwargs):
        """The same by the declaration alone."""
        if "__init__" in cls._a7_declared or not dataclasses.is_dataclass(cls):
            return self.main.request("f", *cls.__dict__["_a7_class"], args, kwargs)
        fields, given = [field for field in dataclasses.fields(cls) if field.init], dict(kwargs)
        if len(args) > len(fields):
            raise TypeError(f"{cls.__name__}() takes {len(fields)} arguments, {len(args)} were given")
        given.update(zip((field.name for field in fields), args))
        value = object.__new__(cls)
        for field in fields:
            if field.name not in given and field.default is field.default_factory is dataclasses.MISSING:
                raise TypeError(f"{cls.__name__}() missing the argument '{field.name}'")
            made = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            object.__setattr__(value, field.name, given.pop(field.name) if field.name in given else made)
        if given:
            raise TypeError(f"{cls.__name__}() got an unexpected argument '{next(iter(given))}'")
        return value

    # -- what the wall answers for the code -------------------------------------------------------------------------------

    def hold(self, name, mine, value, args):
        """Faults where the builder's class answers otherwise than the declaration has it."""
        if self._may_ask(type(value), name):
            try:
                theirs = self._ask("m", value, name, args)
            except Apart:
                return
            except Exception as error:  # noqa: BLE001 - whatever its operator raises
                self._differ(value, name, f"raises {type(error).__name__}")
            if name == "__hash__":
                is_same = type(theirs) is int and self.hashes.setdefault((type(value), mine), theirs) == theirs
            else:
                is_same = theirs is mine
            if not is_same:
                self._differ(value, name, "answers otherwise")

    def refuse(self, value, name, given):
        """A declared frozen class must refuse that one of its fields is set or deleted."""
        if self._may_ask(type(value), name):
            try:
                self._ask("set" if given else "del", value, name, given)
            except (Apart, AttributeError, TypeError):
                return
            except Exception:  # noqa: BLE001 - it refuses in its own way
                return
            self._differ(value, f"field '{name}'", "can be changed")

    def change(self, value, name, given):
        """Sets a field the way the builder's class does, which may check it. False: nobody could be asked."""
        if not self._is_open():
            return False
        try:
            self._ask("set", value, name, given)
        except Apart:
            return False
        return True

    def tell(self, verb, *parts):
        """A seed or a replaced name, which constructors see, too; what cannot cross is only known to the code under test."""
        if self.state == "open":
            try:
                self.side.request(verb, *parts)
            except Apart:
                self.state = "astray"

    def _ask(self, verb, value, name, args):
        self.is_asking = True
        try:
            return self.side.request(verb, value, name, args)
        finally:
            self.is_asking = False

    def _may_ask(self, cls, name):
        # Not in the middle of a message, and not for the parts of what is asked about already.
        if self.is_asking or self.main.waiting or not self._is_open():
            return False
        count = self.asked[cls, name] = self.asked.get((cls, name), 0) + 1
        return count <= (MAX_HASHES if name == "__hash__" else MAX_QUESTIONS)

    def _differ(self, value, name, how):
        self.main.fault(f"The class '{type(value).__name__}' is not as declared: {name} {how}")

    # -- opening ----------------------------------------------------------------------------------------------------------

    def _is_open(self):
        if self.state == "closed":
            self.state = "opening"
            self.state = self._open()
        return self.state == "open"

    def _open(self):
        """Has it import what the suite may name, hold its facts against those of the code under test, and shut itself off."""
        for module, (told, facts) in self.finder.facts.items():
            try:
                theirs = self.side.request("import", module, "", (told,))
            except Exception:  # noqa: BLE001 - code that cannot be imported without leaving something behind
                return "shut"
            if theirs != facts:
                self.main.fault(f"The module '{module}' tells otherwise of itself in another process")
        try:
            is_shut = self.side.request("seal", None, "zones" if self.has_zones else "")
        except WireError:
            return "shut"
        return "open" if is_shut is True else "shut"
