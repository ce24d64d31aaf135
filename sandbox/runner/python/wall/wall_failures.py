"""Failures whose exception came across the wall."""

import re

from suite_failures import FailureMaker

MAX_FRAMES = 20
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}\.py")


class WallFailures(FailureMaker):
    """Failures whose exception came across: their innermost frames are those of the builder's files, as it told them."""

    def failure(self, error, traceback=None):
        found = super().failure(error, traceback)
        crossed = getattr(error, "__dict__", {}).get("_a7_frames")
        if crossed is None:
            return found
        frames = [{"file": file, "line": line} for file, line in _frames(crossed) if file not in self.suite_files]
        return {**found, "assertion": False, "frames": [*found["frames"], *frames][-50:]}


def _frames(claimed):
    if type(claimed) is not list:
        return
    for item in claimed[:MAX_FRAMES]:
        if type(item) is list and len(item) == 2 and type(item[0]) is str and type(item[1]) is int:
            if _PATH.fullmatch(item[0]) and ".." not in item[0] and 0 < item[1] < 1_000_000:
                yield item[0], item[1]
