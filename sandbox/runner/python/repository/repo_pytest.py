"""Runs a repository's own pytest suite, with its own configuration, and writes the report of schemas/runner-report.ts.

Reads {nonce, reportPath, testTimeoutMs, args, paths} as JSON on standard input. Unlike pytest_runner.py, which judges a locked
suite by our rules, it takes the project's settings, conftest files and plugins as they are; what these deselect is told as
skipped, so that nothing is left out in silence. Start it as `python3 -s -P -B repo_pytest.py`.
"""

import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# pytest: ok, tests failed, nothing collected. Anything else is an interrupted session and has no end.
COMPLETE = (0, 1, 5)


def main():
    config = json.load(sys.stdin)
    nonce = config.pop("nonce")
    work_dir = os.path.realpath(os.getcwd())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.dont_write_bytecode = True
    sys.argv = ["pytest"]
    sys.path[:] = [HERE] + [entry for entry in sys.path if entry not in ("", HERE)]
    import repo_project

    repo_project.lay_metadata(work_dir)
    import pytest

    import suite_failures
    import suite_report
    from repo_loaded import LoadedModules
    from repo_pytest_plugin import RepositoryPlugin

    emit, finish = suite_report.open_report(config["reportPath"], nonce, "pytest", pytest.__version__)
    del nonce
    maker = suite_failures.FailureMaker(work_dir, set(), [AssertionError, pytest.fail.Exception])
    loaded = LoadedModules(work_dir)
    plugin = RepositoryPlugin({**config, "mode": "run"}, emit, maker, None)
    sys.path[:] = [work_dir] + [entry for entry in sys.path if entry != HERE]
    for name, module in list(sys.modules.items()):
        if name != "__main__" and os.path.dirname(getattr(module, "__file__", None) or "") == HERE:
            del sys.modules[name]
    status = int(pytest.main(arguments(work_dir, config["args"], config["paths"]), plugins=[plugin]))
    plugin.flush()
    sys.stdout.flush()
    loaded.emit_all(emit)
    if status in COMPLETE and not plugin.interrupted:
        finish(plugin.collected, plugin.ran)
    else:
        emit({"kind": "late_error", "reason": "internal", "failure": suite_failures.plain_failure(
            "SessionEnded", f"pytest ended with status {status}")})
    os._exit(status or (1 if plugin.interrupted else 0))


def arguments(work_dir, args, paths):
    return [
        f"--rootdir={work_dir}",
        # A file that cannot be loaded fails by itself, and does not take the others' verdict along.
        *["-p", "no:cacheprovider", "--tb=short", "--color=no", "--continue-on-collection-errors"],
        *args,
        *(["-n0"] if importlib.util.find_spec("xdist") else []),
        "--",
        *paths,
    ]


if __name__ == "__main__":
    main()
