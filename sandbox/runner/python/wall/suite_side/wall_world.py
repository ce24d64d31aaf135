"""What a suite and its code share beside values - files, environment, current folder, logs, warnings - as the suite's side has it.

Each side has its own; what one has changed is told to the other with the next message, as data. Only what a suite names is shared.
"""

import re

from wall_environment import Environment
from wall_files import Files
from wall_folder import Folder
from wall_records import Levels, log_again, warn_again

TOPICS = {
    "patches": re.compile(rb"\bmonkeypatch\b|\bpatch\b"),
    "hands": re.compile(rb"\bsys\.(?:stdin|argv)\s*=[^=]"),
    "mock": re.compile(rb"\bmock\b"),
    "files": re.compile(rb"\b(?:tmp_path|tmp_path_factory|tmpdir|tmpdir_factory|tempfile)\b"),
    "environment": re.compile(rb"\b(?:environ|getenv|setenv|delenv)\b"),
    "logs": re.compile(rb"\b(?:caplog|logging|assertLogs|assertNoLogs)\b"),
    "zones": re.compile(rb"\b(?:zoneinfo|ZoneInfo)\b"),
    "warnings": re.compile(rb"\b(?:warnings|warns|recwarn|deprecated_call|assertWarns|assertWarnsRegex)\b"),
}
MAX_RECORDS = 100_000


def topics_of(files):
    """What the files of a suite name."""
    texts = []
    for file in files:
        try:
            with open(file, "rb") as source:
                texts.append(source.read())
        except OSError:
            pass
    return [topic for topic, words in TOPICS.items() if any(map(words.search, texts))]


class Words:
    """Which names of its functions a suite speaks of itself: others do not cross."""

    def __init__(self, files):
        self.text = "\n".join(map(_text, files))
        self.tells_all = re.search(r"__name__|__qualname__|__wrapped__", self.text) is not None
        self.tells_doc = "__doc__" in self.text

    def tells(self, name):
        quoted = rf"[\"'](?:[^\"'\n]*[^\w\"'\n])?{re.escape(name)}(?:[^\w\"'\n][^\"'\n]*)?[\"']"
        return self.tells_all or self.tells_doc or re.search(quoted, self.text) is not None


def _text(file):
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read()
    except OSError:
        return ""


class World:
    """`topics` are those of TOPICS that are shared."""

    def __init__(self, bridge, topics):
        self.bridge, self.topics, self.is_told = bridge, topics, False
        self.folder = Folder() if "files" in topics else None
        self.files = Files(self.folder.path) if self.folder is not None else None
        self.environment = Environment(self.folder and self.folder.path) if {"environment", "files"} & set(topics) else None
        self.levels = Levels() if "logs" in topics else None
        self.warned, self.logged = [], []

    def tell(self):
        """Tells the other side what has changed here since it was last told."""
        if "hands" in self.topics:
            self.bridge.patches.watch()
        told = {}
        if not self.is_told:
            self.is_told = True
            told["topics"] = [topic for topic in self.topics if topic not in ("patches", "mock", "hands", "zones")]
            told["folder"] = self.folder and self.folder.path
        for name, part in (("environment", self.environment), ("files", self.files), ("levels", self.levels)):
            changed = part.changed() if part is not None else None
            if changed:
                told[name] = changed
        if told:
            self.bridge.request("share", None, "", (told,))

    def lend(self):
        """The other side works now: the shared folder's name is that of its own folder."""
        if self.folder is not None:
            self.folder.lend()

    def take_back(self):
        if self.folder is not None:
            self.folder.take_back()

    def hear(self, told):
        """Does here what the other side has done there. Raises ValueError for what cannot be done."""
        if type(told) is not dict:
            raise ValueError("something shared that is none")
        if self.files is not None and told.get("files"):
            self.files.apply(told["files"], is_foreign=True)
        if self.environment is not None and told.get("environment"):
            self.environment.apply(told["environment"])
        if "logs" in self.topics:
            self.logged.extend(_list(told.get("logs")))
        if "warnings" in self.topics:
            self.warned.extend(self.bridge.codec.dec(part) for part in _list(told.get("warnings")))

    def say(self):
        """Logs and warns here as the code did there; a warning that is an error here is raised."""
        while self.logged:
            log_again(self.logged.pop(0), self.bridge.codec.dec)
        while self.warned:
            warn_again(self.warned.pop(0))


def _list(found):
    if found is None:
        return []
    if type(found) is not list or len(found) > MAX_RECORDS:
        raise ValueError("records that are none")
    return found
