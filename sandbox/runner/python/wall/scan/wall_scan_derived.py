"""Which classes of a suite, derived from the code's, cross the wall (gate.md part 11)."""

import ast

_OPEN_BASES = frozenset(["ABC", "Generic", "object"])
_DECORATORS = frozenset("property setter deleter staticmethod override abstractmethod".split())
_SPECIAL = frozenset("__init__ __repr__ __str__ __len__ __call__ __contains__ __getitem__ __iter__ __enter__ __exit__ __eq__ __lt__".split())
_REFUSED_IN_BASE = frozenset("__new__ __setattr__ __getattr__ __getattribute__ __delattr__ __class_getitem__".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def derivable(classes):
    """Names of those declared classes whose instances live on the builder's side as they are."""
    found = set()
    for node in classes:
        plain = all(name_of(base) in _OPEN_BASES or name_of(base) in found for base in node.bases)
        own = {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
        if plain and not node.keywords and not node.decorator_list and not own & _REFUSED_IN_BASE:
            found.add(node.name)
    return found


def refused(tree, classes, open_classes):
    """(detail, line) of classes that are derived in a way that works in one process only."""
    derived = set(open_classes)
    for node in [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]:
        names = [name_of(base) for base in node.bases]
        for name in names:
            if name in classes and name not in open_classes:
                yield f"{node.name} is derived from {name}", node.lineno
        if not derived.intersection(names):
            continue
        derived.add(node.name)
        if node.keywords or node.decorator_list:
            yield f"{node.name} has class arguments or a decorator", node.lineno
        for item in node.body:
            if not _crosses(item):
                yield f"{node.name} defines what lives in one process", item.lineno


def _crosses(item):
    if isinstance(item, _FUNCTIONS):
        is_special = item.name.startswith("__") and item.name.endswith("__")
        return all(name_of(each) in _DECORATORS for each in item.decorator_list) and (not is_special or item.name in _SPECIAL)
    if isinstance(item, (ast.Assign, ast.AnnAssign)):
        return item.value is None or _is_plain(item.value)
    return isinstance(item, ast.Pass) or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))


def _is_plain(node):
    return isinstance(node, ast.Constant) or (isinstance(node, (ast.Tuple, ast.UnaryOp)) and all(map(_is_plain, getattr(node, "elts", [getattr(node, "operand", node)]))))


def name_of(node):
    """Last part of a name, without what it is asked for in brackets."""
    if isinstance(node, ast.Subscript):
        return name_of(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
