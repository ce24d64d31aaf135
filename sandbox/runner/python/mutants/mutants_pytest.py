"""Runs a pytest suite against small changes of the code, many in one room (gate.md part 11).

Reads {nonce, reportPath, testFiles, suiteFiles, testTimeoutMs, mutants: [{file, text, of}], watched: [{file, text}], cpuMs, wallMs, lanes, workDir} as JSON on
standard input and writes lines of schemas/mutation.ts. Index 0 is the code unchanged: unless it is green nothing else runs.
Only a failed assertion of the suite kills. Start it as `python3 -s -P -B mutants_pytest.py`.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

from pytest_runner import COMPLETE, arguments, hide_runner, load_pytest, prepare_process  # noqa: E402
from suite_time import now  # noqa: E402

# A change may make the suite this much slower than it was, and never less than a second.
SLOWER = 4
SHORTEST_SECONDS = 1.0


def main():
    config = json.load(sys.stdin)
    nonce = config.pop("nonce")
    work_dir = os.path.realpath(config.get("workDir", "/work"))
    prepare_process(work_dir)
    import suite_failures
    import mutants_answers
    import mutants_lanes
    import suite_plugin

    pytest = load_pytest()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    report = os.open(config["reportPath"], flags, 0o600)

    def write(line):
        os.write(report, (json.dumps(line) + "\n").encode())

    def tell(index, outcome):
        write({"kind": "mutant", "index": index, "outcome": outcome})

    def run(folder, change, say):
        os.close(report)
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (1, 2):
            os.dup2(null, fd)
        suite_files = set(config["testFiles"]) | set(config.get("suiteFiles", []))
        maker = suite_failures.FailureMaker(folder, suite_files, [AssertionError, pytest.fail.Exception])
        of = None if change is None else change["of"]
        answers = None
        if change is not None and "record" in change:
            answers = mutants_answers.install(mutants_answers.Recorded(change["record"]))
        elif change is not None and "kept" in change:
            mutants_answers.install(mutants_answers.Given(of, change["kept"]))
        watch = Watch(say, of is not None)
        settings = {"mode": "run", "stub": None, "testTimeoutMs": config["testTimeoutMs"]}
        plugin = suite_plugin.ReportPlugin(settings, watch.take, maker, None)
        hide_runner(folder, config["testFiles"])
        status = int(pytest.main(arguments(folder, config["testFiles"]), plugins=[plugin]))
        plugin.flush()
        if answers is not None:
            answers.write()
        watch.end(status in COMPLETE and not plugin.interrupted)

    write({"kind": "start", "nonce": nonce})
    lanes = [mutants_lanes.Lane(work_dir, f"/tmp/a7-lane-{number}") for number in range(config["lanes"])]
    budget = mutants_lanes.Budget(config["cpuMs"] / 1000, config["wallMs"] / 1000)
    started = now()
    first = {}
    mutants_lanes.run_all(lanes[:1], [None], budget.wall_s(), budget, run, lambda _i, outcome: first.update(is_=outcome))
    tell(0, first["is_"])
    if first["is_"] == "survived":
        limit_s = max(SHORTEST_SECONDS, SLOWER * (now() - started))
        changes = [{**change, "at": at} for at, change in enumerate(config["mutants"], start=1)]
        mutants_lanes.run_all(lanes, [change for change in changes if change["of"] is not None], limit_s, budget, run, tell)
        try_answers(lanes, config["watched"], limit_s, budget, run, write)
        mutants_lanes.run_all(lanes, [change for change in changes if change["of"] is None], limit_s, budget, run, tell)
    write({"kind": "end", "nonce": nonce})
    os._exit(0)


def try_answers(lanes, watched, limit_s, budget, run, write):
    """Each export with the only answer that the suite got from it. One that always raised the same does so in the unchanged code."""
    from mutants_lanes import run_all

    record = f"{lanes[0].folder}-answers.json"
    ended = []
    recording = [{"files": watched, "of": None, "record": record}] if watched else []
    run_all(lanes[:1], recording, limit_s, budget, run, lambda _at, outcome: ended.append(outcome))
    if ended != ["survived"]:
        return
    with open(record, encoding="utf-8") as source:
        told = json.load(source)
    for name in [name for name, kept in told.items() if kept is None]:
        write({"kind": "answer", "exportName": name, "outcome": "survived"})
    changes = [{"files": watched, "of": name, "kept": kept} for name, kept in told.items() if kept is not None]

    def tell(at, outcome):
        write({"kind": "answer", "exportName": changes[at - 1]["of"], "outcome": outcome})

    run_all(lanes, changes, limit_s, budget, run, tell)


class Watch:
    """Reads a child's report lines as they come; the first failed assertion of the suite ends it."""

    def __init__(self, say, is_marked):
        self.say, self.is_marked, self.is_red, self.is_late = say, is_marked, False, False

    def take(self, line):
        failure = line.get("failure")
        if failure is None and line.get("outcome", "passed") == "passed":
            return
        if failure is not None and failure["assertion"] and line["kind"] == "test":
            self.say(b"k")
            os._exit(0)
        if failure is not None and failure["exceptionType"] == "A7TestTimeout":
            self.is_late = True
        elif line["kind"] in ("test", "late_error", "collect_error"):
            self.is_red = True

    def has_run(self):
        """A hard-coded export tells that it ran; other changes do not."""
        return not self.is_marked or "a7_ran" in sys.modules

    def end(self, is_complete):
        if not is_complete:
            self.say(b"r")
        else:
            self.say(b"r" if self.is_red else b"t" if self.is_late else b"s" if self.has_run() else b"u")


if __name__ == "__main__":
    main()
