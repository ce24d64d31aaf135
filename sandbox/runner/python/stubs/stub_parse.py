"""Reads the `.pyi` statements of a contract (gate.md part 2): one declaration an export, or the reason why not and what to write."""

import ast
import builtins
import copy
import difflib
import re
import textwrap

# Names that a declaration may use without an import line; the stub imports them.
KNOWN = {
    **dict.fromkeys(
        "Any Union Optional Literal Final ClassVar Protocol TypedDict NamedTuple TypeVar Generic NewType TypeAlias Self "
        "overload runtime_checkable Annotated NoReturn Never Required NotRequired ParamSpec Concatenate List Dict Set "
        "Tuple FrozenSet Type Text IO TextIO BinaryIO Hashable SupportsInt SupportsFloat final".split(),
        "typing",
    ),
    **dict.fromkeys(
        "Callable Iterator Iterable Generator AsyncIterator AsyncIterable AsyncGenerator Awaitable Coroutine Sequence "
        "MutableSequence Mapping MutableMapping MutableSet Collection Container Sized KeysView ValuesView ItemsView "
        "Reversible".split(),
        "collections.abc",
    ),
    **dict.fromkeys("dataclass field KW_ONLY InitVar".split(), "dataclasses"),
    **dict.fromkeys("Enum IntEnum StrEnum Flag IntFlag auto".split(), "enum"),
    **dict.fromkeys("ABC abstractmethod".split(), "abc"),
    **dict.fromkeys("contextmanager asynccontextmanager AbstractContextManager AbstractAsyncContextManager".split(), "contextlib"),
    **dict.fromkeys("datetime date time timedelta timezone".split(), "datetime"),
    **dict.fromkeys("cached_property lru_cache cache".split(), "functools"),
    **dict.fromkeys("OrderedDict defaultdict deque Counter".split(), "collections"),
    "Decimal": "decimal", "Fraction": "fractions", "Path": "pathlib", "UUID": "uuid",
}  # fmt: skip
_BUILTINS = frozenset(dir(builtins))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Problem(Exception):
    """A declaration that cannot be used."""

    def __init__(self, reason, suggestion, line=1):
        super().__init__(reason)
        self.reason, self.suggestion, self.line = reason, suggestion, line


def parse_export(text):
    """Statements of one export: one declaration, or several overloads of one function. Raises Problem."""
    source = textwrap.dedent(text.expandtabs(4)).strip()
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        raise Problem(
            f"The declaration does not parse: {getattr(error, 'msg', error)}", suggest(source), getattr(error, "lineno", 1) or 1
        ) from None
    for node in body:
        if isinstance(node, ast.ClassDef):
            node.body = [_method_of_alias(item, node) for item in node.body]
    body = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))] or body
    names = {declared(node, source) for node in body}
    if len(names) > 1:
        raise Problem("One export is one declaration; this one declares " + ", ".join(sorted(names)),
                      "Write each of them as an entry of its own in 'exports'", body[1].lineno)  # fmt: skip
    if len(body) > 1 and not all(isinstance(node, _FUNCTIONS) for node in body):
        raise Problem(f"'{names.pop()}' is declared twice", "Keep one declaration", body[1].lineno)
    return body


def _method_of_alias(item, owner):
    """`__rmul__ = __mul__` declares a method like the other one."""
    if not (isinstance(item, ast.Assign) and len(item.targets) == 1 and isinstance(item.value, ast.Name) and isinstance(item.targets[0], ast.Name)):
        return item
    other = next((each for each in owner.body if isinstance(each, _FUNCTIONS) and each.name == item.value.id), None)
    if other is None:
        return item
    method = copy.deepcopy(other)
    method.name = item.targets[0].id
    return method


def declared(node, source):
    """Name that a statement declares. Raises Problem for other statements."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        _refuse_code(node)
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        raise Problem("An import is not an export", f"Move it to 'imports': {ast.unparse(node)}", node.lineno)
    raise Problem("This is not a declaration", suggest(source), getattr(node, "lineno", 1))


def _refuse_code(node):
    """A declaration has no body of its own: code in a contract would be shown to nobody and run by nobody."""
    functions = [node] if isinstance(node, _FUNCTIONS) else [n for n in node.body if isinstance(n, _FUNCTIONS)]
    for function in functions:
        for statement in function.body:
            plain = isinstance(statement, ast.Pass) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            )
            if not plain:
                raise Problem(f"The body of '{function.name}' holds code; a declaration ends with '...'",
                              f"{_head(function)} ...", statement.lineno)  # fmt: skip


def _head(function):
    copy = ast.parse(ast.unparse(function)).body[0]
    copy.body = [ast.Expr(ast.Constant(...))]
    return ast.unparse(copy).replace("\n    ...", "")


def suggest(source):
    """What the writer probably meant, as text that parses; else a hint."""
    for candidate in _candidates(source):
        try:
            body = ast.parse(candidate).body
        except (SyntaxError, ValueError):
            continue
        if len(body) == 1 and _is_declaration(body[0]):
            return candidate
    return "Write one Python declaration, for example: def parse(text: str) -> int: ..."


def _is_declaration(node):
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and not isinstance(node.annotation, ast.Constant)
    try:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            _refuse_code(node)
    except Problem:
        return False
    return isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Assign))


def _candidates(source):
    text = source.strip().rstrip(";").strip()
    text = text.translate({0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'"})
    arrow = text.replace("=>", "->")
    untyped = re.sub(r"^(export\s+)?(default\s+)?(async\s+)?(function\*?|fn|func|fun)\s+", r"\3", arrow)
    pythonic = _python_types(re.sub(r"\)\s*:\s*([\w\[\], .|<>]+)$", r") -> \1", untyped))
    is_foreign = re.search(r"\b(string|number|boolean|void)\b", text)
    for base in dict.fromkeys([pythonic] if is_foreign else [text, arrow, untyped, pythonic]):
        yield base + " ..."
        yield base + ": ..."
        yield base.rstrip(".… ").rstrip(":") + ": ..."
        for prefix in ("def ", "async def "):
            stripped = base.removeprefix("async ") if prefix == "async def " else base
            yield prefix + stripped
            yield prefix + stripped.rstrip(":") + ": ..."
    constant = re.fullmatch(r"(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::\s*([\w\[\]]+))?\s*(=.*)?", text)
    if constant:
        yield _python_types(f"{constant[1]}: {constant[2] or 'object'} {constant[3] or ''}".strip())
    one_line = re.fullmatch(r"((?:@\S+\s+)*)class (\w+)\s*(\([^)]*\))?\s*:?\s*(.*)", text, re.S)
    if one_line:
        head = one_line[1].strip() + ("\n" if one_line[1].strip() else "") + f"class {one_line[2]}"
        members = [part.strip() for part in re.split(r"[;,]", one_line[4]) if ":" in part]
        yield f"{head}{one_line[3] or ''}:\n    " + ("\n    ".join(members) or "...")
        yield f"@dataclass\nclass {one_line[2]}:\n    " + "\n    ".join((one_line[3] or "").strip("()").split(", "))
    call = re.fullmatch(r"(\w+)\((.*)\)", text, re.S)
    if call:
        names = re.findall(r"\w+", call[2])
        yield f"def {call[1]}({', '.join(names)}): ..."
    if re.fullmatch(r"[A-Z][A-Z0-9_]*", text):
        yield f"{text}: int"
    elif re.fullmatch(r"[A-Z]\w*", text):
        yield f"class {text}: ..."
    elif re.fullmatch(r"\w+", text):
        yield f"def {text}() -> None: ..."


def _python_types(text):
    for old, new in (("string", "str"), ("number", "float"), ("boolean", "bool"), ("void", "None"), ("null", "None")):
        text = re.sub(rf"\b{old}\b", new, text)
    return re.sub(r"\b(\w+)\[\]", r"list[\1]", text)


def unknown_names(body, known):
    """(name, line) of names that nothing defines."""
    found = []
    for node in body:
        local = {n.name for n in ast.walk(node) if isinstance(n, (*_FUNCTIONS, ast.ClassDef))}
        local |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        local |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        for name in _loaded(node):
            if name.id not in local and name.id not in known and name.id not in _BUILTINS and name.id not in KNOWN:
                found.append((name.id, name.lineno))
    return found


def _loaded(node):
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            yield child


def suggest_name(name, known):
    """What to do about an unknown name."""
    near = difflib.get_close_matches(name, [*known, *KNOWN, *_BUILTINS], n=1, cutoff=0.75)
    if re.fullmatch(r"[A-Z][A-Z]?|_?T(_\w+)?", name):
        return f'Add the export {name} = TypeVar("{name}") before it'
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"Declare '{name}' as an export or a raise, or add its import line to 'imports'{hint}"
