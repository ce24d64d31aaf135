"""Which exports each test asks about, from plays of the suite with other values (suite_follow.py).

A test asks about an export where it asserts what the export gave, or where something that it asserts, or passes on to another call,
is another one when only that export's values are. What cannot be told is in the suite's favour: the test broke off; the call was
made in a fixture, or for its error; its value is no plain data, or has no other one; an object that it was called with is asserted
later, or what no export gave, such as a file; or a later call that is asserted may tell what it did to what both are about.
"""

import time

EVERY = "*"
PLAYS_MAX = 12
PLAYS_SECONDS = 15


def asked_by(names, play):
    """Names by test; None where it cannot be told. `play(focus)` gives what each test did with other values of the names in focus."""
    ends = time.monotonic() + PLAYS_SECONDS
    plain, other = play(()), play((EVERY,))
    if plain is None or other is None:
        return None
    told = [_Told(*pair) for pair in zip(plain, other)]
    open_names = [name for name in names if not any(test.asks(name) for test in told)]
    later = {name for test in told for each in open_names for name in test.plain["after"].get(each, ()) if test.is_open(name)}
    each = {}
    for name in sorted({*open_names, *later})[:PLAYS_MAX]:
        if time.monotonic() > ends:
            break
        own = play((name,))
        if own is None:
            return None
        each[name] = {at for at, test in enumerate(told) if test.differs(own[at])}
    left = {name for name in {*open_names, *later} if name not in each}
    called = {name for test in plain for name in test["first"]}
    return [[name for name in names if name not in called or name in left or _asks(name, at, test, each, left)]
            for at, test in enumerate(told)]  # fmt: skip


def _asks(name, at, test, each, left):
    if test.asks(name) or at in each.get(name, ()):
        return True
    after = test.plain["after"].get(name, ())
    return any(test.asks(later, test.plain["first"][name]) or later in left or at in each.get(later, ()) for later in after)


def _holds(event):
    return event[0] == "assertion" and event[3]


class _Told:
    """One test, as it is and with other values of all exports."""

    def __init__(self, plain, other):
        self.plain, self.other = plain, other
        self.is_whole = plain["whole"] and other["whole"] and len(plain["events"]) == len(other["events"])
        self.pairs = list(zip(plain["events"], other["events"]))
        self.direct = self._asserted()

    def differs(self, own):
        """Whether something is another one, and not only in assertions that hold all the same."""
        if not own["whole"] or len(own["events"]) != len(self.plain["events"]):
            return True
        return any(one != two and not (_holds(one) and _holds(two)) for one, two in zip(self.plain["events"], own["events"]))

    def asks(self, name, since=0):
        """Whether it is clear, or cannot be told. `since` is the event from which on an assertion counts."""
        if name not in self.plain["first"]:
            return False
        if not self.is_whole or self.direct.get(name, -1) >= since or name in self.plain["excused"]:
            return True
        # "Nothing" is what a call gives that is there for what it does.
        return self._is_same(name) and self.plain["given"][name] != "None" or self._is_foreign_later(name)

    def is_open(self, name):
        return name in self.plain["first"] and not self.asks(name) and not self._is_same(name)

    def _is_same(self, name):
        return self.plain["given"][name] == self.other["given"].get(name)

    def _is_foreign_later(self, name):
        later = self.pairs[self.plain["first"][name]:]
        # What holds on stubs, too, holds whatever was done.
        return any(one[0] == "assertion" and not _holds(one) and one[1] and not one[2] and one[1] == two[1] for one, two in later)

    def _asserted(self):
        """Exports whose values are among what is asserted, and where: in assertions that do not hold of any value."""
        texts_of = {name: (text, self.other["given"].get(name)) for name, text in self.plain["given"].items()}
        # Two of `True` cannot be told apart: for these the plays tell.
        given = {texts: name for name, texts in texts_of.items() if list(texts_of.values()).count(texts) == 1}
        found = {}
        for at, (one, two) in enumerate(self.pairs):
            if one[0] == "assertion" and not (_holds(one) and _holds(two)):
                found.update({given[texts]: at for texts in zip(one[1], two[1]) if texts in given and texts[0] != texts[1]})
                found.update(dict.fromkeys(one[4], at))
        return found
