"""Reads a suite and the declarations it tests, and lists what cannot cross the wall (gate.md part 11). Nothing is run.

Standard input, JSON: {files, otherModules, exports}: the suite's Python files below the work folder, the modules of the
project that no contract here is about, and every declaration. Standard output: {"uses": [{kind,
detail, file, line}]}. Start it as `python3 -s -P -B wall_scan.py` in the work folder.
"""

import ast
import json
import os
import sys
import textwrap

MAX_USES = 50
# From this many rounds on a loop's calls would take longer behind the wall than a test may.
MAX_ROUNDS = 30_000
_FIXTURES = {
    **dict.fromkeys(["monkeypatch", "mocker"], "patching"),
    **dict.fromkeys(["tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"], "files"),
    **dict.fromkeys(["caplog", "recwarn"], "records"),
    **dict.fromkeys(["capfd", "capfdbinary", "capsysbinary"], "process"),
}
# What of `unittest.mock` only makes objects; all else of it replaces names.
_MOCKS = frozenset("Mock MagicMock AsyncMock NonCallableMock NonCallableMagicMock call ANY sentinel DEFAULT".split())
_PATCHES = frozenset("patch mock_open".split())
_MODULES = {
    "mock": "patching",
    **dict.fromkeys(["tempfile", "shutil", "glob", "sqlite3", "shelve"], "files"),
    **dict.fromkeys(["threading", "multiprocessing", "concurrent", "subprocess", "signal", "socket", "contextvars"], "process"),
    **dict.fromkeys(["pickle", "gc", "weakref", "marshal", "tracemalloc", "dis", "ctypes", "importlib", "inspect"], "introspection"),
    **dict.fromkeys(["logging", "warnings"], "records"),
}
_DUNDERS = frozenset("__dict__ __slots__ __cause__ __context__ __traceback__ __code__ __globals__ __closure__ __annotations__".split())
_OWNED = {
    **dict.fromkeys([("os", name) for name in "environ getenv putenv chdir getcwd".split()], "process"),
    **dict.fromkeys([("sys", name) for name in "stdin argv path".split()], "process"),
    **dict.fromkeys([("sys", name) for name in "modules settrace getrefcount getsizeof setrecursionlimit".split()], "introspection"),
    **dict.fromkeys([("pytest", name) for name in "warns deprecated_call".split()], "records"),
}
_CALLS = {"open": "files", "vars": "introspection", "input": "process", "globals": "introspection"}
_PLAIN_BASES = frozenset("dict list set frozenset str bytes int float complex tuple type UserDict UserList UserString OrderedDict defaultdict deque Counter".split())
# What of `inspect` says of things that crossed what it says in one process.
_ASKED = frozenset("isgenerator iscoroutine iscoroutinefunction isclass".split())
_HOOKS = frozenset("__get__ __set__ __delete__ __set_name__ __getattribute__ __instancecheck__ __subclasscheck__ __prepare__ __mro_entries__ __reduce__ __getstate__".split())


def main():
    request = json.load(sys.stdin)
    uses = []
    classes = scan_exports(request["exports"], uses)
    for file in request["files"]:
        scan_file(file, request, classes, uses)
    sys.stdout.write(json.dumps({"uses": uses[:MAX_USES]}) + "\n")


def use(uses, kind, detail, file, line):
    if len(uses) < MAX_USES and not any(item["kind"] == kind and item["detail"] == detail for item in uses):
        uses.append({"kind": kind, "detail": str(detail)[:200], "file": file[:500], "line": line})


def scan_exports(exports, uses):
    """Names of the declared classes; declarations of what only works in one process are listed."""
    classes = set()
    for text in exports:
        try:
            body = ast.parse(textwrap.dedent(text.expandtabs(4)).strip()).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            if isinstance(node, ast.ClassDef):
                if not _is_open(node):
                    classes.add(node.name)
                _scan_class(node, uses)
    return classes


def _is_open(node):
    # A protocol is only a shape, and an exception of the suite may be derived from one of the contract.
    return any(_name(base) == "Protocol" for base in node.bases)


def _scan_class(node, uses):
    enum_like = any(_name(base) in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") for base in node.bases)
    for base in node.bases:
        if _name(base) in _PLAIN_BASES and not enum_like:
            use(uses, "shape", f"{node.name} is derived from {_name(base)}", "", 0)
    if node.keywords:
        use(uses, "shape", f"{node.name} has a metaclass or class arguments", "", 0)
    for item in node.body:
        if isinstance(item, ast.ClassDef):
            use(uses, "shape", f"{node.name} holds the class {item.name}", "", 0)
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name in _HOOKS:
            use(uses, "shape", f"{node.name} defines {item.name}", "", 0)


def scan_file(file, request, classes, uses):
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        use(uses, "unread", "the file does not parse", file, 0)
        return
    for rounds, line in long_loops(tree):
        use(uses, "calls", f"{rounds} times", file, line)
    only_asks = _only_asks(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name == "inspect" and item.asname is None and only_asks:
                    continue
                _import(item.name, request, uses, file, line)
                _alias_of_mock(item.name, item, uses, file, line)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
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
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            use(uses, _CALLS[node.func.id], node.func.id, file, line)
        elif isinstance(node, ast.ClassDef):
            for base in node.bases:
                if _name(base) in classes:
                    use(uses, "subclass", f"{node.name} is derived from {_name(base)}", file, line)


def long_loops(tree):
    """Loops over `range` of numbers that the text states, with those around them, that call something too often."""
    constants = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def inside(node, around):
        rounds = around
        if isinstance(node, (ast.For, ast.AsyncFor)):
            rounds *= _rounds(node.iter, constants)
            calls = any(isinstance(item, ast.Call) for part in node.body for item in ast.walk(part))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for generator in node.generators:
                rounds *= _rounds(generator.iter, constants)
            calls = any(isinstance(item, ast.Call) for part in _results(node) for item in ast.walk(part))
        if rounds > around and rounds >= MAX_ROUNDS and calls:
            yield rounds, node.lineno
        for child in ast.iter_child_nodes(node):
            yield from inside(child, rounds)

    return inside(tree, 1)


def _results(node):
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _rounds(node, constants):
    """How often a loop over this goes round, as far as the text says it; 1 where it does not."""
    if not (isinstance(node, ast.Call) and _name(node.func) == "range" and 1 <= len(node.args) <= 3):
        return 1
    bounds = [_value(part, constants) for part in node.args]
    if None in bounds or 0 in bounds[2:] or max(map(abs, bounds)) > 10**15:
        return 1
    return max(1, len(range(*bounds)))


def _value(node, constants, depth=0):
    if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 10**12:
        return node.value
    if isinstance(node, ast.Name) and node.id in constants and depth < 4:
        return _value(constants[node.id], constants, depth + 1)
    if not isinstance(node, ast.BinOp) or depth > 20:
        return None
    left, right = (_value(part, constants, depth + 1) for part in (node.left, node.right))
    if left is None or right is None or max(abs(left), abs(right)) > 10**12:
        return None
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Pow):
        return left**right if 0 <= right <= 32 and abs(left) <= 10**6 else None
    return None


def _only_asks(tree):
    """True when the name `inspect` is used for questions that may cross and for nothing else."""
    asked = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in _ASKED}
    return all(id(node) in asked for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "inspect")


def _alias_of_mock(module, item, uses, file, line):
    if module == "unittest.mock" and item.asname not in (None, "mock"):
        use(uses, "patching", f"unittest.mock as {item.asname}", file, line)


def _attribute(node, uses, file, line):
    if node.attr in _PATCHES and _name(node.value) == "mock":
        use(uses, "patching", f"mock.{node.attr}", file, line)
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


def _name(node):
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


if __name__ == "__main__":
    main()
