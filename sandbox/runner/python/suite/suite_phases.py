"""A room in which several steps run one after the other as if each had its own: children, folders, processes (decision 0014)."""

import base64
import ctypes
import json
import os
import shutil
import signal
import sys
import time

from suite_time import PATH, now

WORK, OUT = "/work", "/out"
# All that the room's user may write, with the rights that it has in a new room.
FOLDERS = {WORK: 0o755, OUT: 0o755, "/tmp": 0o1777, "/dev/shm": 0o1777}
_PR_SET_DUMPABLE = 4
_KILL_SECONDS = 5
_STILL = 0.002
# Told to nobody: the host sees a room without a result.
GIVEN_UP = 75


def give_up():
    os._exit(GIVEN_UP)


def shut():
    """Nobody of the same user may read or write this process from here on; a new program has to do it again."""
    _set_dumpable(0)


def _set_dumpable(value):
    if ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, value, 0, 0, 0) != 0:
        give_up()


def in_child(work, limits):
    """Runs `work(report descriptor)` in a child and gives how it ended, once nothing else of it lives."""
    files = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("report", "stdout", "stderr")]
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            work(_settle(files))
        except BaseException as error:  # noqa: BLE001 - the parent's code must never run twice
            sys.__stderr__.write(f"{type(error).__name__}: {error}\n")
            sys.__stderr__.flush()
        finally:
            os._exit(1)
    status, usage = _await(pid, files, limits, now() + limits["wallMs"] / 1000)
    ms = (time.monotonic() - began) * 1000
    _kill_others()
    if os.listdir(OUT):  # In a room of its own that is no report, or a second one.
        give_up()
    texts = [_text(file, limit) for file, limit in zip(files, _sizes(limits))]
    if status < 0:
        give_up()
    return {"exitCode": status, "ms": round(ms, 3), "cpuMs": round((usage.ru_utime + usage.ru_stime) * 1000, 3),
            **dict(zip(("report", "stdout", "stderr"), texts))}  # fmt: skip


def _settle(files):
    """The child's own descriptors and nothing else of the parent's."""
    os.setsid()
    _set_dumpable(1)
    report = os.dup(files[0])
    os.dup2(files[1], 1)
    os.dup2(files[2], 2)
    os.closerange(3, report)
    os.closerange(report + 1, 256)
    os.set_inheritable(report, False)
    return report


def _sizes(limits):
    return limits["reportBytes"], limits["outputBytes"], limits["outputBytes"]


def _await(pid, files, limits, deadline):
    pause = 0.0005
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found == pid:
            return os.waitstatus_to_exitcode(status), usage
        too_much = any(os.fstat(file).st_size > limit for file, limit in zip(files, _sizes(limits)))
        if too_much or now() > deadline:
            give_up()
        time.sleep(pause)
        pause = min(0.01, pause * 1.5)


def _text(file, limit):
    size = os.fstat(file).st_size
    if size > limit:
        give_up()
    data = os.pread(file, size, 0)
    os.close(file)
    return base64.b64encode(data).decode()


def _kill_others():
    """Ends every other process of this user; process 1 of the room, the keeper, is beyond its reach."""
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        except PermissionError:  # nothing is left but what belongs to others
            return
        time.sleep(_STILL)
    give_up()


def empty():
    """Empties every folder that may be written."""
    for folder, mode in FOLDERS.items():
        try:
            os.chmod(folder, mode)
        except PermissionError:  # not ours: nobody could change it either
            pass
        for entry in list(os.scandir(folder)):
            if entry.path == PATH:
                continue
            if entry.is_dir(follow_symlinks=False):
                _remove_folder(entry.path)
            else:
                os.unlink(entry.path)
    os.chdir(WORK)


def _remove_folder(path):
    # A folder may have been closed to its own owner.
    os.chmod(path, 0o700)
    for folder, names, _files in os.walk(path):
        for name in names:
            inner = os.path.join(folder, name)
            if not os.path.islink(inner):
                os.chmod(inner, 0o700)
    shutil.rmtree(path)


def copy(tree, hidden):
    """Copies `tree` into the work folder, without the files `hidden`, with the rights that a laid tree has."""
    for folder, names, files in os.walk(tree):
        below = os.path.relpath(folder, tree)
        for name in names:
            os.mkdir(os.path.join(WORK, below, name), 0o755)
        for name in files:
            path = os.path.normpath(os.path.join(below, name))
            if path not in hidden:
                source, target = os.path.join(folder, name), os.path.join(WORK, path)
                shutil.copyfile(source, target)
                os.chmod(target, 0o755 if os.stat(source).st_mode & 0o100 else 0o644)


def write(path, text):
    target = os.path.join(WORK, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def write_packages(path, source_root):
    """Empty `__init__.py` files of the packages around `path`, where there are none; the source root is no package."""
    parts = path.split("/")[:-1]
    for depth in range(len(parts)):
        init = "/".join([*parts[: depth + 1], "__init__.py"])
        if init not in (path, f"{source_root}/__init__.py") and not os.path.exists(os.path.join(WORK, init)):
            write(init, "")


def become(argv, env, state):
    """Goes on as a new interpreter with `state`."""
    empty()
    carried = os.memfd_create("state")
    os.set_inheritable(carried, True)
    data = json.dumps(state).encode()
    while data:
        data = data[os.write(carried, data):]
    user = {name: os.environ[name] for name in ("USER", "LOGNAME") if name in os.environ}
    os.execve(argv[0], [*argv, str(carried)], {**user, **env})


def take(carried):
    """What `become` handed over."""
    data = os.pread(carried, os.fstat(carried).st_size, 0)
    os.close(carried)
    return json.loads(data)
