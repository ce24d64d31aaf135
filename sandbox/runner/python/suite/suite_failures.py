"""Turns an exception into the `Failure` record of schemas/runner-report.ts: type, message, frames below the work folder."""

import os

from suite_report import MAX_PATH, MAX_TYPE, text

MAX_FRAMES = 50
MAX_WALK = 5000

_realpath = os.path.realpath
_type_name = type.__dict__["__qualname__"].__get__
_type_mro = type.__dict__["__mro__"].__get__


class FailureMaker:
    """Knows the work folder, which files are the suite's, and which exception types mean a failed assertion."""

    def __init__(self, work_dir, suite_files, assertion_types):
        self.root = _realpath(work_dir)
        self.suite_files = frozenset(suite_files)
        self.assertion_types = frozenset(assertion_types)

    def relative(self, filename):
        """Path below the work folder with `/`, or None."""
        if not filename or filename.startswith("<"):
            return None
        path = _realpath(os.path.join(self.root, filename))
        if not path.startswith(self.root + os.sep):
            return None
        return text(path[len(self.root) + 1:], MAX_PATH)

    def frames(self, traceback):
        """Frames below the work folder, innermost last."""
        found = []
        steps = 0
        while traceback is not None and steps < MAX_WALK:
            file = self.relative(traceback.tb_frame.f_code.co_filename)
            if file is not None:
                found.append({"file": file, "line": max(0, traceback.tb_lineno or 0)})
            traceback = traceback.tb_next
            steps += 1
        return found[-MAX_FRAMES:]

    def failure(self, error, traceback=None):
        """Failure record of an exception; `assertion` only if the suite's own frame is the innermost one of the work folder."""
        frames = self.frames(traceback if traceback is not None else error.__traceback__)
        if isinstance(error, SyntaxError) and not frames:
            file = self.relative(error.filename)
            if file is not None:
                frames = [{"file": file, "line": error.lineno or 0}]
        is_assertion = any(base in self.assertion_types for base in _type_mro(type(error)))
        return {
            "exceptionType": type_name(error),
            "message": text(error),
            "assertion": bool(is_assertion and frames and frames[-1]["file"] in self.suite_files),
            "frames": frames,
        }


def type_name(error):
    """Qualified name of an exception's class, not as its metaclass would like it to read."""
    return text(_type_name(type(error)), MAX_TYPE)


def plain_failure(exception_type, message, frames=()):
    """A failure that the runner itself found."""
    return {
        "exceptionType": exception_type,
        "message": text(message),
        "assertion": False,
        "frames": list(frames),
    }
