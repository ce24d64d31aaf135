"""What the plugin does while a suite is collected: ids of our own, in the order of the files, and what cannot be collected."""

import signal

import pytest

from suite_failures import plain_failure
from suite_items import is_async_test, too_many
from suite_record import test_line
from suite_report import MAX_NAME, MAX_PATH, text

MAX_IDS = 20_000


def identity_key(identity):
    return None if identity is None else (identity["file"], tuple(identity["nesting"]), identity["name"], identity["ordinal"])


class Collecting:
    """Hooks of the plugin (suite_plugin.py), which holds their state."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        self.in_phase = True
        self._arm()
        outcome = yield
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.in_phase = False
        report = outcome.get_result()
        file = self._file(collector)
        if report.skipped:
            self._module_skipped(file)
        elif report.failed:
            self.emit({"kind": "collect_error", "file": file, "failure": self._collect_failure(report)})

    def _collect_failure(self, report):
        call = getattr(report, "call", None)
        error = call.excinfo.value if call is not None and call.excinfo is not None else None
        if error is None:
            return plain_failure("CollectError", report.longrepr)
        if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
            error = error.__cause__
        return self.maker.failure(error)

    def _module_skipped(self, file):
        # A file that is collected twice, for its tests and for its docstrings, is skipped twice.
        ordinal = self.skipped_modules.get(file, 0)
        self.skipped_modules[file] = ordinal + 1
        identity = {"file": file, "nesting": [], "name": "<module>", "ordinal": ordinal}
        self.emit(test_line(identity, "skipped", "setup", None, [], 0.0))

    def pytest_collection_finish(self, session):
        refused = too_many(session.items, self.tests_max)
        if refused is not None:
            self.emit({"kind": "late_error", "reason": "refused", "failure": refused})
            session.items.clear()
        seen = {}
        for item in session.items[:MAX_IDS]:
            key = self._key(item)
            ordinal = seen.get(key, 0)
            seen[key] = ordinal + 1
            self.ids[item] = {"file": key[0], "nesting": list(key[1]), "name": key[2], "ordinal": ordinal}
        self.collected = len(self.ids)
        if self.integrity is not None:
            self.integrity.add_suite(session.items, self.suite_dirs)
        self.emit({"kind": "collected", "ids": list(self.ids.values())})
        for item in self.ids:
            self._refuse_async(item)
        if self.reversed:  # only now: ordinals are counted in the order of the files
            session.items.reverse()
        if self.last:  # what a builder is never told of: no answer before it can know of its calls
            session.items.sort(key=lambda item: identity_key(self.ids.get(item)) in self.last)
        if self.only is not None:
            session.items[:] = [item for item in session.items if identity_key(self.ids.get(item)) == self.only]
        if self.reach is not None:
            self.reach.is_loading = False

    def _key(self, item):
        nesting = tuple(text(node.name, MAX_PATH) for node in item.listchain() if isinstance(node, pytest.Class))
        name = getattr(item, "originalname", None) or item.name
        return self._file(item), nesting, text(name, MAX_NAME)

    def _file(self, node):
        # A repository's own pytest may be older than 7.
        path = str(getattr(node, "path", None) or node.fspath)
        return self.maker.relative(path) or text(path, MAX_PATH)

    def _refuse_async(self, item):
        if is_async_test(item):
            identity = self.ids[item]
            line = item.reportinfo()[1] or 0
            self.refuse(
                f"Test '{identity['name']}' in {identity['file']} is 'async def' or a generator and would not be run; "
                "write a plain function that calls asyncio.run()",
                [{"file": identity["file"], "line": line + 1}],
            )
