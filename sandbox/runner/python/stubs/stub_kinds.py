"""What kind of export a declaration is."""

import ast
import builtins

_ENUMS = frozenset("Enum IntEnum StrEnum Flag IntFlag".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def kind_of(body, exceptions):
    """Kind of an export. `exceptions` names exported exceptions known so far."""
    node = body[-1]
    if isinstance(node, _FUNCTIONS):
        return "function"
    if isinstance(node, ast.ClassDef):
        return _class_kind(node, exceptions)
    value = node.value
    if isinstance(value, ast.Call) and short(value.func) in ("TypeVar", "TypeVarTuple", "NewType", "ParamSpec", "TypedDict"):
        return "alias"
    if isinstance(node, ast.AnnAssign):
        return "alias" if short(node.annotation) == "TypeAlias" else "constant"
    is_type = isinstance(value, (ast.Subscript, ast.BinOp)) or (isinstance(value, ast.Name) and value.id in dir(builtins))
    return "alias" if is_type and not _has_number(value) else "constant"


def _class_kind(node, exceptions):
    bases = {short(base) for base in node.bases}
    if "TypedDict" in bases:
        return "alias"  # Its values are dicts: nothing of it runs.
    if has_decorator(node, "dataclass") or "NamedTuple" in bases:
        return "dataclass"
    if bases & _ENUMS:
        return "enum"
    if any(is_exception_name(base) or base in exceptions for base in bases):
        return "exception"
    return "alias" if "Protocol" in bases else "class"


def is_coroutine(node):
    """Whether a call gives something to await. `async def f() -> AsyncIterator[int]` is how people declare an async generator."""
    generators = ("AsyncIterator", "AsyncIterable", "AsyncGenerator")
    return isinstance(node, ast.AsyncFunctionDef) and short(node.returns) not in generators


def is_mute(node):
    """Whether a callable gives nothing back by what it is, whatever is declared."""
    return node.name in ("__exit__", "__aexit__") or has_decorator(node, "setter") or has_decorator(node, "deleter")


def is_fixed(node, bare):
    """Whether no other value of the declared type can be given than `wrong` would give anyway. `bare` names classes without members."""
    returns = node.returns
    if isinstance(returns, ast.Subscript) and short(returns) in ("Awaitable", "Coroutine"):
        returns = returns.slice.elts[-1] if isinstance(returns.slice, ast.Tuple) else returns.slice
    if isinstance(returns, ast.Constant) and returns.value in (None, "None"):
        return True
    if isinstance(returns, ast.Subscript) and short(returns) == "Literal":
        return not isinstance(returns.slice, ast.Tuple)
    name = returns.value if isinstance(returns, ast.Constant) else short(returns)
    return is_mute(node) or node.name in ("__next__", "__anext__") or name in bare or name in ("NoReturn", "Never")


def is_exception_name(name):
    value = getattr(builtins, name, None)
    return (isinstance(value, type) and issubclass(value, BaseException)) or name.endswith(("Error", "Exception", "Warning"))


def has_decorator(node, name):
    return any(short(item) == name for item in getattr(node, "decorator_list", []))


def _has_number(value):
    return any(isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) for node in ast.walk(value))


def is_ellipsis(node):
    return isinstance(node, ast.Constant) and node.value is ...


def short(node):
    if isinstance(node, ast.Call):
        return short(node.func)
    if isinstance(node, ast.Subscript):
        return short(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
