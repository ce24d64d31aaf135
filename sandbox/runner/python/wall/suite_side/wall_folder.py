"""One name for two folders: while the suite's side works it is the suite's own, which no other user may enter; while the other side does,
it is that side's. Neither ever opens what the other has laid: files cross as data (gate.md part 11)."""

import os
import tempfile

_rename = os.rename


class Folder:
    """Made on the suite's side, which owns the folder around both and so may rename either."""

    def __init__(self):
        self.around = os.path.realpath(tempfile.mkdtemp(prefix="a7-", dir="/tmp"))
        os.chmod(self.around, 0o711)
        self.path = os.path.join(self.around, "tmp")
        self._ours, self._theirs = os.path.join(self.around, "suite"), os.path.join(self.around, "code")
        os.mkdir(self.path, 0o700)
        os.mkdir(self._theirs)
        os.chmod(self._theirs, 0o777)
        self.is_lent = False
        tempfile.tempdir = self.path

    def lend(self):
        if not self.is_lent:
            self.is_lent = True
            _rename(self.path, self._ours)
            _rename(self._theirs, self.path)

    def take_back(self):
        if self.is_lent:
            _rename(self.path, self._theirs)
            _rename(self._ours, self.path)
            self.is_lent = False
