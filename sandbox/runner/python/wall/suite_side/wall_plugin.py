"""The pytest plugin of the suite's side: the report of suite_plugin.py, with faults of the other side named at once."""

import pytest

from suite_plugin import ReportPlugin
from suite_time import now
from wall_fresh import Fresh

# A call ends before its test does, so that the call is named.
MARGIN_SECONDS = 0.1
_clock = now


class WallPlugin(ReportPlugin):
    """`bridge` is the session with the builder's process, `note` its last call."""

    def __init__(self, config, emit, maker, bridge, note):
        super().__init__(config, self._emit, maker, None)
        self.bridge, self.note, self._write, self.example = bridge, note, emit, None
        bridge.on_fault = self._fault
        bridge.kept.types = tuple(maker.assertion_types)
        bridge.fresh = Fresh(bridge)

    def _fault(self, error):
        failure = self.maker.failure(error)
        if self.pending is not None:
            self.pending.decide("failed", "call", failure)
        else:
            self.emit({"kind": "late_error", "reason": "uncaught", "failure": failure})

    def _late(self, error):
        if self.pending is not None:
            self.pending.decide("failed", "teardown", self.maker.failure(error))

    def pytest_runtest_logstart(self):
        self.bridge.test_ends = _clock() + self.limit_s - MARGIN_SECONDS
        self.bridge.codec.is_test = True
        self.bridge.fresh.begin_test()
        self.bridge.called.begin()
        self.note.clear()
        self.example = None

    def pytest_runtest_logfinish(self):
        kept = self.bridge.kept.take()
        if kept is not None and self.pending is not None:
            self.pending.decide("failed", "call", self.maker.failure(kept))
        self.bridge.test_ends = None
        self.bridge.codec.end_test()
        self.bridge.named.forget()
        try:
            self.bridge.fresh.end_test()
        except BaseException as error:  # noqa: BLE001 - a process that is lost between two tests
            self._late(error)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        fresh = self.bridge.fresh
        is_wider = fixturedef.scope != "function"
        was_due = fresh.begin_wider() if is_wider else None
        yield
        if is_wider:
            fresh.end_wider(was_due)

    def _alarm(self, signal, frame):
        # While a call is under way its own deadline ends it: a message that is read by half would be lost.
        if not self.bridge.waiting:
            super()._alarm(signal, frame)

    def pytest_runtest_logreport(self, report):
        if report.failed and self.example is None and self.bridge.fresh.is_clean:
            self.example = self.note.counterexample()

    def _emit(self, record):
        if record["kind"] == "test" and record["outcome"] in ("failed", "error") and self.example is not None:
            record = {**record, "counterexample": self.example}
        if record["kind"] == "test":
            record = {**record, "called": self.bridge.called.told()}
        self._write(record)
