"""Reads a suite and the declarations it tests, and lists what cannot cross the wall (gate.md part 11). Nothing is run.

Standard input, JSON: {files, modules, otherModules, exports}: the suite's Python files below the work folder, the modules of the
contracts, those of the project that no contract here is about, and every declaration. Standard output: {"uses": [{kind,
detail, file, line}]}. Start it as `python3 -s -P -B wall_scan.py` in the work folder.
"""

import ast
import json
import os
import sys
import textwrap

HERE = os.path.dirname(os.path.realpath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from wall_scan_derived import derivable, name_of, refused  # noqa: E402
from wall_scan_patches import WATCHED, PatchScan  # noqa: E402

MAX_USES = 50
_FIXTURES = {
    "mocker": "patching",
    **dict.fromkeys(["capfd", "capfdbinary", "capsysbinary"], "process"),
}
# What of `unittest.mock` only makes objects; which names `patch` may replace is read call by call.
_MOCKS = frozenset("Mock MagicMock AsyncMock PropertyMock NonCallableMock NonCallableMagicMock call ANY sentinel DEFAULT mock_open patch".split())
_MODULES = {
    "mock": "patching",
    **dict.fromkeys(["sqlite3", "shelve", "dbm"], "files"),
    **dict.fromkeys(["threading", "multiprocessing", "concurrent", "subprocess", "signal", "socket", "contextvars"], "process"),
    **dict.fromkeys(["pickle", "gc", "weakref", "marshal", "tracemalloc", "dis", "ctypes", "importlib", "inspect"], "introspection"),
}
_DUNDERS = frozenset("__dict__ __slots__ __context__ __traceback__ __code__ __globals__ __closure__ __annotations__".split())
_OWNED = {
    **dict.fromkeys([("os", name) for name in "putenv unsetenv".split()], "process"),
    ("time", "tzset"): "process",
    ("sys", "path"): "process",
    **dict.fromkeys([("sys", name) for name in "modules settrace getrefcount getsizeof setrecursionlimit".split()], "introspection"),
    ("pytest", "MonkeyPatch"): "patching",
}
_CALLS = {"vars": "introspection", "input": "process", "globals": "introspection"}
_PLAIN_BASES = frozenset("dict list set frozenset str bytes int float complex tuple type UserDict UserList UserString OrderedDict defaultdict deque Counter".split())
_OPENING = frozenset("open remove unlink mkdir makedirs rmtree rmdir copy copyfile move listdir glob iglob chdir".split())
# What of a module says or is, for things that crossed, what it says or is in one process.
_ASKED = {
    "inspect": frozenset("isgenerator iscoroutine iscoroutinefunction isclass".split()),
    "subprocess": frozenset("CalledProcessError TimeoutExpired CompletedProcess SubprocessError PIPE DEVNULL STDOUT".split()),
}
_HOOKS = frozenset("__get__ __set__ __delete__ __set_name__ __getattribute__ __instancecheck__ __subclasscheck__ __prepare__ __mro_entries__ __reduce__ __getstate__".split())


def main():
    request = json.load(sys.stdin)
    uses = []
    classes = scan_exports(request["exports"], uses)
    open_classes = derivable(classes.values())
    for file in request["files"]:
        scan_file(file, request, classes, open_classes, uses)
    sys.stdout.write(json.dumps({"uses": uses[:MAX_USES]}) + "\n")


def use(uses, kind, detail, file, line):
    if len(uses) < MAX_USES and not any(item["kind"] == kind and item["detail"] == detail for item in uses):
        uses.append({"kind": kind, "detail": str(detail)[:200], "file": file[:500], "line": line})


def scan_exports(exports, uses):
    """The declared classes by name; declarations of what only works in one process are listed."""
    classes = {}
    for text in exports:
        try:
            body = ast.parse(textwrap.dedent(text.expandtabs(4)).strip()).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            if isinstance(node, ast.ClassDef):
                if not _is_open(node):
                    classes[node.name] = node
                _scan_class(node, uses)
    return classes


def _is_open(node):
    # A protocol is only a shape, and an exception of the suite may be derived from one of the contract.
    return any(name_of(base) == "Protocol" for base in node.bases)


def _scan_class(node, uses):
    enum_like = any(name_of(base) in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") for base in node.bases)
    for base in node.bases:
        if name_of(base) in _PLAIN_BASES and not enum_like:
            use(uses, "shape", f"{node.name} is derived from {name_of(base)}", "", 0)
    # `total` of a TypedDict is a word of its declaration.
    if any(keyword.arg != "total" for keyword in node.keywords):
        use(uses, "shape", f"{node.name} has a metaclass or class arguments", "", 0)
    for item in node.body:
        if isinstance(item, ast.ClassDef):
            use(uses, "shape", f"{node.name} holds the class {item.name}", "", 0)
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name in _HOOKS:
            use(uses, "shape", f"{node.name} defines {item.name}", "", 0)


def scan_file(file, request, classes, open_classes, uses):
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        use(uses, "unread", "the file does not parse", file, 0)
        return
    patches = PatchScan(tree, request.get("modules", []), classes)
    only_asks = {name for name in _ASKED if _only_asks(tree, name, patches.owners)}
    whole = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Assign) for each in [*node.targets, node.value] for part in _parts(each)}
    goes = any(isinstance(node, ast.Attribute) and node.attr == "chdir" for node in ast.walk(tree))
    has_place = any(isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(tree))
    for detail, line in patches.refused:
        use(uses, "patching", detail, file, line)
    for detail, line in refused(tree, classes, open_classes):
        use(uses, "subclass", detail, file, line)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name in only_asks and item.asname is None:
                    continue
                _import(item.name, request, uses, file, line)
                _alias_of_mock(item.name, item, uses, file, line)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and not _only_names(node):
            _import(node.module or "", request, uses, file, line)
            for item in node.names:
                _import(f"{node.module}.{item.name}", request, uses, file, line)
                _alias_of_mock(f"{node.module}.{item.name}", item, uses, file, line)
                if node.module == "unittest.mock" and item.name not in _MOCKS:
                    use(uses, "patching", f"unittest.mock.{item.name}", file, line)
        elif isinstance(node, ast.arg) and node.arg in _FIXTURES:
            use(uses, _FIXTURES[node.arg], node.arg, file, line)
        elif isinstance(node, ast.Attribute):
            _attribute(node, uses, file, line)
            if f"{getattr(node.value, 'id', '')}.{node.attr}" in WATCHED and id(node) not in whole:
                use(uses, "process", f"sys.{node.attr}", file, line)
            if not goes and node.attr == "getcwd":
                use(uses, "process", "getcwd", file, line)
        elif isinstance(node, ast.Call) and _is_fixed_place(node, has_place):
            use(uses, "files", f"{name_of(node.func)} of a fixed place", file, line)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            use(uses, _CALLS[node.func.id], node.func.id, file, line)


def _parts(node):
    """What is assigned or assigned to, one by one: `a, b = c, d`."""
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _is_fixed_place(node, has_place):
    """A file that lies neither in the shared folder nor in the suite alone: `open("x")`, or any, where the suite asks where it lies itself."""
    if not isinstance(node.func, (ast.Name, ast.Attribute)) or name_of(node.func) not in _OPENING:
        return False
    if isinstance(node.func, ast.Name):
        first = node.args[0] if node.args else None
        return has_place or isinstance(first, (ast.Constant, ast.JoinedStr))
    owner = node.func.value
    is_module = isinstance(owner, ast.Name) and owner.id in ("os", "shutil", "glob", "io")
    return is_module and bool(node.args) and (isinstance(node.args[0], ast.Constant) or (has_place and node.func.attr == "chdir"))


def _only_names(node):
    """`from subprocess import CalledProcessError` and the like."""
    return node.module in _ASKED and all(item.name in _ASKED[node.module] for item in node.names)


def _only_asks(tree, name, owners):
    """True when a module's name is used for what may cross, or to replace what it has, and for nothing else."""
    asked = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in _ASKED[name]}
    return all(id(node) in asked or id(node) in owners for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name)


def _alias_of_mock(module, item, uses, file, line):
    if module == "unittest.mock" and item.asname not in (None, "mock"):
        use(uses, "patching", f"unittest.mock as {item.asname}", file, line)


def _attribute(node, uses, file, line):
    if node.attr in _DUNDERS:
        use(uses, "introspection", node.attr, file, line)
    owner = node.value.id if isinstance(node.value, ast.Name) else ""
    if (owner, node.attr) in _OWNED:
        use(uses, _OWNED[owner, node.attr], f"{owner}.{node.attr}", file, line)


def _import(name, request, uses, file, line):
    if name in request["otherModules"]:
        use(uses, "module", name, file, line)
    for module in (name, name.split(".")[0]):
        if module in _MODULES:
            use(uses, _MODULES[module], module, file, line)


if __name__ == "__main__":
    main()
