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
    if isinstance(value, ast.Call) and short(value.func) in ("TypeVar", "TypeVarTuple", "NewType", "ParamSpec"):
        return "alias"
    if isinstance(node, ast.AnnAssign):
        return "alias" if short(node.annotation) == "TypeAlias" else "constant"
    is_type = isinstance(value, (ast.Subscript, ast.BinOp)) or (isinstance(value, ast.Name) and value.id in dir(builtins))
    return "alias" if is_type and not _has_number(value) else "constant"


def _class_kind(node, exceptions):
    bases = {short(base) for base in node.bases}
    if has_decorator(node, "dataclass") or bases & {"NamedTuple", "TypedDict"}:
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
