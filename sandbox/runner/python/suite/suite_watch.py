"""What only a cheat does, seen where code and suite share a process: objects equal to everything, looks at callers and at the suite's text.

It makes such a cheat visible, not impossible: only the glass wall keeps the code away from what runs it.
"""

import builtins
import linecache
import os
import sys
import threading
import types

_LOOKS = frozenset(["sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "sys.setprofile", "sys.settrace"])
_FRAMES = frozenset(["tb_frame", "gi_frame", "cr_frame", "ag_frame"])
_MOCKS = frozenset(["mock", "unittest", "unittest.mock"])
MAX_STEPS = 60
# Answers of one class that are looked at again; from then on it is believed.
MAX_PROBES = 10_000


class Watch:
    """Calls `tell(message)` at each sight."""

    def __init__(self, work_dir, suite_files, tell):
        self.root = os.path.realpath(work_dir) + os.sep
        self.suite = frozenset(os.path.join(self.root, file) for file in suite_files)
        self.tell, self.busy, self.known = tell, threading.local(), {}

    def start(self):
        make = builtins.__build_class__

        def build_class(function, name, /, *bases, **keywords):
            made = make(function, name, *bases, **keywords)
            if isinstance(made, type) and self._is_code(function.__code__.co_filename):
                self._probe(made)
            return made

        builtins.__build_class__ = build_class
        self._hide_lines()
        sys.addaudithook(self._audit)

    def _hide_lines(self):
        """A traceback that the code has written, as `logger.exception` does, goes through the suite: it has no lines of its text."""
        update = linecache.updatecache

        def updatecache(filename, module_globals=None):
            if os.path.realpath(filename) not in self.suite:
                return update(filename, module_globals)
            if self._called_by_code():
                return []
            lines = update(filename, module_globals)
            linecache.cache.pop(filename, None)
            return lines

        linecache.updatecache = updatecache

    def _is_code(self, file):
        found = self.known.get(file)
        if found is None:
            path = os.path.realpath(file)
            found = self.known[file] = not file.startswith("<") and path.startswith(self.root) and path not in self.suite
        return found

    # -- objects that are equal to everything ---------------------------------------------------------------------------

    def _probe(self, cls):
        equal = cls.__dict__.get("__eq__")
        if not isinstance(equal, types.FunctionType):
            return
        left = [MAX_PROBES]

        def __eq__(self_, other):
            answer = equal(self_, other)
            if answer is True and left[0] > 0:
                left[0] -= 1
                if _is_equal(equal, self_):
                    self.tell(f"'{cls.__name__}.__eq__' calls everything equal")
            return answer

        __eq__.__doc__, __eq__.__module__, __eq__.__qualname__ = equal.__doc__, equal.__module__, equal.__qualname__
        type.__setattr__(cls, "__eq__", __eq__)

    # -- looks at the suite ---------------------------------------------------------------------------------------------

    def _audit(self, event, args):
        if event not in _LOOKS and event not in ("open", "exec", "object.__getattr__") or getattr(self.busy, "on", False):
            return
        self.busy.on = True
        try:
            if event == "exec":
                self._read_names(args[0])
            elif event == "open":
                if isinstance(args[0], (str, bytes)) and os.path.realpath(os.fsdecode(args[0])) in self.suite and self._called_by_code():
                    self.tell("the code reads a file of the suite")
            elif (event in _LOOKS or args[1] in _FRAMES) and self._called_by_code("inspect.py"):
                self.tell("the code looks at the frames or objects of what calls it")
        finally:
            self.busy.on = False

    def _called_by_code(self, through=None):
        """Whether the nearest frame of suite or code is one of the code; between, only `through`, or anything, may stand."""
        frame = sys._getframe(2)
        for _step in range(MAX_STEPS):
            if frame is None:
                return False
            file = frame.f_code.co_filename
            if file in self.suite or self._is_code(file):
                return self._is_code(file)
            if through is not None and os.path.basename(file) != through:
                return False
            frame = frame.f_back
        return False

    def _read_names(self, code):
        if not isinstance(code, types.CodeType) or not self._is_code(code.co_filename):
            return
        names, codes = set(), [code]
        while codes:
            one = codes.pop()
            names.update(one.co_names)
            codes += [item for item in one.co_consts if isinstance(item, types.CodeType)]
        if "ANY" in names and names & _MOCKS:
            self.tell("the code uses 'unittest.mock.ANY', which is equal to everything")


def _is_equal(equal, value):
    try:
        return equal(value, object()) is True
    except Exception:  # noqa: BLE001 - it may refuse to compare
        return False
