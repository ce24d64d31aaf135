"""What suite and code share beside values, on the builder's side: does what it is told, and tells what the code has done (gate.md part 10)."""

from wall_environment import Environment
from wall_files import Files
from wall_plain import CannotCross
from wall_records import Recorder


class Shared:
    """Nothing until the suite's side says what there is."""

    def __init__(self, codec):
        self.codec, self.parts, self.recorder = codec, {}, None

    def hear(self, told):
        topics = told.pop("topics", None)
        if topics is not None:
            self._begin(topics, told.pop("folder", None))
        if "levels" in told:
            self.recorder.set_levels(dict(told["levels"]))
        # The folder comes first: it may be the one to go to.
        for name in ("files", "environment"):
            if name in told:
                self.parts[name].apply(told[name])

    def _begin(self, topics, folder):
        if folder is not None:
            import tempfile

            tempfile.tempdir = folder
            self.parts["files"] = Files(folder)
        if folder is not None or "environment" in topics:
            self.parts["environment"] = Environment(folder)
        if "logs" in topics or "warnings" in topics:
            self.recorder = Recorder(self.codec, topics)

    def look_again(self):
        """The folder is as another process has left it."""
        if "files" in self.parts:
            try:
                self.parts["files"].changed()
            except (OSError, ValueError, RecursionError):  # what cannot cross is told with the next answer
                pass

    def told(self):
        """What has changed here, or None. Raises CannotCross."""
        if not self.parts and self.recorder is None:
            return None
        found = self.recorder.take() if self.recorder is not None else {}
        for name, part in self.parts.items():
            try:
                changed = part.changed()
            except (OSError, ValueError) as error:
                raise CannotCross(f"a shared file: {error}") from error
            if changed:
                found[name] = changed
        return found or None
