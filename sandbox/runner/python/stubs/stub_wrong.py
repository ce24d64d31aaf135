"""Wrong values of a declared type, as Python expressions: right shape, never right (gate.md part 3).

Each expression has two values: what one happens to satisfy (`assert f(x)` of a bool) the other does not. And each callable has
values of its own (`salt`), so that the result of one is not taken for the expected value that another one makes.
"""

import ast

SENTINEL = '"a7-wrong"'
_LISTS = frozenset("list List Sequence MutableSequence Collection deque".split())
_SETS = frozenset("set Set frozenset FrozenSet AbstractSet MutableSet KeysView".split())
_DICTS = frozenset("dict Dict Mapping MutableMapping OrderedDict defaultdict Counter".split())
_ITERATORS = frozenset("Iterator Iterable Generator Reversible Container".split())
_ASYNC = frozenset("AsyncIterator AsyncIterable AsyncGenerator".split())
_AWAIT = frozenset("Awaitable Coroutine Future Task".split())
_INNER = frozenset("Optional Annotated Final ClassVar Required NotRequired InitVar".split())
_MANAGERS = frozenset("AbstractContextManager AbstractAsyncContextManager ContextManager AsyncContextManager".split())
# No number is negative: "at least nothing" is said of any result. None is so large that a loop over it takes its time.
_NEXT = "(211 + {n} if _a7_second else 97 + {n})"
_SIMPLE = {
    "int": _NEXT, "float": "(211.75 + {n} if _a7_second else 97.25 + {n})", "complex": "complex(97, 1 + {n})", "str": "{text}",
    "bool": "(not _a7_second)", "bytes": "{text}.encode()", "bytearray": "bytearray({text}.encode())", "None": "None",
    "object": "{text}", "Any": "{text}", "list": "[{text}]", "List": "[{text}]", "dict": "{{{text}: {text}}}", "Dict": "{{{text}: {text}}}",
    "set": "{{{text}}}", "frozenset": "frozenset([{text}])", "tuple": "({text},)", "Callable": "_a7_callable(lambda: None)",
    "Hashable": "{text}", "type": "object", "Iterator": "iter([{text}])", "Iterable": "[{text}]",
}  # fmt: skip
_CALLS = {
    "date": "(1977, 7, 7)", "datetime": "(1977, 7, 7)", "time": "(7, 7, 7)", "timedelta": "(days=97)",
    "Decimal": '("97.25")', "Fraction": "(97, 2)", "Path": f"({SENTINEL})", "PurePath": f"({SENTINEL})", "UUID": "(int=7919)",
}  # fmt: skip


class WrongValues:
    """`kinds` maps exported names to their kind, `aliases` to the expression they stand for, `records` typed dicts to their fields."""

    def __init__(self, kinds, aliases, records):
        self.kinds, self.aliases, self.records = kinds, aliases, records
        self.salt = 0

    def text(self):
        """A string that nobody expects."""
        mark = f"-{self.salt}" if self.salt else ""
        return f'("a7-other{mark}" if _a7_second else "a7-wrong{mark}")'

    def of(self, annotation, depth=0):
        """Expression text of a wrong value for an annotation (an ast node or None)."""
        if annotation is None or depth > 8:
            return self.text()
        if isinstance(annotation, ast.Constant):
            return self._constant(annotation, depth)
        if isinstance(annotation, ast.BinOp):
            return self._one_of(_alternatives(annotation), depth)
        if isinstance(annotation, ast.Subscript):
            return self._generic(annotation, depth)
        name = _short(annotation)
        if name in self.aliases:
            return self.of(self.aliases[name], depth + 1)
        if name in self.kinds:
            return f"_a7_member({name})" if self.kinds[name] == "enum" else f"_a7_instance({name}, {self.salt})"
        if name in self.records:
            fields = (f"{field!r}: {self.of(kind, depth + 3)}" for field, kind in self.records[name])
            return "{" + ", ".join(fields) + "}"
        if name in _CALLS:
            return ast.unparse(annotation) + _CALLS[name]
        return _SIMPLE.get(name, "{text}").format(n=self.salt, text=self.text())

    def _one_of(self, parts, depth):
        """Of a union the first part and, the other time, the last one; `None` is what `none` gives."""
        given = [part for part in parts if not _is_none(part)] or parts[:1]
        first, last = self.of(given[0], depth + 1), self.of(given[-1], depth + 1)
        return first if len(given) == 1 else f"({last} if _a7_second else {first})"

    def _constant(self, node, depth):
        if node.value is None:
            return "None"
        if isinstance(node.value, str):
            try:
                return self.of(ast.parse(node.value, mode="eval").body, depth + 1)
            except SyntaxError:
                return self.text()
        return self.text()

    def _generic(self, node, depth):
        name, parts = _short(node.value), _parts(node.slice)
        first = self.of(parts[0], depth + 1) if parts and name != "Literal" else self.text()
        if name in _INNER:
            return first
        if name == "Union":
            return self._one_of(parts, depth)
        if name == "Literal":
            return ast.unparse(parts[-1]) if len(parts) == 1 else f"({ast.unparse(parts[0])} if _a7_second else {ast.unparse(parts[-1])})"
        if name in _LISTS:
            return f"([{first}] * (2 if _a7_second else 1))"
        if name in _SETS:
            return f"frozenset([{first}])" if name in ("frozenset", "FrozenSet") else f"{{{first}}}"
        if name in ("tuple", "Tuple"):
            kept = [part for part in parts if not _is_ellipsis(part)]
            return "(" + "".join(f"{self.of(part, depth + 1)}, " for part in kept) + ")"
        if name in _DICTS:
            second = self.of(parts[1], depth + 1) if len(parts) > 1 else _NEXT.format(n=self.salt)
            return f"{{{first}: {second}}}"
        if name in _ITERATORS:
            return f"iter([{first}])"
        if name in _ASYNC:
            return f"_a7_async_iterator([{first}])"
        if name in _AWAIT:
            return f"_a7_awaitable({self.of(parts[-1], depth + 1)})"
        if name in _MANAGERS:
            return f"_a7_contextlib.nullcontext({first})"
        if name == "Callable":
            return f"_a7_callable(lambda: {self.of(parts[-1], depth + 1)})"
        return self.of(node.value, depth + 1)

    def constant(self, annotation, value):
        """A wrong value for a module or class constant, different from `value` where one is declared."""
        if isinstance(value, ast.Constant) and not _is_ellipsis(value):
            return _other_literal(value.value)
        if isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
            return _other_literal(value.operand.value)
        if annotation is not None and _short(annotation) not in ("Final", "ClassVar"):
            return self.of(annotation)
        for kind, wrong in ((ast.List, f"[{SENTINEL}]"), (ast.Tuple, f"({SENTINEL},)"), (ast.Set, f"{{{SENTINEL}}}"),
                            (ast.Dict, f"{{{SENTINEL}: {SENTINEL}}}")):  # fmt: skip
            if isinstance(value, kind):
                return wrong
        return self.of(value.func) if isinstance(value, ast.Call) else SENTINEL


def _other_literal(value):
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, (int, float)):
        return repr(value - 7919)
    if isinstance(value, bytes):
        return 'b"a7-wrong"'
    return SENTINEL


def _alternatives(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


def _parts(node):
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _short(node):
    if isinstance(node, ast.Subscript):
        return _short(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _is_ellipsis(node):
    return isinstance(node, ast.Constant) and node.value is ...
