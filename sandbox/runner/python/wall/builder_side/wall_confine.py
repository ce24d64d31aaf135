"""Shuts the oracle off (gate.md part 12): what it is asked leaves no trace that the process under test could read.

Two filters of the kernel for system calls. The first holds before any code of the builder's is loaded: nothing is written, made,
renamed, locked or signalled, and nothing is sent. The second holds from the first question on: nothing is opened either.
"""

import ast
import ctypes
import os
import platform
import struct
import sys

_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 4, 22, 38, 2
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOENT, _ENOSYS = 1, 2, 38
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
_WRITING = 0x1 | 0x2 | 0x40 | 0x200 | 0x400
_LOCKS = (6, 7, 37, 38, 1024)
_CALLS = {
    "x86_64": {
        "arch": 0xC000003E, "open": (2, 1), "openat": (257, 2), "openat2": 437, "fcntl": 72, "prctl": 157,
        "leaving": "49 42 50 44 46 307 90 91 268 92 93 94 260 85 83 258 84 82 264 316 86 265 88 266 87 263 76 77 285 132 235 261 280 188 189 190 197 "
                   "198 199 73 62 200 234 129 297 424 140 203 144 109 112 95 160 302 59 322 133 259 251",
        "finding": "2 257 437 4 6 262 332 21 269 439 89 267",
    },
    "aarch64": {
        "arch": 0xC00000B7, "open": None, "openat": (56, 2), "openat2": 437, "fcntl": 25, "prctl": 167,
        "leaving": "200 203 201 206 211 269 52 53 55 54 34 38 276 37 36 35 45 46 47 88 5 6 7 14 15 16 32 129 130 131 138 240 424 140 122 119 154 157 166 "
                   "164 261 221 281 33 30",
        "finding": "56 437 79 291 48 439 78",
    },
}  # fmt: skip
# Time zones that are kept are not read again from their files.
_zones = []
_set = ctypes.CDLL(None, use_errno=True).prctl


def shut_writing():
    """Before the builder's code is loaded. False where this kernel or machine cannot."""
    calls = _CALLS.get(platform.machine())
    if calls is None:
        return False
    rules = [_errno(int(number), _EPERM) for number in calls["leaving"].split()]
    rules += [_errno(calls["openat2"], _ENOSYS), *(_errno_if(calls["fcntl"], 1, command) for command in _LOCKS)]
    rules += [_errno_if_bits(*calls[name], _WRITING) for name in ("open", "openat") if calls[name] is not None]
    return _apply(calls, rules)


def shut_finding(root, has_zones):
    """From the first question on: what its constructors may load later is loaded now."""
    _load_ahead(root, has_zones)
    calls = _CALLS.get(platform.machine())
    os.closerange(5, 4096)
    rules = [_errno(int(number), _ENOENT) for number in calls["finding"].split()]
    return not _shares_memory() and _apply(calls, [*rules, _errno(calls["prctl"], _EPERM)])


def _load_ahead(root, has_zones):
    """Modules of the standard library that the code imports somewhere, and what the library itself loads late, such as time zones."""
    names = {"_strptime", "encodings.idna"}
    for folder, _folders, files in os.walk(root):
        for file in files:
            if file.endswith(".py"):
                names.update(_imported(os.path.join(folder, file)))
    for name in sorted(names):
        if name.split(".")[0] in sys.stdlib_module_names:
            try:
                __import__(name)
            except Exception:  # noqa: BLE001 - then it cannot be had later either
                pass
    if has_zones or "zoneinfo" in names:
        import zoneinfo

        _zones.extend(map(zoneinfo.ZoneInfo, zoneinfo.available_timezones()))


def _imported(file):
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _shares_memory():
    with open("/proc/self/maps", "rb") as maps:
        return any(line.split()[1][1:4:2] == b"ws" for line in maps)


def _apply(calls, rules):
    code = [struct.pack("HBBI", _LOAD, 0, 0, 4), struct.pack("HBBI", _EQUAL, 1, 0, calls["arch"]), _back(_ERRNO | _EPERM)]
    for rule in rules:
        code += [struct.pack("HBBI", _LOAD, 0, 0, 0), *rule]
    program = b"".join([*code, _back(_ALLOW)])
    space = ctypes.create_string_buffer(program, len(program))
    given = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(space)))
    zero = ctypes.c_ulong(0)
    _set(_PR_SET_DUMPABLE, zero, zero, zero, zero)
    if _set(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) != 0:
        return False
    return _set(_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_ulong(ctypes.addressof(given)), zero, zero) == 0


def _back(value):
    return struct.pack("HBBI", _RETURN, 0, 0, value)


def _errno(number, error):
    return [struct.pack("HBBI", _EQUAL, 0, 1, number), _back(_ERRNO | error)]


def _errno_if(number, argument, value):
    """Where an argument is this value."""
    return [struct.pack("HBBI", _EQUAL, 0, 3, number), struct.pack("HBBI", _LOAD, 0, 0, 16 + 8 * argument),
            struct.pack("HBBI", _EQUAL, 0, 1, value), _back(_ERRNO | _EPERM)]  # fmt: skip


def _errno_if_bits(number, argument, bits):
    """Where an argument has one of these bits."""
    return [struct.pack("HBBI", _EQUAL, 0, 3, number), struct.pack("HBBI", _LOAD, 0, 0, 16 + 8 * argument),
            struct.pack("HBBI", _ANY_BIT, 0, 1, bits), _back(_ERRNO | _EPERM)]  # fmt: skip
