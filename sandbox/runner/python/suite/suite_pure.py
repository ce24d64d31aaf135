"""What code of a pure stage asks of the world, seen where it asks: files, network, processes, clock, chance, output (design part 8).

Nothing is forbidden here: the call goes on, and the verdict names the line. Python's audit hook tells of most, and no code can take it
away; functions of which it does not tell are replaced. What counts is who asks: the nearest file of the project on the stack.
"""

import _thread
import builtins
import os
import random
import sys
import threading
import time
import uuid
from functools import partial

MAX_TOLD = 50
MAX_STEPS = 80
MAX_NAME = 100
_IMPORTS = "<frozen importlib"
_HERE = os.path.dirname(os.path.realpath(__file__)) + os.sep
_CODE = (".py", ".pyc", ".so")
# Functions of `posix` that only look at the place that comes first.
_LOOKS = frozenset(("stat", "lstat", "listdir", "scandir", "access", "readlink"))
# By the first words of an audit event; what stands first counts.
_EVENTS = (
    ("open", "file"), ("os.system", "process"), ("os.exec", "process"), ("os.fork", "process"), ("os.posix_spawn", "process"),
    ("os.spawn", "process"), ("os.kill", "process"), ("os.putenv", "process"), ("os.unsetenv", "process"), ("os.", "file"),
    ("shutil.", "file"), ("tempfile.", "file"), ("glob.", "file"), ("pathlib.", "file"), ("mmap.", "file"), ("fcntl.", "file"),
    ("sqlite3.connect", "file"), ("socket.", "network"), ("urllib.", "network"), ("http.", "network"), ("ftplib.", "network"),
    ("smtplib.", "network"), ("poplib.", "network"), ("imaplib.", "network"), ("subprocess.", "process"), ("pty.", "process"),
    ("signal.", "process"), ("resource.", "process"), ("ctypes.", "process"),
    ("builtins.input", "output"),
)
# Functions of `posix` that only compute.
_COMPUTING = frozenset((
    "fspath strerror major minor makedev WCOREDUMP WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WSTOPSIG WTERMSIG "
    "waitstatus_to_exitcode register_at_fork _path_normpath device_encoding").split())
_PROCESS = frozenset((
    "fork forkpty execv execve system posix_spawn posix_spawnp kill killpg wait wait3 wait4 waitid waitpid getpid getppid getuid geteuid "
    "getgid getegid getgroups getlogin getpgid getpgrp getsid uname times cpu_count sched_getaffinity getloadavg sysconf abort _exit "
    "nice putenv unsetenv pidfd_open").split())
_CHANCE = frozenset(("urandom", "getrandom"))
_CLOCK = (
    "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time thread_time_ns "
    "clock_gettime clock_gettime_ns").split()
# These ask the clock only where they are given no time; by how many arguments come before it.
_DATED = {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}
# The functions of `random` that share one generator, whoever seeds it.
_SHARED = (
    "seed random uniform triangular randint choice randrange sample shuffle choices normalvariate lognormvariate expovariate "
    "vonmisesvariate gammavariate gauss betavariate paretovariate weibullvariate getrandbits randbytes setstate").split()


def _always(_args, _kwargs):
    return True


class Purity:
    """`own`: the builder's files, relative to `work_dir`. `tell(record)` is called once for each line that asks for a thing."""

    def __init__(self, work_dir, own, tell):
        self.root = os.path.realpath(work_dir) + os.sep
        self.own = {os.path.join(self.root, file): file for file in own}
        self.tell, self.told, self.busy = tell, set(), threading.local()
        self.libraries = (os.path.realpath(os.path.dirname(os.__file__)) + os.sep, sys.prefix + os.sep + "lib", "/usr/share/zoneinfo/")

    def start(self):
        self._replace_time()
        self._replace_chance()
        self._replace_output()
        self._replace_system()
        sys.addaudithook(self._audit)

    # -- who asks -------------------------------------------------------------------------------------------------------

    def ask(self, kind, name, args=()):
        """Notes that `name` was called, if the nearest file of the project on the stack is one of the builder's."""
        if getattr(self.busy, "on", False) or len(self.told) >= MAX_TOLD:
            return
        self.busy.on = True
        try:
            found = self._asker(sys._getframe(2), name != "open" or _is_code(args))
            if found is not None and found["place"] not in self.told:
                self.told.add(found["place"])
                file, line = found["place"]
                self.tell({"kind": "impure", "what": kind, "name": name, "by": found["by"], "file": file, "line": line})
        finally:
            self.busy.on = False

    def _asker(self, frame, may_import):
        """Where the builder's code stands, and which function of a library it called there. What an import does by itself is not asked for."""
        by = None
        for _step in range(MAX_STEPS):
            if frame is None:
                return None
            code = frame.f_code
            file = code.co_filename
            if file.startswith(_HERE) and file != __file__ or may_import and file.startswith(_IMPORTS):
                return None
            if file.startswith(self.root):
                return {"place": (self.own[file], frame.f_lineno), "by": by} if file in self.own else None
            if file != __file__:
                by = code.co_qualname[:MAX_NAME]
            frame = frame.f_back
        return None

    def _audit(self, event, args):
        if getattr(self.busy, "on", False):
            return
        for start, kind in _EVENTS:
            if event.startswith(start):
                is_read = event == "open" and not _flags(args) & (os.O_WRONLY | os.O_RDWR)
                if not (is_read and self._is_library(args)):
                    self.ask(kind, event, args)
                return

    def _is_library(self, args):
        """Whether the place is a part of the language: its own library, its table of time zones."""
        path = args[0] if args else None
        return isinstance(path, (str, bytes)) and os.path.normpath(os.fsdecode(path)).startswith(self.libraries)

    # -- what no audit event tells --------------------------------------------------------------------------------------

    def _told(self, kind, name, real, asks=_always):
        """Called like the builtin that it stands for; a `partial` does not bind as a method either."""

        def call(real, /, *args, **kwargs):
            if asks(args, kwargs):
                self.ask(kind, name)
            return real(*args, **kwargs)

        return partial(call, real)

    def _replace_time(self):
        import datetime
        import gc

        for name in (*_CLOCK, "sleep"):
            setattr(time, name, self._told("clock", f"time.{name}", getattr(time, name)))
        for name, before in _DATED.items():
            asks = lambda args, _kwargs, before=before: all(arg is None for arg in args[before:])  # noqa: E731
            setattr(time, name, self._told("clock", f"time.{name}", getattr(time, name), asks))
        for cls, names in ((datetime.datetime, ("now", "utcnow")), (datetime.date, ("today",))):
            methods = gc.get_referents(cls.__dict__)[0]
            for name in names:
                methods[name] = classmethod(self._dated(f"{cls.__name__}.{name}", methods[name]))
            _type_modified(cls)

    def _dated(self, name, real):
        def call(cls, *args, **kwargs):
            self.ask("clock", name)
            return real.__get__(None, cls)(*args, **kwargs)

        return call

    def _replace_chance(self):
        for name in _SHARED:
            setattr(random, name, self._told("randomness", f"random.{name}", getattr(random, name)))
        seed = random.Random.seed

        def seeded(generator, a=None, version=2):
            if a is None:
                self.ask("randomness", "random.Random without a seed")
            return seed(generator, a, version)

        random.Random.seed = seeded
        uuid.uuid1 = self._told("randomness", "uuid.uuid1", uuid.uuid1)

    def _replace_output(self):
        import _pytest.capture as capture

        def is_shown(_args, kwargs):
            file = kwargs.get("file")
            return file is None or any(file is shown for shown in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))

        builtins.print = self._told("output", "print", builtins.print, is_shown)
        for cls in (capture.EncodedFile, capture.CaptureIO):
            cls.write = self._written(cls.write)

    def _written(self, write):
        def call(stream, text):
            if stream in (sys.stdout, sys.stderr):
                self.ask("output", "sys.stdout" if stream is sys.stdout else "sys.stderr")
            return write(stream, text)

        return call

    def _replace_system(self):
        import posix

        builtin = type(posix.stat)
        known = (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids)
        for name, real in list(vars(posix).items()):
            if not isinstance(real, builtin) or name in _COMPUTING:
                continue
            kind = "randomness" if name in _CHANCE else "process" if name in _PROCESS else "file"
            asks = (lambda args, _kwargs: not self._is_library(args)) if name in _LOOKS else _always
            told = self._told(kind, f"os.{name}", real, asks)
            for functions in known:
                if real in functions:
                    functions.add(told)
            for module in (posix, os):
                if getattr(module, name, None) is real:
                    setattr(module, name, told)
        random._urandom = os.urandom
        _thread.start_new_thread = _thread.start_new = threading._start_new_thread = self._told(
            "process", "threading.Thread", _thread.start_new_thread)
        environ = type(os.environ)
        for name in ("__getitem__", "__iter__", "__setitem__", "__delitem__"):
            setattr(environ, name, self._environment(getattr(environ, name)))

    def _environment(self, real):
        def call(*args):
            self.ask("process", "os.environ")
            return real(*args)

        return call


def _flags(args):
    return args[2] if len(args) > 2 and isinstance(args[2], int) else 0


def _is_code(args):
    """Whether a file may be opened by an import: who reads something else by means of the import system is seen."""
    path, mode = args[0], args[1] if len(args) > 1 else None
    return isinstance(path, (str, bytes)) and os.fsdecode(path).endswith(_CODE) and mode in (None, "r", "rb")


def _type_modified(cls):
    import ctypes

    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))
