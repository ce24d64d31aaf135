"""Follows what calls give to what tests assert (decision 0019): a call alone says nothing of its value.

In the variant `followed` a failed assertion does not end a test, so that every one of them is made. The tests are played several
times, each time in a child: as they are, with other values of all exports, and with other values of one export at a time. A test
asks about an export where something that it asserts, or passes on to another call, is another one when only that export's values
are (suite_follow_judge.py).
"""

import json
import os

import pytest

from suite_follow_asserts import quiet_assertions
from suite_follow_calls import Calls
from suite_follow_judge import EVERY, asked_by
from suite_record import test_line


class Follower:
    """Plugin of one session, and what stubs tell of their calls. `names` are the exports in question."""

    def __init__(self, names):
        self.names = names
        self.focus = frozenset()
        self.report = None
        self.test, self.is_in_call, self.raising = None, False, 0

    def install(self):
        quiet_assertions(self)

    # -- what a run records -----------------------------------------------------------------------------------------

    def give(self, name, make, given):
        """The value of a call: another one where the export is in focus."""
        space = make.__globals__
        space["_a7_second"] = name in self.focus or EVERY in self.focus
        try:
            value = make()
        finally:
            space["_a7_second"] = False
        if self.test is not None:
            self.test.call(name, given, value, is_sure=self.is_in_call and self.raising == 0)
        return value

    def link(self, name, given):
        """The constructor `name` ran: what it was given belongs together."""
        if self.test is not None:
            self.test.link(name, given)

    def begin(self):
        """An assertion begins."""
        return self.test.begin() if self.test is not None else None

    def held(self, assertion, is_true):
        """An assertion was made, and not in vain."""
        if assertion is not None and is_true:
            assertion[3] = True

    def saw(self, value, is_whole=True):
        """A part of what is asserted; `is_whole` unless only a part of it is asked for."""
        if self.test is not None:
            self.test.see(value, is_whole)
        return value

    def glanced(self, value):
        return self.saw(value, is_whole=False)

    # -- the session ------------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        asked = asked_by(self.names, lambda focus: self._in_child(session, frozenset(focus)))
        for at, item in enumerate(session.items):
            self.report.ran += 1
            reached = self.names if asked is None else asked[at]
            self.report.emit(test_line(self.report.ids[item], "passed", "call", None, reached, 0.0))
        return True

    def _in_child(self, session, focus):
        answer = os.memfd_create("answer")
        pid = os.fork()
        if pid == 0:
            try:
                os.write(answer, json.dumps(self._play(session, focus)).encode())
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        try:
            return json.loads(os.pread(answer, os.fstat(answer).st_size, 0))
        except ValueError:
            return None
        finally:
            os.close(answer)

    def _play(self, session, focus):
        self.focus = focus
        lines, played = [], []
        self.report.emit = lines.append
        for at, item in enumerate(session.items):
            self.test = Calls()
            after = session.items[at + 1] if at + 1 < len(session.items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            self.report.flush()
            is_whole = any(line["kind"] == "test" and line["outcome"] == "passed" for line in lines)
            lines.clear()
            played.append({"whole": is_whole, **self.test.told()})
        return played

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self):
        self.is_in_call = True
        yield
        self.is_in_call = False
