"""The pytest plugin of the suite's side: the report of suite_plugin.py, with faults of the other side named at once."""

import time

from suite_plugin import ReportPlugin

# A call ends before its test does, so that the call is named.
MARGIN_SECONDS = 0.1
_clock = time.monotonic


class WallPlugin(ReportPlugin):
    """`bridge` is the session with the builder's process, `note` its last call."""

    def __init__(self, config, emit, maker, bridge, note):
        super().__init__(config, self._emit, maker, None)
        self.bridge, self.note, self._write, self.example = bridge, note, emit, None
        bridge.on_fault = self._fault
        bridge.kept.types = tuple(maker.assertion_types)

    def _fault(self, error):
        failure = self.maker.failure(error)
        if self.pending is not None:
            self.pending.decide("failed", "call", failure)
        else:
            self.emit({"kind": "late_error", "reason": "uncaught", "failure": failure})

    def pytest_runtest_logstart(self):
        self.bridge.test_ends = _clock() + self.limit_s - MARGIN_SECONDS
        self.bridge.codec.is_test = True
        self.note.clear()
        self.example = None

    def pytest_runtest_logfinish(self):
        kept = self.bridge.kept.take()
        if kept is not None and self.pending is not None:
            self.pending.decide("failed", "call", self.maker.failure(kept))
        self.bridge.test_ends = None
        self.bridge.codec.end_test()
        self.bridge.named.forget()

    def _alarm(self, signal, frame):
        # While a call is under way its own deadline ends it: a message that is read by half would be lost.
        if not self.bridge.waiting:
            super()._alarm(signal, frame)

    def pytest_runtest_logreport(self, report):
        if report.failed and self.example is None:
            self.example = self.note.counterexample()

    def _emit(self, record):
        if record["kind"] == "test" and record["outcome"] in ("failed", "error") and self.example is not None:
            record = {**record, "counterexample": self.example}
        self._write(record)
