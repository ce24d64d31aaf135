"""What lies in a folder, as data, and how it has changed since the other side was last told. Both sides use it, each on its own folder.

Regular files, folders and links that stay inside cross; a device, a pipe or a socket does not. The size is bounded.
"""

import binascii
import os
import stat
import time

MAX_ENTRIES = 2_000
MAX_BYTES = 8 * 1024 * 1024
_MAX_NAME = 1_000
_lstat, _open, _read, _write, _close, _scan = os.lstat, os.open, os.read, os.write, os.close, os.scandir
_chmod, _utime, _mkdir, _rmdir, _unlink, _symlink, _readlink = os.chmod, os.utime, os.mkdir, os.rmdir, os.unlink, os.symlink, os.readlink
_realpath, _join, _ftruncate = os.path.realpath, os.path.join, os.ftruncate
# The clock that file systems write times from (CLOCK_REALTIME_COARSE); Python has no name for it.
_clock, _COARSE = time.clock_gettime_ns, 5


class Files:
    """`known` is what the other side has: path -> (kind, mode, time of change, content)."""

    def __init__(self, root):
        self.root, self.known, self.seen, self.foreign = root, {}, {}, set()

    def changed(self):
        """[[path, kind, mode, time, content]] of what is new or another, [path, "-"] of what is gone. Raises ValueError."""
        now, seen = {}, {}
        self._look("", now, seen, [MAX_BYTES])
        told = [[path, "-"] for path in sorted(self.known, key=len, reverse=True) if path not in now]
        told += [[path, *entry[:3], _text(entry[3]) if entry[0] == "f" else entry[3]] for path, entry in now.items() if self.known.get(path) != entry]
        self.known, self.seen = now, seen
        return told

    def _look(self, below, now, seen, left):
        for entry in sorted(_scan(_join(self.root, below)), key=lambda each: each.name):
            path = f"{below}/{entry.name}" if below else entry.name
            info = entry.stat(follow_symlinks=False)
            if len(now) >= MAX_ENTRIES:
                raise ValueError("too many files")
            mode = info.st_mode & 0o777
            if stat.S_ISDIR(info.st_mode):
                now[path] = ("d", mode, 0, "")
                with _opened(entry.path, mode, 0o700):
                    self._look(path, now, seen, left)
            elif stat.S_ISLNK(info.st_mode):
                now[path] = ("l", 0, 0, _readlink(entry.path))
            elif stat.S_ISREG(info.st_mode):
                now[path] = ("f", mode, info.st_mtime_ns, self._content(path, entry.path, info, seen, left))
            else:
                raise ValueError("a file that is none")

    def _content(self, path, at, info, seen, left):
        left[0] -= info.st_size
        if left[0] < 0:
            raise ValueError("files that are too large")
        sign = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        # Only what was left alone for a tick of the file system's clock is known by its times.
        if info.st_ctime_ns < _clock(_COARSE):
            seen[path] = sign
        if self.seen.get(path) == sign and path in self.known:
            return self.known[path][3]
        with _opened(at, info.st_mode & 0o777, 0o400):
            return _content_of(at, info.st_size)

    def apply(self, told, is_foreign=False):
        """Makes of this folder what the other side told. Raises ValueError for what is no such list, or leads out of the folder."""
        if type(told) is not list or len(told) > 2 * MAX_ENTRIES:
            raise ValueError("files that are none")
        folders = []
        for path, kind, *rest in told:
            at, around, mode_around = self._place(path)
            with _opened(around, mode_around, 0o700):
                self._lay(path, at, kind, rest)
            if kind == "d":
                folders.append((at, rest[0]))
            if kind == "l" and is_foreign:
                self.foreign.add(path)
        for at, mode in reversed(folders):
            _chmod(at, mode)
        if is_foreign:
            self._refuse_ways_out()

    def _lay(self, path, at, kind, rest):
        if path in self.known and (kind == "-" or self.known[path][0] != kind):
            self._remove(path, at)
        if kind == "-":
            return
        mode, changed, content = rest
        if not (kind in _LAY and type(mode) is int and 0 <= mode <= 0o777 and type(changed) is int and type(content) is str):
            raise ValueError("a file that is none")
        _LAY[kind](at, mode, changed, content)
        self.known[path] = (kind, mode, changed, _bytes(content) if kind == "f" else content)

    def _place(self, path):
        """Where a path lies here, the folder around it and that one's mode. No part of the way may be a link."""
        parts = path.split("/") if type(path) is str and len(path) <= _MAX_NAME and "\0" not in path else [""]
        if any(part in ("", ".", "..") for part in parts):
            raise ValueError("a path that leads elsewhere")
        at = self.root
        mode = _lstat(at).st_mode
        for part in parts[:-1]:
            at = _join(at, part)
            mode = _lstat(at).st_mode
            if not stat.S_ISDIR(mode):
                raise ValueError("a path that leads elsewhere")
        return _join(at, parts[-1]), at, mode & 0o777

    def _remove(self, path, at):
        kind = self.known.pop(path, (None,))[0]
        try:
            (_rmdir if kind == "d" else _unlink)(at)
        except FileNotFoundError:
            pass

    def _refuse_ways_out(self):
        for path in [path for path in self.foreign if self.known.get(path, " ")[0] == "l"]:
            if not f"{_realpath(_join(self.root, path))}/".startswith(f"{self.root}/"):
                raise ValueError("a link that leads elsewhere")


def _lay_file(at, mode, changed, content):
    data = _bytes(content)
    # In place: whoever has the file open sees it.
    if _exists(at):
        _chmod(at, 0o600)
    file = _open(at, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _ftruncate(file, 0)
        while data:
            data = data[_write(file, data):]
    finally:
        _close(file)
    _chmod(at, mode)
    _utime(at, ns=(changed, changed))


def _lay_folder(at, _mode, _changed, _content):
    if not _exists(at):
        _mkdir(at)
    _chmod(at, 0o700)


def _lay_link(at, _mode, _changed, content):
    if _exists(at):
        _unlink(at)
    _symlink(content, at)


_LAY = {"d": _lay_folder, "f": _lay_file, "l": _lay_link}


def _exists(at):
    try:
        _lstat(at)
    except FileNotFoundError:
        return False
    return True


def _text(data):
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _bytes(text):
    return binascii.a2b_base64(text, strict_mode=True) if text else b""


class _opened:
    """Gives the owner a right that the file's mode lacks, as long as it is needed."""

    def __init__(self, at, mode, needed):
        self.at, self.mode, self.lacks = at, mode, mode & needed != needed
        self.needed = needed

    def __enter__(self):
        if self.lacks:
            _chmod(self.at, self.mode | self.needed)

    def __exit__(self, *_details):
        if self.lacks:
            _chmod(self.at, self.mode)


def _content_of(at, size):
    file = _open(at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        parts, left = [], size + 1
        while left > 0:
            part = _read(file, left)
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        _close(file)
