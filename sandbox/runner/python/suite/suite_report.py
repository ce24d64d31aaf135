"""The report of a run: one JSON object a line, opened before the suite or the builder's code is loaded (gate.md part 4).

The first line carries zeros in place of the nonce until the run has ended: whoever reads the file while it is being
written learns nothing that a second report would need. A forked child of the suite writes nothing.
"""

import json
import os

MAX_TEXT = 4000
MAX_NAME = 1000
MAX_PATH = 500
MAX_TYPE = 300
MAX_LINES = 60_000
# The first words on standard output, before anything of the judged party is loaded: nobody can take them back.
BEGUN = b"a7: the run begins\n"

_open, _write, _pwrite, _getpid, _dumps = os.open, os.write, os.pwrite, os.getpid, json.dumps


def open_report(path, nonce, runner, version):
    """Creates the report exclusively and returns (emit, finish). Raises FileExistsError for a second report."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    return report_on(_open(path, flags, 0o644), nonce, runner, version)


def report_on(fd, nonce, runner, version):
    """The same over an empty file that is open already."""
    owner = _getpid()
    state = {"lines": 0}

    def start_line(shown):
        return _line({"kind": "start", "nonce": shown, "runner": runner, "version": version})

    def emit(record):
        if _getpid() != owner or state["lines"] >= MAX_LINES:
            return
        state["lines"] += 1
        _write_all(fd, _line(record))

    def finish(collected, ran):
        if _getpid() != owner:
            return
        _write_all(fd, _line({"kind": "end", "nonce": nonce, "collected": collected, "ran": ran}))
        _pwrite(fd, start_line(nonce), 0)
        os.close(fd)

    _write_all(fd, start_line("0" * len(nonce)))
    _write_all(1, BEGUN)
    return emit, finish


def text(value, limit=MAX_TEXT):
    """`value` as bounded text without lone surrogates, whatever its own conversion does."""
    try:
        result = value if type(value) is str else str(value)
        return result[:limit].encode("utf-8", "replace").decode("utf-8")
    except BaseException:  # noqa: BLE001 - a hostile __str__ may raise anything
        return "<no text>"


def _line(record):
    return (_dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n").encode("ascii")


def _write_all(fd, data):
    while data:
        data = data[_write(fd, data):]
