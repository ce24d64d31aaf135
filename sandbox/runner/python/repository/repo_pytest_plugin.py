"""The report plugin for a repository's own suite: nothing of the project is refused, what is deselected is told."""

import warnings

import pytest

from suite_plugin import ReportPlugin
from suite_record import test_line


class RepositoryPlugin(ReportPlugin):
    """Ids and outcomes as in ReportPlugin; conftest files and plugins are the project's business."""

    def __init__(self, config, emit, maker, reach):
        super().__init__(config, emit, maker, reach)
        self.deselected = []

    def pytest_addoption(self, pluginmanager):
        pass

    def pytest_configure(self):
        super().pytest_configure()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        collected = super().pytest_make_collect_report(collector)
        if not isinstance(collector, pytest.Class) or self._asks_for_errors(collector.config):
            yield from collected
            return
        # Of a class that cannot hold tests pytest warns. A module that makes errors of all warnings, as tests of another runner
        # do, does not mean that one; a project that says so to pytest does.
        with warnings.catch_warnings():
            warnings.filterwarnings("default", category=pytest.PytestCollectionWarning)
            yield from collected

    def _asks_for_errors(self, config):
        asked = [*config.getini("filterwarnings"), *(config.getoption("pythonwarnings", None) or ())]
        return any(str(line).split(":")[0].strip() == "error" for line in asked)

    def decide(self, report, error):
        # A test that passes although it need not is green for its project, unless it says `strict`.
        if getattr(report, "wasxfail", None) is not None and report.passed and error is None:
            return None
        return super().decide(report, error)

    def pytest_deselected(self, items):
        self.deselected.extend(items)

    def pytest_collection_finish(self, session):
        kept = session.items
        try:
            session.items = [*kept, *self.deselected]
            super().pytest_collection_finish(session)
        finally:
            session.items = kept
        for item in self.deselected:
            identity = self.ids.get(item)
            if identity is not None:
                self.ran += 1
                self.emit(test_line(identity, "skipped", "setup", None, [], 0.0))

    def _refuse_async(self, item):
        pass

    def pytest_pyfunc_call(self, pyfuncitem):
        return None
