"""The pytest plugin that writes the report: ids of our own, each outcome with its phase, nothing taken from JUnit or nodeids."""

import os
import signal
import threading
import time

import pytest

from suite_collect import Collecting, identity_key
from suite_conftest import guard_plugins
from suite_failures import plain_failure
from suite_items import is_async_test
from suite_record import Pending, decide
from suite_report import text
from suite_time import now

# An ended timer fires again and again: code that swallows the first alarm meets the next.
TIMER_REPEAT_SECONDS = 0.2


class A7TestTimeout(BaseException):
    """A test ran longer than its limit."""


class ReportPlugin(Collecting):
    """Hooks of one session. `emit` writes a line, `maker` builds failures, `reach` records exports (None off stubs)."""

    def __init__(self, config, emit, maker, reach):
        self.emit, self.maker, self.reach = emit, maker, reach
        self.collect_only, self.reversed = config["mode"] == "collect", config.get("reversed", False)
        self.last = frozenset(identity_key(identity) for identity in config.get("last", ()))
        self.only = identity_key(config.get("only"))
        self.is_stub = config.get("stub") is not None
        self.tests_max = config.get("testsMax")
        self.limit_s = config["testTimeoutMs"] / 1000
        self.work_dir = maker.root
        self.suite_dirs = {os.path.dirname(os.path.join(maker.root, f)) for f in maker.suite_files}
        self.ids, self.collected, self.ran = {}, 0, 0
        self.skipped_modules = {}
        self.integrity, self.faults = None, set()
        self.pending, self.in_phase, self.interrupted = None, False, False
        self._clock, self._now, self.late_at = time.perf_counter, now, 0.0

    # -- start-up ---------------------------------------------------------------------------------------------------

    def pytest_addoption(self, pluginmanager):
        # Called when this plugin is registered, before any conftest is looked for.
        guard_plugins(pluginmanager, self.suite_dirs, self.refuse_file)

    def pytest_configure(self):
        threading.excepthook = self._thread_error
        signal.signal(signal.SIGALRM, self._alarm)

    def refuse(self, message, frames=()):
        self.emit({"kind": "late_error", "reason": "refused", "failure": plain_failure("Refused", message, frames)})

    def fault(self, message):
        """What the code was seen to do makes the running test red, whatever it says itself; a failure of its own tells more."""
        failure = plain_failure("Fault", message)
        if self.pending is not None:
            self.pending.fault = failure
        elif message not in self.faults:
            self.faults.add(message)
            self.emit({"kind": "late_error", "reason": "uncaught", "failure": failure})

    def refuse_file(self, message, path):
        file = self.maker.relative(path) or "conftest.py"
        self.refuse(f"{file} {message}", [{"file": file, "line": 0}])

    # -- running ----------------------------------------------------------------------------------------------------

    def pytest_runtestloop(self, session):
        return True if self.collect_only else None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.flush()
        self.pending = Pending(self.ids.get(item), self._clock())
        self.in_phase = False
        if self.reach is not None:
            self.reach.begin(self.pending.reached, getattr(getattr(item, "callspec", None), "params", {}).values())
        self._arm()
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.pending.duration_s = self._clock() - self.pending.started
        if self.reach is not None:
            self.pending.calls = self.reach.finish()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self):
        self.in_phase = True
        yield
        self.in_phase = False

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item):
        self.in_phase = True
        yield
        self.in_phase = False
        if self.integrity is not None:
            self.integrity.look_at(item)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item):
        self.in_phase = True
        yield
        self.in_phase = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        if is_async_test(pyfuncitem):
            pytest.fail("an async or generator test is not run", pytrace=False)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        raised = call.excinfo
        outcome = yield
        report = outcome.get_result()
        raised = call.excinfo or raised
        error = raised.value if raised is not None else None
        decided = self.decide(report, error)
        if decided is None and error is not None:
            # Somebody's hook called it passed: what was raised stands.
            decided = "failed" if report.when == "call" else "error"
        if decided is not None and self.pending is not None:
            failure = None
            if decided in ("failed", "error"):
                failure = self.maker.failure(error) if error is not None else plain_failure("Failed", report.longrepr)
            self.pending.decide(decided, report.when, failure)

    def decide(self, report, _error):
        return decide(report)

    def pytest_warning_recorded(self, warning_message, when):
        if when == "runtest" and issubclass(warning_message.category, RuntimeWarning) and self.pending is not None:
            if "was never awaited" in text(warning_message.message):
                self.pending.unawaited = text(warning_message.message)

    def flush(self):
        """Writes the line of the last test. Later than its end, because warnings of a test arrive after it."""
        pending, self.pending = self.pending, None
        if pending is None or pending.identity is None:
            return
        self.ran += 1
        if pending.fault is not None:
            pending.decide("failed", "call", pending.fault)
        if pending.unawaited is not None and self.is_stub and pending.outcome == "passed":
            self.refuse(
                f"Test '{pending.identity['name']}' in {pending.identity['file']} passed without awaiting: {pending.unawaited}",
                [{"file": pending.identity["file"], "line": 0}],
            )
        self.emit(pending.line())

    def pytest_runtest_logfinish(self):
        changed = self.integrity.changed() if self.integrity is not None else None
        if changed is None:
            return
        self.integrity = None
        text_of = f"The function '{changed}' was replaced; a test may not change how tests run"
        if self.is_stub:
            self.refuse(text_of)
        else:
            self.emit({"kind": "late_error", "reason": "internal", "failure": plain_failure("Replaced", text_of)})

    # -- what comes from outside a phase ----------------------------------------------------------------------------

    def pytest_keyboard_interrupt(self):
        # Also pytest.exit(), whatever status it asks for.
        self.interrupted = True

    def _arm(self):
        self.late_at = self._now() + self.limit_s
        signal.setitimer(signal.ITIMER_REAL, self.limit_s, TIMER_REPEAT_SECONDS)

    def _alarm(self, _signal, _frame):
        if self.in_phase and self._now() >= self.late_at:
            raise A7TestTimeout(f"the test ran longer than {self.limit_s:g} s")

    def _thread_error(self, args):
        if args.exc_type is SystemExit or args.exc_value is None:
            return
        failure = self.maker.failure(args.exc_value, args.exc_traceback)
        if self.pending is not None:
            self.pending.decide("failed", "call", failure)
        else:
            self.emit({"kind": "late_error", "reason": "uncaught", "failure": failure})
