"""Makes the three stubs of a Python contract and imports each (gate.md parts 2 and 3).

Standard input: {exports, imports, raises, inert, contentFile, module, workDir?, dependencies?: [{module, names}]} as JSON.
Standard output: {"ok": true, "files": {raise, none, wrong}, "exports": [...]} or {"ok": false, "problems": [...]}.
{requests: [...]} asks for several contracts, each in a process of its own; the answers are a list, null for one that did not end well.
Start it as `python3 -s -P -B py_stubs.py` in a sandbox: a contract's expressions are evaluated.
"""

import ast
import builtins
import json
import os
import sys
import traceback
import types

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import suite_places  # noqa: E402
from stub_parse import KNOWN, Problem, parse_export, suggest_name, unknown_names  # noqa: E402
from stub_kinds import has_decorator, is_coroutine, is_fixed, kind_of, short  # noqa: E402
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


def problem(item, reason, suggestion, line=1):
    """`where` is the list of the interface, `index` the place in it."""
    where, index = (item["where"], item["index"]) if isinstance(item, dict) else item
    return {"where": where, "index": index, "line": line, "reason": reason, "suggestion": suggestion}


def read_imports(lines, problems):
    kept, names = [], set()
    for index, line in enumerate(lines):
        try:
            body = ast.parse(line).body
        except SyntaxError as error:
            problems.append(problem(("imports", index), f"The import does not parse: {error.msg}", "Write for example: from typing import Any"))
            continue
        for node in body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)) or (isinstance(node, ast.ImportFrom) and node.names[0].name == "*"):
                problems.append(problem(("imports", index), "This is not an import of names", "Write for example: from typing import Any"))
            elif getattr(node, "module", None) != "__future__":
                kept.append((index, ast.unparse(node)))
                names |= {(name.asname or name.name).split(".")[0] for name in node.names}
    return kept, names


def read_exports(exports, problems):
    declarations = {}
    for index, text in enumerate(exports):
        try:
            body = parse_export(text)
        except Problem as error:
            problems.append(problem(("exports", index), error.reason, error.suggestion, error.line))
            continue
        name = ast_name(body[0])
        if name in declarations:
            first = declarations[name]
            if all(has_decorator(node, "overload") for node in first["body"]):
                first["body"] += body
                continue
            problems.append(problem(("exports", index), f"'{name}' is declared twice", "Keep one of the two declarations"))
        else:
            declarations[name] = {"where": "exports", "index": index, "name": name, "body": body, "clause": f"E{index + 1}"}
    return list(declarations.values())


def ast_name(node):
    if isinstance(node, ast.AnnAssign):
        return node.target.id
    return node.targets[0].id if isinstance(node, ast.Assign) else node.name


def add_raises(raises, declarations, defined, problems):
    taken = {item["name"] for item in declarations} | defined
    for index, entry in enumerate(raises):
        text = (entry if isinstance(entry, str) else entry["type"]).strip()
        try:
            name = ast.parse(text, mode="eval").body
            call = name if isinstance(name, ast.Call) else None
            name = ast.unparse(call.func if call else name)
            bases = [ast.unparse(base) for base in call.args] if call else []
            if not all(part.isidentifier() for part in name.split(".")) or (call and call.keywords):
                raise SyntaxError
        except SyntaxError:
            problems.append(problem(("raises", index), f"'{text}' is not an exception name", "Write Name or Name(Base), for example PriceError(ValueError)"))
            continue
        if name in taken or "." in name or (hasattr(builtins, name) and not bases):
            continue
        taken.add(name)
        source = f"class {name}({', '.join(bases) or 'Exception'}): ..."
        declarations.append({"where": "raises", "index": index, "name": name, "body": ast.parse(source).body, "clause": f"R{index + 1}"})


def resolve_kinds(declarations):
    exceptions = set()
    for _round in range(len(declarations) + 1):
        for item in declarations:
            item["kind"] = "exception" if item["where"] == "raises" else kind_of(item["body"], exceptions)
        found = {item["name"] for item in declarations if item["kind"] == "exception"}
        if found == exceptions:
            return
        exceptions = found


def in_order(declarations, problems):
    """Declarations so that each name is there when it is evaluated; annotations are not evaluated."""
    waiting, done, ordered = list(declarations), set(), []
    names = {item["name"] for item in declarations}
    while waiting:
        ready = [item for item in waiting if not (evaluated(item["body"]) & names) - done - {item["name"]}]
        if not ready:
            problems.append(problem(waiting[0], "The declarations need each other", "Break the circle of bases and defaults"))
            return ordered
        ordered += ready
        done |= {item["name"] for item in ready}
        waiting = [item for item in waiting if item["name"] not in done]
    return ordered


def evaluated(body):
    # On `wrong` a constant is made of its declared type.
    typed = [node.annotation for node in body if isinstance(node, ast.AnnAssign)]
    found = {name.id for part in typed for name in ast.walk(part) if isinstance(name, ast.Name)}
    for node in body:
        for child in ast.walk(node):
            parts = []
            if isinstance(child, ast.ClassDef):
                parts = [*child.bases, *child.decorator_list, *(keyword.value for keyword in child.keywords)]
            elif isinstance(child, _FUNCTIONS):
                parts = [*child.args.defaults, *filter(None, child.args.kw_defaults)]
            elif isinstance(child, (ast.Assign, ast.AnnAssign)) and child.value is not None:
                parts = [child.value]
            found |= {name.id for part in parts for name in ast.walk(part) if isinstance(name, ast.Name)}
    return found


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
