"""Runs a pytest suite inside the sandbox and writes the report of schemas/runner-report.ts (gate.md parts 4 and 5).

Reads RunnerConfig as JSON on standard input before anything of the suite or the builder is loaded. An early exit of the
process leaves a report without an `end` line: the host judges that.
Start it as `python3 -s -P -B pytest_runner.py`.
"""

import functools
import gc
import importlib
import json
import os
import sys
import types

HERE = os.path.dirname(os.path.realpath(__file__))
# Plugins of pytest's own that no run is given.
OFF = ("cacheprovider", "junitxml", "pastebin", "doctest", "threadexception", "unraisableexception")
# pytest: ok, tests failed, nothing collected. Anything else is an interrupted session and has no end.
COMPLETE = (0, 1, 5)


def main():
    config = json.load(sys.stdin)
    nonce = config.pop("nonce")
    work_dir = os.path.realpath(config.get("workDir", "/work"))
    prepare_process(work_dir)
    ours = load()

    def open_report(version):
        return ours.suite_report.open_report(config["reportPath"], nonce, "pytest", version)

    if config.get("each") is not None:
        import suite_each

        suite_each.run_each(ours, config, work_dir, functools.partial(run, ours), open_report(ours.pytest.__version__))
        os._exit(0)
    run(ours, config, work_dir, open_report)


def load():
    """pytest and our modules, imported only when PYTEST_* variables are gone."""
    import suite_failures
    import suite_integrity
    import suite_plugin
    import suite_reach
    import suite_report
    import suite_through
    import suite_vary
    import suite_watch

    pytest = load_pytest()
    integrity = suite_integrity.Integrity()
    return types.SimpleNamespace(**locals())


def load_pytest():
    """pytest with the plugins that its every run loads: what is here when a process forks, no child loads again."""
    import pytest
    from _pytest.config import default_plugins

    for name in default_plugins:
        # Who blocks `cacheprovider` blocks `stepwise`.
        if name not in (*OFF, "stepwise"):
            importlib.import_module(f"_pytest.{name}")
    gc.freeze()
    return pytest


def run(ours, config, work_dir, open_report):
    """Runs the suite of `config` and ends the process; `open_report(version)` gives the functions that write its report."""
    suite_failures, pytest = ours.suite_failures, ours.pytest
    work_dir = ours.suite_vary.begin(config, work_dir)
    emit, finish = open_report(pytest.__version__)
    del open_report
    suite_files = set(config["testFiles"]) | set(config.get("suiteFiles", []))
    maker = suite_failures.FailureMaker(work_dir, suite_files, [AssertionError, pytest.fail.Exception])
    reach = None
    if config.get("stub") is not None:
        reach = ours.suite_reach.ReachRecorder(config.get("variant"), {os.path.join(work_dir, file) for file in suite_files})
        reach.install()
    if (config.get("variant") or {}).get("through"):
        config["testTimeoutMs"] = min(config["testTimeoutMs"], ours.suite_through.LIMIT_SECONDS * 1000)
        ours.suite_through.install(importlib.import_module("_pytest.assertion.rewrite"))
    plugin = ours.suite_plugin.ReportPlugin(config, emit, maker, reach)
    plugin.integrity = ours.integrity
    if not config["testFiles"]:
        emit({"kind": "collected", "ids": []})
        finish(0, 0)
        os._exit(5)
    if config.get("pure") is not None:
        from suite_pure import Purity

        Purity(work_dir, config["pure"], emit).start()
    if config.get("stub") is None:
        ours.suite_watch.Watch(work_dir, suite_files, plugin.fault).start()
    hide_runner(work_dir, config["testFiles"])
    status = int(pytest.main(arguments(work_dir, config["testFiles"]), plugins=[plugin]))
    plugin.flush()
    if status in COMPLETE and not plugin.interrupted:
        finish(plugin.collected, plugin.ran)
    else:
        emit({"kind": "late_error", "reason": "internal", "failure": suite_failures.plain_failure(
            "SessionEnded", f"pytest ended with status {status}")})
    os._exit(status or (1 if plugin.interrupted else 0))


def prepare_process(work_dir):
    """Closes standard input, removes what could steer pytest, and leaves our own folder importable for the imports of main.

    Until `hide_runner` no garbage is collected: loading makes none, and looking for it takes a sixth of the time.
    """
    gc.disable()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for name in [name for name in os.environ if name.startswith("PYTEST_") or name == "PYTHONPATH"]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    sys.argv = ["pytest"]
    os.chdir(work_dir)
    sys.path[:] = [HERE] + [entry for entry in sys.path if entry not in ("", HERE)]


def hide_runner(work_dir, test_files):
    """From here on the suite's imports start at the project's own folders and end beside its test files, and our modules cannot
    be imported by name."""
    from suite_places import places

    beside = sorted({os.path.dirname(os.path.join(work_dir, file)) for file in test_files} - {work_dir})
    sys.path[:] = places(work_dir) + [entry for entry in sys.path if entry != HERE] + beside
    forget_ours()
    gc.freeze()
    gc.enable()


def forget_ours():
    """Our modules stay alive where they are used, and nobody finds them by name."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and os.path.dirname(getattr(module, "__file__", None) or "") == HERE:
            del sys.modules[name]


def arguments(work_dir, test_files):
    return [
        "-c",
        os.path.join(HERE, "suite_pytest.ini"),
        f"--rootdir={work_dir}",
        f"--confcutdir={work_dir}",
        "--import-mode=importlib",
        "--continue-on-collection-errors",
        *[part for name in OFF for part in ("-p", f"no:{name}")],
        *["-q", "--tb=no", "--no-header", "--no-summary", "-rN", "--color=no"],
        "--",
        *[os.path.join(work_dir, file) for file in test_files],
    ]


if __name__ == "__main__":
    main()
