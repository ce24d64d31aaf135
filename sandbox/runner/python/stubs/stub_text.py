"""Parts of a stub's text that need nothing but the declaration: bases, lines that each class has, fields."""

import ast

from stub_kinds import is_ellipsis, short

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def loose_lines(node):
    """What is set on a wrong object is lost; in a loose run there is one object of each class, with every attribute."""
    names = {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
    extra = {"__getattr__": "_a7_anything", "__new__": "_a7_only_one"}
    lines = [f"        {name} = {value}" for name, value in extra.items() if name not in names]
    varied = [] if "__getattribute__" in names else ["    if _a7_second:", "        __getattribute__ = _a7_vary"]
    return [*_READ_ONLY, *varied, *(["    if _a7_loose:", *lines] if lines else [])]


def data_lines(node):
    """The equality of what callables give; and a named tuple can be taken apart, into wrong values."""
    names = {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
    same = [] if "__eq__" in names else ["    __eq__ = _a7_same", "    __hash__ = _a7_hash"]
    if not any(short(base) == "NamedTuple" for base in node.bases):
        return same
    return [*same, "    def __iter__(self):", "        return iter([getattr(self, _name) for _name in self._a7_fields])",
            "    def __len__(self):", "        return len(self._a7_fields)",
            "    def __getitem__(self, _at):", "        return list(self)[_at]"]  # fmt: skip


# What is set on a wrong object is lost: else "set, then read" is green on every stub. Setting does not fail, so that
# a test of frozenness is red.
_READ_ONLY = ("    def __setattr__(self, _name, _value):", "        pass")


def hash_lines(node):
    """A wrong object can be hashed, whatever its equality is."""
    names = {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
    return ["    __hash__ = _a7_hash"] if "__eq__" in names and "__hash__" not in names else []


def truth_lines(node):
    """Python asks an exception that it shows for its truth: one with a length must answer on stubs, too."""
    names = {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
    return ["    def __bool__(self):", "        return True"] if "__len__" in names and "__bool__" not in names else []


def lifecycle_lines(node):
    first = node.args.args[0].arg if node.args.args else "cls"
    return [f"return object.__new__({first})"] if node.name == "__new__" else ["return None"]


def bases_text(node):
    parts = [*(ast.unparse(base) for base in node.bases), *(ast.unparse(keyword) for keyword in node.keywords)]
    return f"({', '.join(parts)})" if parts else ""


def open_bases_text(node):
    bases = [ast.unparse(base) for base in node.bases]
    parts = [*([f"*_a7_bases({', '.join(bases)})"] if bases else []), *(ast.unparse(keyword) for keyword in node.keywords)]
    return f"({', '.join(parts)})" if parts else ""


def arrow_text(node):
    return f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""


def plain_defaults(arguments):
    """`= ...` in a declaration means that there is a default, not which."""
    none = ast.Constant(None)
    arguments.defaults = [none if is_ellipsis(item) else item for item in arguments.defaults]
    arguments.kw_defaults = [none if item is not None and is_ellipsis(item) else item for item in arguments.kw_defaults]
    return arguments


def is_field_without_init(value):
    return isinstance(value, ast.Call) and any(
        keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in value.keywords
    )


def is_needed(value):
    """A field without a default, which a constructor asks for."""
    if not (isinstance(value, ast.Call) and short(value.func) == "field"):
        return value is None
    return not any(keyword.arg in ("default", "default_factory") for keyword in value.keywords)


def is_field(item):
    # Slots would refuse the class attributes that stand in for values.
    is_slots = isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) == "__slots__"
    return isinstance(item, (ast.AnnAssign, ast.Assign)) and not is_slots
