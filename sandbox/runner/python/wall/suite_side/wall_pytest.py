"""Runs a pytest suite against code in another process and writes the report of schemas/runner-report.ts (gate.md parts 10 and 11).

The trusted side: it sees the suite and never the builder's files. Reads RunnerConfig with `wall` as JSON on standard input;
descriptors 3 and 4 lead to wall_builder.py.
Start it as `python3 -s -P -B wall_pytest.py`.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

from pytest_runner import COMPLETE, arguments, hide_runner, load_pytest, prepare_process  # noqa: E402


def main():
    config = json.load(sys.stdin)
    nonce = config.pop("nonce")
    work_dir = os.path.realpath(config.get("workDir", "/work"))
    prepare_process(work_dir)
    import suite_failures
    import suite_report
    import suite_vary
    import wall_failures
    import wall_open
    import wall_plugin
    import wall_world

    pytest = load_pytest()
    work_dir = suite_vary.begin(config, work_dir)
    emit, finish = suite_report.open_report(config["reportPath"], nonce, "pytest", pytest.__version__)
    del nonce
    for fd in (wall_open.READ_FD, wall_open.WRITE_FD):
        os.set_inheritable(fd, False)
    suite_files = set(config["testFiles"]) | set(config.get("suiteFiles", []))
    maker = wall_failures.WallFailures(work_dir, suite_files, [AssertionError, pytest.fail.Exception])
    files = [os.path.join(work_dir, file) for file in sorted(suite_files)]
    told = {"topics": wall_world.topics_of(files), "words": wall_world.Words(files)}
    bridge = wall_open.open_wall({**config["wall"], **told})
    plugin = wall_plugin.WallPlugin(config, emit, maker, bridge, bridge.calls)
    hide_runner(work_dir, config["testFiles"])
    status = int(pytest.main([*shared_folder(bridge.world), *arguments(work_dir, config["testFiles"])], plugins=[plugin]))
    plugin.flush()
    if status in COMPLETE and not plugin.interrupted:
        finish(plugin.collected, plugin.ran)
    else:
        failure = suite_failures.plain_failure("SessionEnded", f"pytest ended with status {status}")
        emit({"kind": "late_error", "reason": "internal", "failure": failure})
    os._exit(status or (1 if plugin.interrupted else 0))


def shared_folder(world):
    """Has pytest's own folders lie in the one that both sides have; their names tell nothing of the tests (gate.md part 6)."""
    if world is None or world.folder is None:
        return []
    sys.modules["_pytest.tmpdir"]._mk_tmp = lambda request, factory: factory.mktemp("t", numbered=True)
    return [f"--basetemp={world.folder.path}/p", "-o", "tmp_path_retention_policy=failed"]


if __name__ == "__main__":
    main()
