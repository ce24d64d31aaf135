"""What a repository's tests loaded, for the report: every module with a file, but those of the language itself and ours.

`children` is true once a program was started: what that loads is not seen from here.
"""

import hashlib
import os
import sys
import sysconfig

HERE = os.path.dirname(os.path.realpath(__file__))
FILES_A_LINE = 500
FILES_MAX = 20_000
BYTES_MAX = 16 * 1024 * 1024
STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "os.forkpty")

_sha256, _open, _modules = hashlib.sha256, open, sys.modules


class LoadedModules:
    """Watches from its making on. Programs that are started before do not count."""

    def __init__(self, work_dir):
        self.work_dir = work_dir
        self.children = False
        paths = sysconfig.get_paths()
        self.own = tuple({os.path.realpath(paths[key]) + os.sep for key in ("stdlib", "platstdlib")} | {HERE + os.sep})
        sys.addaudithook(self._audit)

    def _audit(self, event, _arguments):
        if event in STARTS:
            self.children = True

    def emit_all(self, emit):
        files = self._files()
        for start in range(0, max(1, len(files)), FILES_A_LINE):
            emit({"kind": "loaded", "files": files[start : start + FILES_A_LINE], "children": self.children})

    def _files(self):
        found = []
        for name, module in sorted(dict(_modules).items(), key=lambda pair: str(pair[0])):
            path = getattr(module, "__file__", None)
            if type(name) is not str or type(path) is not str or len(name) > 500:
                continue
            full = os.path.join(self.work_dir, path)
            if self._is_languages_own(os.path.realpath(full)):
                continue
            real = os.path.realpath(full)
            inside = real.startswith(self.work_dir + os.sep)
            shown = os.path.relpath(real, self.work_dir) if inside else real
            if len(shown) <= 1000 and "\\" not in shown:
                found.append({"name": self._name(name, module), "path": shown, "hash": self._hash(real)})
        return found[:FILES_MAX]

    def _is_languages_own(self, path):
        return path.startswith(self.own) and "-packages" + os.sep not in path

    def _name(self, name, module):
        # `python -m name` and pytest's import mode "importlib" file a module under other names than its own.
        spec = getattr(module, "__spec__", None)
        return getattr(spec, "name", None) or name

    def _hash(self, path):
        try:
            if os.path.getsize(path) > BYTES_MAX:
                return None
            with _open(path, "rb") as file:
                return _sha256(file.read()).hexdigest()
        except OSError:
            return None
