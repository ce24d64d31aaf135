"""Asks tests one by one, each in a process that runs no other one: what a failed test leaves, no other test finds (decision 0103).

The parent loads nothing of suite or code, and carries over what a child says of its one test. A child that ends early, or not at all, says
nothing, and its test is not among those that passed.
"""

import json
import os
import signal
import time

from suite_collect import identity_key
from suite_time import now

# On top of a test's own limit: to load suite and code.
START_SECONDS = 10
_STILL = 0.005


def run_each(ours, config, work_dir, run, report):
    """`run(config, work_dir, open_report)` runs a suite and ends the process; `report` is (emit, finish) of this one."""
    emit, finish = report
    ids = config.pop("each")
    work_dir = ours.suite_vary.begin(config, work_dir)
    config.pop("moveTo", None)
    limit = config["testTimeoutMs"] / 1000 + START_SECONDS
    lines = []
    for identity in ids:
        alone = {**config, "only": identity, "testFiles": [identity["file"]]}
        told = in_child(lambda fd, alone=alone: run(alone, work_dir, lambda version: ours.suite_report.report_on(fd, "0", "pytest", version)), limit)
        lines += [line for line in told if line.get("kind") == "test" and identity_key(line["id"]) == identity_key(identity)][:1]
    emit({"kind": "collected", "ids": ids})
    for line in lines:
        emit(line)
    finish(len(ids), len(lines))


def in_child(work, limit):
    """What `work(report descriptor)` has told in a process of its own that came to its end."""
    file = os.memfd_create("report", os.MFD_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            work(file)
        finally:
            os._exit(1)
    deadline = now() + limit
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if now() > deadline:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(_STILL)
    data = os.pread(file, os.fstat(file).st_size, 0)
    os.close(file)
    return read(data)


def read(data):
    """Lines of a report with an end; none where it is broken."""
    try:
        lines = [json.loads(line) for line in data.decode("ascii").splitlines()]
        is_whole = all(type(line) is dict for line in lines) and lines[-1].get("kind") == "end"
        is_clean = not any(line.get("kind") in ("late_error", "collect_error") for line in lines)
        return lines if is_whole and is_clean else []
    except (ValueError, IndexError):
        return []
