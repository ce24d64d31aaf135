"""The record of one pytest test: what decided its outcome, and its line in the report."""

from suite_report import text


class Pending:
    """The running test until its line is written."""

    def __init__(self, identity, started):
        self.identity, self.started = identity, started
        self.outcome, self.phase, self.failure = "passed", "call", None
        self.calls = None
        self.reached, self.unawaited, self.fault, self.duration_s = {}, None, None, 0.0

    def decide(self, outcome, phase, failure):
        # The first thing that was not a pass decides; only a later error outweighs a skip or an expected failure.
        if self.outcome == "passed" or (failure is not None and self.failure is None):
            self.outcome, self.phase, self.failure = outcome, phase, failure

    def line(self):
        line = test_line(self.identity, self.outcome, self.phase, self.failure, list(self.reached), self.duration_s)
        return line if self.calls is None else {**line, "calls": self.calls}


def test_line(identity, outcome, phase, failure, reached, duration_s):
    return {
        "kind": "test",
        "id": identity,
        "outcome": outcome,
        "phase": phase,
        "failure": failure,
        "reached": [text(name, 300) for name in reached],
        "durationMs": round(max(0.0, duration_s) * 1000, 3),
    }


def decide(report):
    """Outcome that this phase adds, or None for a plain pass."""
    if getattr(report, "wasxfail", None) is not None:
        return "xfailed" if report.skipped else "xpassed"
    if report.failed and isinstance(report.longrepr, str) and report.longrepr.startswith("[XPASS(strict)]"):
        return "xpassed"
    if report.skipped:
        return "skipped"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return None
