"""Runs all that judging a suite needs in one room: the scan for the wall, the stubs, and the suite on them (decision 0014).

A clean parent imports pytest and our modules and nothing of suite, stubs or tree; each step runs in a child forked from it, which is
as good as a new process. Other conditions that only a new interpreter has (hash seed, locale) are another phase: the parent
becomes that interpreter. Between two steps all other processes are killed and every folder that may be written is emptied.
Whatever does not end as it should ends the room without a result: the host then gives each step a room of its own.

Standard input, JSON: {phases: [{env, steps}], tree, contentFile, sourceRoot, suiteFiles, wallMs, outputBytes, reportBytes}; a step is
{name, kind: "scan" | "stubs", stdin, env} or {name, kind: "run", stub, config}, with the configuration of pytest_runner.py.
Standard output of the room stays empty; /out/suite.json holds [{name, exitCode, ms, cpuMs, report, stdout, stderr}], texts in base64.
Start it as `python3 -s -P -B suite_room.py`, never outside a room.
"""

import base64
import functools
import io
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import suite_phases  # noqa: E402
import pytest_runner  # noqa: E402

RESULT = f"{suite_phases.OUT}/suite.json"


def main():
    if os.getppid() != 1 or os.getuid() == 0:
        sys.exit("Cannot judge a suite here: it must be the command of a room")
    resumed = len(sys.argv) > 1
    state = suite_phases.take(int(sys.argv[1])) if resumed else {"config": json.load(sys.stdin), "phase": 0, "done": [], "stubs": None}
    suite_phases.shut()
    pytest_runner.prepare_process(suite_phases.WORK)
    runner = pytest_runner.load()
    config = state["config"]
    for step in config["phases"][state["phase"]]["steps"]:
        lay(config, step, state["stubs"])
        ended = suite_phases.in_child(functools.partial(carry_out, runner, step), config)
        state["done"].append({"name": step["name"], **ended})
        if step["kind"] == "stubs":
            state["stubs"] = stubs_of(ended)
            if state["stubs"] is None:
                break
    else:
        state["phase"] += 1
        if state["phase"] < len(config["phases"]):
            suite_phases.become([sys.executable, *"-s -P -B".split(), __file__], config["phases"][state["phase"]]["env"], state)
    suite_phases.empty()
    with open(RESULT, "x", encoding="ascii") as target:
        json.dump(state["done"], target)
    os._exit(0)


def lay(config, step, stubs):
    """The tree as this step may see it."""
    hidden = set(config["suiteFiles"]) if step["kind"] == "stubs" else set()
    suite_phases.empty()
    suite_phases.copy(config["tree"], hidden)
    if step["kind"] == "stubs":
        suite_phases.write_packages(config["contentFile"], config["sourceRoot"])
    if step["kind"] == "run":
        suite_phases.write(config["contentFile"], stubs[step["stub"]])


def carry_out(runner, step, report):
    """One step, in a child."""
    if step["kind"] == "run":
        config = step["config"]
        nonce = config.pop("nonce")
        pytest_runner.run(runner, config, suite_phases.WORK, lambda version: runner.suite_report.report_on(report, nonce, "pytest", version))
    os.environ.update(step["env"])
    time.tzset()
    sys.stdin = io.StringIO(step["stdin"])
    if step["kind"] == "scan":
        import wall_scan as program
    else:
        import py_stubs as program
    program.main()
    sys.stdout.flush()
    os._exit(0)


def stubs_of(ended):
    """Sources by the kind of stub, from the last line that was printed; None where the declarations are refused."""
    try:
        answer = json.loads(base64.b64decode(ended["stdout"]).decode().rstrip().rsplit("\n", 1)[-1])
        return {kind: str(answer["files"][kind]) for kind in ("raise", "none", "wrong")} if answer["ok"] is True else None
    except (ValueError, KeyError, TypeError):
        return None


if __name__ == "__main__":
    main()
