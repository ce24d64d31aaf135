"""Makes the three stubs of a Python contract and imports each (gate.md parts 2 and 3).

Standard input: {exports, imports, raises, inert, contentFile, module, workDir?, dependencies?: [{module, names}]} as JSON.
Standard output: {"ok": true, "files": {raise, none, wrong}, "exports": [...]} or {"ok": false, "problems": [...]}.
{requests: [...]} asks for several contracts, each in a process of its own; the answers are a list, null for one that did not end well.
Start it as `python3 -s -P -B py_stubs.py` in a sandbox: a contract's expressions are evaluated.
"""

import ast
import json
import os
import sys
import traceback
import types

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import suite_places  # noqa: E402
from stub_declared import add_raises, in_order, problem, read_exports, read_imports, resolve_kinds  # noqa: E402
from stub_kinds import has_decorator, is_coroutine, is_fixed, short  # noqa: E402
from stub_parse import KNOWN, suggest_name, unknown_names  # noqa: E402
from stub_prelude import PRELUDE  # noqa: E402
from stub_write import LIFECYCLE, STUBS, StubWriter  # noqa: E402
from stub_wrong import WrongValues  # noqa: E402

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def main():
    request = json.load(sys.stdin)
    answers = os.dup(1)
    os.dup2(2, 1)  # What imported modules print is not the answer.
    answer = json.dumps([in_child(each) for each in request["requests"]] if "requests" in request else build(request))
    data = ("\n" + answer + "\n").encode()
    while data:
        data = data[os.write(answers, data):]
    os._exit(0)


def in_child(request):
    """The answer of a process that has read no other contract; None where it ends without one."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with os.fdopen(write_end, "w", encoding="utf-8") as target:
                json.dump(build(request), target)
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as source:
        text = source.read()
    os.waitpid(pid, 0)
    try:
        return json.loads(text)
    except ValueError:
        return None


def build(request):
    problems = []
    imports, imported = read_imports(request.get("imports", []), problems)
    declarations = read_exports(request.get("exports", []), problems)
    dependencies = {name: item["module"] for item in request.get("dependencies", []) for name in item["names"]}
    add_raises(request.get("raises", []), declarations, imported | set(dependencies), problems)
    known = imported | set(dependencies) | {item["name"] for item in declarations}
    for item in declarations:
        first = {}
        for name, line in unknown_names(item["body"], known):
            first.setdefault(name, line)
        for name, line in first.items():
            problems.append(problem(item, f"The name '{name}' is not defined", suggest_name(name, known), line))
    if problems:
        return {"ok": False, "problems": problems}
    resolve_kinds(declarations)
    ordered = in_order(declarations, problems)
    head = header(imports, imported, dependencies, declarations)
    files = {}
    for stub in STUBS:
        files[stub], places = write(stub, head, ordered)
        if not problems:
            check_import(files[stub], places, request, problems)
    if problems:
        return {"ok": False, "problems": problems}
    return {"ok": True, "files": files, "exports": described(declarations, set(request.get("inert", [])))}


def header(imports, imported, dependencies, declarations):
    # A field may have the name of what another module exports.
    names = [name for item in declarations for node in item["body"] for name in ast.walk(node) if isinstance(name, ast.Name)]
    used = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    own = {item["name"] for item in declarations}
    lines = [text for _index, text in imports]
    for name in sorted(used - imported - own):
        if name in dependencies:
            lines.append(f"from {dependencies[name]} import {name}")
        elif name in KNOWN:
            lines.append(f"from {KNOWN[name]} import {name}")
    kinds = {entry["name"]: "async" if entry["async"] else entry["kind"] for entry in described(declarations, frozenset())}
    return "\n".join(["from __future__ import annotations", *lines, PRELUDE, f"_a7_declare({kinds!r})", ""])


def write(stub, head, ordered):
    kinds = {item["name"]: item["kind"] for item in ordered if item["kind"] in ("class", "dataclass", "enum", "exception")}
    aliases = {item["name"]: item["body"][0].value for item in ordered if item["kind"] == "alias" and hasattr(item["body"][0], "value")
               and not isinstance(item["body"][0].value, ast.Call)}  # fmt: skip
    writer = StubWriter(stub, WrongValues(kinds, aliases, records_of(ordered)))
    # Two stubs give two wrong values while the suite is loaded: what it derives names of tests from differs then.
    text, places = head + ("_a7_second = True\n" if stub == "none" else ""), []
    for item in ordered:
        places.append((text.count("\n") + 1, item))
        text += "\n" + writer.declaration(item["body"], item["kind"]) + "\n"
    return text, places


def records_of(ordered):
    """Fields of typed dicts by name, those of bases before their own."""
    nodes = {item["name"]: item["body"][0] for item in ordered if isinstance(item["body"][0], ast.ClassDef)}
    found = {}
    for name, node in nodes.items():
        bases = [short(base) for base in node.bases]
        if "TypedDict" in bases or any(base in found for base in bases):
            own = [(field.target.id, field.annotation) for field in node.body if isinstance(field, ast.AnnAssign)]
            found[name] = [field for base in bases for field in found.get(base, [])] + own
    return found


def check_import(source, places, request, problems):
    """Runs the module as an import would. A failure names the declaration."""
    file = request["contentFile"]
    name = request["module"]
    module = types.ModuleType(name)
    module.__file__ = file
    sys.path[:] = [*suite_places.places(request.get("workDir", "/work")), *[entry for entry in sys.path if entry != HERE]]
    sys.modules[name] = module
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:  # noqa: BLE001 - whatever the contract's expressions raise
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        line = error.lineno if isinstance(error, SyntaxError) else (lines[0] if lines else 0)
        owner = next((item for start, item in reversed(places) if start <= (line or 0)), None)
        reason = f"The stub does not import: {type(error).__name__}: {error}"
        if owner is None:
            problems.append(problem(("imports", import_index(request, error)), reason, "Correct the import line, or add the package to 'requires'"))
        else:
            problems.append(problem(owner, reason, "Use bases and default values that exist when the module is imported; write '= ...' for a default that is not part of the contract"))
    finally:
        sys.modules.pop(name, None)


def import_index(request, error):
    """The import line that names what could not be imported, else None."""
    wanted = getattr(error, "name", None) or ""
    return next((index for index, line in enumerate(request.get("imports", [])) if wanted and wanted in line), None)


def described(declarations, inert):
    found = []
    bare = {item["name"] for item in declarations if is_bare(item)}
    for item in declarations:
        node, kind, name = item["body"][-1], item["kind"], item["name"]
        quiet = name in inert or kind == "alias"
        found.append(entry(name, kind, [node] if kind == "function" else [], quiet, item["clause"], bare))
        if isinstance(node, ast.ClassDef) and kind != "alias":
            methods = {}
            for method in node.body:
                if isinstance(method, _FUNCTIONS) and method.name not in LIFECYCLE:
                    methods.setdefault(method.name, []).append(method)
            for key, nodes in methods.items():
                label = f"{name}.{key}"
                # Nobody can call what is abstract: its overrides are declared where they are.
                if not all(has_decorator(each, "abstractmethod") for each in nodes):
                    found.append(entry(label, "method", nodes, quiet or label in inert, item["clause"], bare))
    return found


def is_bare(item):
    """A class of whose objects only the class can be asserted."""
    node = item["body"][-1]
    if item["kind"] not in ("class", "dataclass", "exception"):
        return False
    return not node.bases and not any(isinstance(part, (ast.AnnAssign, ast.Assign, *_FUNCTIONS)) and getattr(part, "name", "") not in LIFECYCLE for part in node.body)


def entry(name, kind, calls, is_inert, clause, bare):
    """`calls` are the declarations of a callable: several of a property that can be set."""
    is_async = bool(calls) and is_coroutine(calls[-1])
    fixed = bool(calls) and all(is_fixed(node, bare) for node in calls)
    return {"name": name, "kind": kind, "callable": bool(calls), "async": is_async, "inert": is_inert, "fixed": fixed, "clauseId": clause}


if __name__ == "__main__":
    main()
