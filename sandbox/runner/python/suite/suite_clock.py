"""Moves the clock of this process by whole days, before anything of the suite or the builder is loaded (gate.md part 5).

Only what tells the date is moved: `time`, `datetime`, and times of files made since the start. Monotonic clocks stay.
"""

import os

VARIABLE = "A7_DATE_SHIFT_DAYS"
SECONDS_A_DAY = 86_400
# A file that is older than the process, or that a test gave a time of its own, keeps it.
TOLERANCE_SECONDS = 2
_FIRST_TIME_FIELD = 7


class _Replaced:
    """Called like the builtin it stands for; unlike a Python function it does not bind as a method."""

    def __init__(self, original, call):
        self.__wrapped__, self._call = original, call
        self.__name__ = self.__qualname__ = original.__name__
        self.__doc__ = original.__doc__

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)


def shift_by_environment():
    """Takes the shift out of the environment and applies it."""
    days = int(os.environ.pop(VARIABLE, "0"))
    if days:
        shift(days)


def shift(days):
    import time

    seconds = days * SECONDS_A_DAY
    real_time = time.time
    _shift_time(time, seconds)
    _shift_datetime(days)
    _shift_files(seconds, real_time)


def _shift_time(time, seconds):
    real = {name: getattr(time, name) for name in (
        "time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "asctime", "clock_gettime", "clock_gettime_ns")}

    def at(name):
        return lambda moment=None: real[name](real["time"]() + seconds if moment is None else moment)

    def of_clock(name, unit):
        return lambda clock: real[name](clock) + (seconds * unit if clock == time.CLOCK_REALTIME else 0)

    def now():
        return real["localtime"](real["time"]() + seconds)

    calls = {
        "time": lambda: real["time"]() + seconds,
        "time_ns": lambda: real["time_ns"]() + seconds * 1_000_000_000,
        "localtime": at("localtime"),
        "gmtime": at("gmtime"),
        "ctime": at("ctime"),
        "strftime": lambda form, *moment: real["strftime"](form, *(moment or (now(),))),
        "asctime": lambda *moment: real["asctime"](*(moment or (now(),))),
        "clock_gettime": of_clock("clock_gettime", 1),
        "clock_gettime_ns": of_clock("clock_gettime_ns", 1_000_000_000),
    }
    for name, call in calls.items():
        setattr(time, name, _Replaced(real[name], call))


def _shift_datetime(days):
    """`date.today` asks `time.time`; the two others ask the system, and their class must stay the same object."""
    import ctypes
    import datetime
    import gc

    delta = datetime.timedelta(days=days)
    methods = gc.get_referents(datetime.datetime.__dict__)[0]
    real_now, real_utcnow = methods["now"], methods["utcnow"]
    methods["now"] = classmethod(lambda cls, tz=None: real_now.__get__(None, cls)(tz) + delta)
    methods["utcnow"] = classmethod(lambda cls: real_utcnow.__get__(None, cls)() + delta)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))


def _shift_files(seconds, real_time):
    began = real_time() - TOLERANCE_SECONDS
    for name in ("stat", "lstat", "fstat"):
        real = getattr(os, name)
        moved = _Replaced(real, _moved_stat(real, seconds, began, real_time))
        for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in known:
                known.add(moved)
        setattr(os, name, moved)


def _moved_stat(real, seconds, began, real_time):
    def call(*args, **kwargs):
        found = real(*args, **kwargs)
        if not began <= found.st_mtime <= real_time() + TOLERANCE_SECONDS:
            return found
        cls, (fields, named) = found.__reduce__()
        whole = [value + seconds if index >= _FIRST_TIME_FIELD else value for index, value in enumerate(fields)]
        times = {key: _later(key, value, seconds) for key, value in named.items()}
        return cls(tuple(whole), times)

    return call


def _later(key, value, seconds):
    if not key.endswith("time") and not key.endswith("time_ns"):
        return value
    return value + (seconds * 1_000_000_000 if key.endswith("_ns") else seconds)
