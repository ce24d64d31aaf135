"""Variables of the environment and the current folder, and how they have changed since the other side was last told."""

import os

MAX_NAMES = 1_000
MAX_TEXT = 100_000
# pytest tells the name of the running test so; the others would steer Python itself.
_OWN = ("PYTEST_", "PYTHON", "A7_", "LD_")
_environ, _getcwd, _chdir = os.environ, os.getcwd, os.chdir


class Environment:
    """`root` is the folder that both sides have; the current folder is shared as long as it lies there."""

    def __init__(self, root=None):
        self.root, self.known = root, _variables()
        self.home = self.at = _getcwd()

    def changed(self):
        """{name: text or None}, and under "" the current folder below the root, where either has changed."""
        now = _variables()
        told = {}
        if now != self.known:
            told = {name: value for name, value in now.items() if self.known.get(name) != value}
            told.update((name, None) for name in self.known if name not in now)
            self.known = now
        at = self._folder()
        if at != self.at:
            self.at = at
            told[""] = at if at != self.home else None
        return told

    def _folder(self):
        if self.root is None:
            return self.home
        try:
            at = _getcwd()
        except FileNotFoundError:
            return self.at
        return at if f"{at}/".startswith(f"{self.root}/") else self.home

    def apply(self, told):
        """Raises ValueError for what is no such dictionary."""
        if type(told) is not dict or len(told) > MAX_NAMES:
            raise ValueError("an environment that is none")
        for name, value in told.items():
            if type(name) is not str or not (value is None or (type(value) is str and len(value) <= MAX_TEXT)):
                raise ValueError("an environment that is none")
            if name == "":
                self._go(value)
            elif not name.startswith(_OWN):
                _set(name, value)
        self.known = _variables()

    def _go(self, folder):
        if folder is not None and (self.root is None or not f"{os.path.realpath(folder)}/".startswith(f"{self.root}/")):
            raise ValueError("a folder that is elsewhere")
        try:
            _chdir(self.home if folder is None else folder)
        except OSError as error:
            raise ValueError("a folder that is none") from error
        self.at = self._folder()


def _variables():
    return {name: value for name, value in _environ.items() if not name.startswith(_OWN)}


def _set(name, value):
    if value is None:
        _environ.pop(name, None)
    elif "=" in name or "\0" in name or "\0" in value:
        raise ValueError("a variable that is none")
    else:
        _environ[name] = value
