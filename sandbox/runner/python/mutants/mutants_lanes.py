"""Copies of the tree in which mutants run side by side, and the child processes that run them (gate.md part 11)."""

import os
import select
import shutil
import signal

import suite_time

OUTCOMES = {b"k": "killed", b"s": "survived", b"r": "raised", b"t": "timed_out", b"u": "unreached"}


class Budget:
    """Processor time of all children, so that a busy machine leaves as many changes; and wall time, for suites that only wait."""

    def __init__(self, cpu_s, wall_s):
        self.cpu_s, self.ends = cpu_s, suite_time.now() + wall_s

    def is_over(self):
        used = os.times()
        return used.children_user + used.children_system >= self.cpu_s or suite_time.now() >= self.ends

    def wall_s(self):
        return max(0.0, self.ends - suite_time.now())


class Lane:
    """One copy of the tree; at most one child works in it."""

    def __init__(self, work_dir, folder):
        self.folder, self.pid, self.pipe, self.index, self.ends, self.restore = folder, None, None, None, 0.0, []
        shutil.copytree(work_dir, folder, symlinks=True)

    def start(self, index, change, limit_s, run):
        """Applies `change` ({file, text} or {files}, or None) and runs `run(folder, change, report)` in a child."""
        for part in () if change is None else change.get("files", [change]):
            path = os.path.join(self.folder, part["file"])
            with open(path, "rb") as source:
                self.restore.append((path, source.read()))
            with open(path, "w", encoding="utf-8", newline="") as target:
                target.write(part["text"])
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setsid()
            os.close(read_end)
            run(self.folder, change, lambda outcome: os.write(write_end, outcome))
            os._exit(0)
        os.close(write_end)
        self.pid, self.pipe, self.index = pid, read_end, index
        self.ends = suite_time.now() + limit_s

    def finish(self, is_late):
        """Outcome of the child, which is over or has had its time."""
        outcome = b"" if is_late else os.read(self.pipe, 1)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.pipe)
        for path, text in self.restore:
            with open(path, "wb") as target:
                target.write(text)
        self.pid, self.restore = None, []
        # A child that ends without a word was ended by the code under test.
        return "timed_out" if is_late else OUTCOMES.get(outcome, "raised")


def run_all(lanes, changes, limit_s, budget, run, tell):
    """Runs every change in a free lane; `tell(index, outcome)` as they end, by the change's `at` or its place. Those the time is too
    short for are not run, and those of an export of which another one was not green are spared."""
    waiting = [((change or {}).get("at", at), change) for at, change in enumerate(changes, start=1)]
    export_of = {index: change["of"] for index, change in waiting if change is not None}
    noticed = {None: False}

    def told(index, outcome):
        export = export_of.get(index)
        if outcome != "survived" and export is not None:
            noticed[export] = True
        tell(index, outcome)

    while waiting or any(lane.pid for lane in lanes):
        for lane in lanes:
            if lane.pid is None and waiting:
                index, change = waiting.pop(0)
                if noticed.get(export_of.get(index)):
                    tell(index, "spared")
                elif budget.is_over():
                    tell(index, "not_run")
                else:
                    lane.start(index, change, limit_s, run)
        busy = [lane for lane in lanes if lane.pid is not None]
        if not busy:
            continue
        left = min(lane.ends for lane in busy) - suite_time.now()
        ready = select.select([lane.pipe for lane in busy], [], [], max(0.0, left))[0]
        for lane in busy:
            is_late = lane.pipe not in ready and suite_time.now() >= lane.ends
            if is_late or lane.pipe in ready:
                told(lane.index, lane.finish(is_late))
