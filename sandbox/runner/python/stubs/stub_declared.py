"""Reads what a contract declares: imports, exports and raises as syntax trees, in an order in which each name is there (gate.md part 2)."""

import ast
import builtins

from stub_kinds import has_decorator, kind_of
from stub_parse import Problem, parse_export

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


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
                told = "Write it under exports" if isinstance(node, ast.Assign) else "Write for example: from typing import Any"
                problems.append(problem(("imports", index), "This is not an import of names", told))
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


def problem(item, reason, suggestion, line=1):
    """`where` is the list of the interface, `index` the place in it."""
    where, index = (item["where"], item["index"]) if isinstance(item, dict) else item
    return {"where": where, "index": index, "line": line, "reason": reason, "suggestion": suggestion}
