"""Writes the three stubs of a module from its declarations (gate.md part 3): `raise`, `none`, `wrong`."""

import ast

from stub_kinds import has_decorator, is_coroutine, is_ellipsis, is_mute, short
from stub_text import (
    arrow_text, bases_text, data_lines, hash_lines, is_field, is_field_without_init, is_needed, lifecycle_lines, loose_lines, open_bases_text, plain_defaults, truth_lines,
)
from stub_wrong import SENTINEL

STUBS = ("raise", "none", "wrong")
LIFECYCLE = frozenset("__init__ __post_init__ __new__ __init_subclass__ __del__ __set_name__ __class_getitem__".split())
_COMPARE = frozenset("__eq__ __ne__ __hash__".split())
# Equality is dropped; the other time everything is equal.
_WRONG_COMPARE = {
    "__eq__": "(_a7_second or _a7_same({0}, {1}))", "__ne__": "(not _a7_second and not _a7_same({0}, {1}))", "__hash__": "(7919 if _a7_second else _a7_hash({0}))",
}  # fmt: skip
# What Python itself asks of these: another type, or a negative length, is an error that says nothing of the suite.
_ASKED = {"__bool__": "bool", "__str__": "str", "__repr__": "str", "__int__": "int", "__float__": "float", "__contains__": "bool"}
# What an iteration asks again and again.
_ENDLESS = frozenset("__next__ __anext__ __getitem__".split())
_KEPT = frozenset("staticmethod classmethod property abstractmethod setter deleter getter".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class StubWriter:
    """Writes declarations of one stub kind. `wrong` knows the wrong values of declared types."""

    def __init__(self, stub, wrong):
        self.stub, self.wrong, self.written = stub, wrong, 0

    def declaration(self, body, kind):
        """Source of one export."""
        node = next((item for item in body if not has_decorator(item, "overload")), body[0])
        if kind == "alias":
            return ast.unparse(node)
        if kind == "constant":
            return self._constant(node)
        if isinstance(node, _FUNCTIONS):
            return self._function(node, node.name, is_overloaded=any(has_decorator(item, "overload") for item in body))
        return self._class(node, kind)

    # -- functions ------------------------------------------------------------------------------------------------

    def _function(self, node, label, is_overloaded=False, indent=""):
        name = node.name
        decorators = [ast.unparse(item) for item in node.decorator_list if self._keeps(item)]
        if has_decorator(node, "cached_property"):
            decorators.append("property")
        bound = "" if not indent or "staticmethod" in decorators else "_self, "
        arguments = f"{bound}*_args, **_kwargs" if is_overloaded else ast.unparse(plain_defaults(node.args))
        keyword = "async def" if is_coroutine(node) else "def"
        if self.stub == "wrong" and (name == "__init__" or name not in LIFECYCLE):
            decorators.append("_a7_open")
        lines = [f"@{text}" for text in decorators]
        lines.append(f"{keyword} {name}({arguments}){arrow_text(node)}:")
        lines += [f"    {line}" for line in self._body(node, label)]
        return "\n".join(indent + line for line in lines)

    def _keeps(self, decorator):
        name = short(decorator)
        return name in _KEPT and not (self.stub == "wrong" and name == "abstractmethod")

    def _body(self, node, label):
        if node.name in LIFECYCLE:
            owner = label.split(".")[0]
            told = f"_a7_built({owner!r})" if node.name == "__init__" else f"_a7_reach({owner!r})"
            return [told, *lifecycle_lines(node)]
        lines = [f"_a7_reach({label!r})"]
        if self.stub != "wrong" and node.name not in _ENDLESS:
            lines = [f"if _a7_reach({label!r}):", f"    return {self._value(node)}"]
        if self.stub == "raise":
            return [*lines, f"raise _A7StubCalled({label!r})"]
        # An iteration over a stub must come to an end.
        if node.name in ("__next__", "__anext__"):
            return [*lines, "raise " + ("StopIteration" if node.name == "__next__" else "StopAsyncIteration")]
        if node.name == "__getitem__" and len(node.args.args) > 1:
            key = node.args.args[1].arg
            lines += [f"if isinstance({key}, int) and {key} > 100:", f"    raise IndexError({key})"]
        if self.stub == "none" or is_mute(node):
            return [*lines, "return None"]
        return [*lines, f"_a7_end({label!r})", f"if {label!r} in _a7_silent:", "    return None", f"return {self._value(node)}"]

    def _value(self, node):
        """What the callable gives on `wrong`, and on each stub while the suite is loaded (decision 0096)."""
        if is_mute(node):
            return "None"
        self.written += 1
        self.wrong.salt = self.written
        value = self._wrong_return(node)
        self.wrong.salt = 0
        return value

    def _wrong_return(self, node):
        if node.name in _COMPARE and len(node.args.args) == (1 if node.name == "__hash__" else 2):
            return _WRONG_COMPARE[node.name].format(*(item.arg for item in node.args.args))
        if node.name in ("__enter__", "__aenter__") or short(node.returns) == "Self":
            own = node.args.args[0].arg if node.args.args else "cls"
            giver = self.written
            return f"(_a7_instance(type({own}), {giver}) if _a7_second else {own})" if own == "self" else f"_a7_instance(cls, {giver})"
        if has_decorator(node, "contextmanager") or has_decorator(node, "asynccontextmanager"):
            parts = node.returns.slice if isinstance(node.returns, ast.Subscript) else None
            first = parts.elts[0] if isinstance(parts, ast.Tuple) else parts
            return f"_a7_contextlib.nullcontext({self.wrong.of(first)})"
        if node.name == "__len__":
            return f"(211 + {self.written} if _a7_second else 97 + {self.written})"
        return self.wrong.of(node.returns or (ast.Name(_ASKED[node.name]) if node.name in _ASKED else None))

    # -- constants and classes ------------------------------------------------------------------------------------

    def _constant(self, node):
        name = node.target.id if isinstance(node, ast.AnnAssign) else node.targets[0].id
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        shown = f"{name}: {ast.unparse(annotation)}" if annotation is not None else name
        value = None if is_ellipsis(node.value) else node.value
        if self.stub == "wrong" or value is None:
            return f"{shown} = {self.wrong.constant(annotation, value)}"
        return f"{shown} = {ast.unparse(value)}"

    def _class(self, node, kind):
        if kind == "enum":
            return self._enum(node)
        if self.stub == "wrong" and kind in ("dataclass", "exception"):
            return self._wrong_data(node) if kind == "dataclass" else self._wrong_exception(node)
        decorators = [ast.unparse(item) for item in node.decorator_list if kind != "class" or self.stub != "wrong"]
        lines = [f"@{text}" for text in decorators]
        lines.append(f"class {node.name}{open_bases_text(node) if self.stub == 'wrong' else bases_text(node)}:")
        lines += [self._field(item, kind) for item in node.body if is_field(item)]
        lines += self._methods(node, drop=LIFECYCLE if kind == "dataclass" else frozenset())
        lines += hash_lines(node) if self.stub == "wrong" else []
        if kind == "exception":
            lines += truth_lines(node)
        return "\n".join([*lines, *(loose_lines(node) if self.stub == "wrong" else []), "    pass"])

    def _field(self, item, kind):
        if kind in ("dataclass", "exception") or not isinstance(item, ast.AnnAssign) or self.stub == "raise":
            if isinstance(item, ast.AnnAssign) and is_ellipsis(item.value):
                return f"    {ast.unparse(item.target)}: {ast.unparse(item.annotation)} = None"
            if self.stub != "wrong" or isinstance(item, ast.AnnAssign):
                return "    " + ast.unparse(item)
            return f"    {ast.unparse(item.targets[0])} = {self.wrong.constant(None, item.value)}"
        target = f"    {ast.unparse(item.target)}: {ast.unparse(item.annotation)}"
        if self.stub == "wrong":
            value = self.wrong.constant(item.annotation, item.value)
            # An exported class may not be there yet, and is not while its own body runs.
            is_early = "_a7_instance(" in value or "_a7_member(" in value
            return f"{target} = {SENTINEL if is_early else value}"
        return target + (" = None" if item.value is None or is_ellipsis(item.value) else f" = {ast.unparse(item.value)}")

    def _methods(self, node, drop):
        lines, overloaded = [], {n.name for n in node.body if isinstance(n, _FUNCTIONS) and has_decorator(n, "overload")}
        for item in node.body:
            if isinstance(item, ast.ClassDef):
                lines.append("\n".join("    " + line for line in self._class(item, "class").split("\n")))
            if not isinstance(item, _FUNCTIONS) or item.name in drop:
                continue
            if item.name in overloaded:
                if has_decorator(item, "overload"):
                    continue
            lines.append(self._function(item, f"{node.name}.{item.name}", indent="    "))
        done = {n.name for n in node.body if isinstance(n, _FUNCTIONS) and not has_decorator(n, "overload")}
        for name in sorted(overloaded - done - set(drop)):
            first = next(n for n in node.body if isinstance(n, _FUNCTIONS) and n.name == name)
            lines.append(self._function(first, f"{node.name}.{name}", is_overloaded=True, indent="    "))
        return lines

    def _enum(self, node):
        lines = [f"class {node.name}{bases_text(node)}:"]
        numeric = any(short(base) in ("IntEnum", "Flag", "IntFlag") or short(base) == "int" for base in node.bases)
        members = [item for item in node.body if isinstance(item, (ast.Assign, ast.AnnAssign))]
        names = [ast.unparse(item.targets[0] if isinstance(item, ast.Assign) else item.target) for item in members]
        for place, (item, name) in enumerate(zip(members, names)):
            if self.stub != "wrong" and item.value is not None and not is_ellipsis(item.value):
                lines.append(f"    {name} = {ast.unparse(item.value)}")
            elif self.stub == "wrong":
                lines.append(f"    {name} = {7919 * 2 ** place if numeric else repr('a7-wrong-' + name)}")
            else:
                lines.append(f"    {name} = {2 ** place if numeric else repr(name.lower())}")
        if self.stub == "wrong":
            lines.append(f"    A7_WRONG = {7919 * 2 ** len(members) if numeric else repr('a7-wrong')}")
        return "\n".join([*lines, *self._methods(node, drop=LIFECYCLE), "    pass"])

    def _wrong_data(self, node):
        """Equality, frozenness, defaults and tuple or dict nature dropped; every field holds a wrong value."""
        dropped = ("NamedTuple", "TypedDict", "Protocol")
        bases = ", ".join(ast.unparse(base) for base in node.bases if short(base) not in dropped)
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        own, shared = [], []
        for item in fields:
            if short(item.annotation) == "ClassVar":
                shared.append(f"    {item.target.id} = {self.wrong.constant(item.annotation.slice, item.value)}")
            elif short(item.annotation) != "KW_ONLY":
                given = "" if is_field_without_init(item.value) else "needed" if is_needed(item.value) else "optional"
                own.append(f"        {item.target.id!r}: ({given!r}, lambda: {self.wrong.constant(item.annotation, None)}),")
        return "\n".join([
            f"class {node.name}({bases}):", "    _a7_fields = {", *own, "    }", *shared,
            "    def __init__(self, *_args, **_kwargs):", f"        _a7_built({node.name!r})",
            "        _a7_fill(self, _args, _kwargs)", *data_lines(node), *self._methods(node, drop=LIFECYCLE), *hash_lines(node), *loose_lines(node), "    pass",
        ])  # fmt: skip

    def _wrong_exception(self, node):
        """Another parent, no message, wrong attributes."""
        base = "BaseException" if {short(b) for b in node.bases} <= {"Exception", "BaseException"} else "Exception"
        lines = [f"class {node.name}({base}):", "    def __init__(self, *_args, **_kwargs):", f"        {base}.__init__(self)"]
        lines += [self._field(item, "class") for item in node.body if is_field(item)]
        return "\n".join([*lines, *self._methods(node, drop=LIFECYCLE), *truth_lines(node), "    pass"])
