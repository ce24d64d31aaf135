"""Which declared exports a test reached on stubs (gate.md part 3).

Stubs import the module `_a7_reach` that `install` puts in place. Calls are recorded when they happen. What the test's own
code names counts as reached too: constants and types cannot be called, and on a stub an honest test of a method often
ends at the call before it. Whether such a test asserts anything of it is for the mutation check to tell.
"""

import ast
import sys
import types

MAX_REACHED = 500
# Building one of these in a parameter list is data: its constructor does not fail on stubs, its methods turn the tests red.
_DATA_KINDS = frozenset(["class", "dataclass", "enum", "exception", "constant", "alias"])



class ReachRecorder:
    """Collects reached names for the running test, or for the import phase while no test runs. `variant` is for the stub `wrong`."""

    def __init__(self, variant=None):
        self.variant = variant or {}
        self.kinds = {}
        self.at_import = []
        self.current = None
        self.follower = None
        self._files = {}

    def install(self):
        module = types.ModuleType("_a7_reach")
        module.reach = self.reach
        module.made = self.made
        module.declare = self.kinds.update
        module.loose = bool(self.variant.get("loose"))
        module.second = bool(self.variant.get("second"))
        module.is_closed = self._is_closed
        module.give = self.give
        module.link = self.link
        module.silent = frozenset(self.variant.get("silent", ()))
        module.raising = frozenset(self.variant.get("raising", ()))
        sys.modules["_a7_reach"] = module

    def reach(self, name):
        target = self.current
        if target is not None:
            if len(target) < MAX_REACHED:
                target.setdefault(name)
        elif self.kinds.get(name) not in _DATA_KINDS and name not in self.at_import:
            self.at_import.append(name)

    def give(self, name, make, given):
        """What a call gives; in the variant `followed` it is told where it goes."""
        return make() if self.follower is None else self.follower.give(name, make, given)

    def link(self, name, given):
        if self.follower is not None:
            self.follower.link(name, given)

    def _is_closed(self):
        """Whether constructors fail now: in the variant `closed`, while a test runs."""
        return bool(self.variant.get("closed")) and self.current is not None

    def made(self, name):
        """An object that an export gave: who asks what it holds need not name its class."""
        if self.current is not None:
            self.reach(name)

    def named_by(self, function, path):
        """Declared names that the code of `function`, or a helper of its module that it calls, mentions."""
        if not self.kinds or not isinstance(function, types.FunctionType):
            return []
        aliases, awaited = self._read(path)
        functions = set()
        resolved = {aliases.get(name, name) for name in _names_of(function, functions, 0)}
        # A coroutine that nobody awaits is named and never runs.
        lines = set().union(*(_lines_of(each.__code__) for each in functions))
        running = {aliases.get(name, name) for name, line in awaited if line in lines}
        return sorted(
            name
            for name, kind in self.kinds.items()
            if kind != "alias" and _is_mentioned(name, running if kind == "async" and not name.endswith("__") else resolved)
        )

    def _read(self, path):
        if path not in self._files:
            self._files[path] = _read_names(path)
        return self._files[path]


def _is_mentioned(label, names):
    """A method by its name, one that an operator calls by its class."""
    owner, _dot, method = label.partition(".")
    return owner in names if not method or method.startswith("__") else method in names


def _read_names(path):
    """What a file of the suite imports under another name, and the names, with their lines, that it awaits or passes on to what may await."""
    try:
        with open(path, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return {}, frozenset()
    found, parts = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.update({item.asname: item.name for item in node.names if item.asname})
        elif isinstance(node, ast.Await):
            parts.append(node.value)
        elif isinstance(node, ast.Call):
            parts += [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.AsyncWith):
            parts += [item.context_expr for item in node.items]
        elif isinstance(node, (ast.AsyncFor, ast.comprehension)):
            parts.append(node.iter)
        elif isinstance(node, ast.Return) and node.value is not None:
            parts.append(node.value)
    nodes = {part for top in parts for part in ast.walk(top)}
    return found, frozenset((_written(node), node.lineno) for node in nodes if isinstance(node, (ast.Name, ast.Attribute)))


def _written(node):
    return node.id if isinstance(node, ast.Name) else node.attr


def _names_of(function, seen, depth):
    if function in seen or depth > 5:
        return set()
    seen.add(function)
    names = _code_names(function.__code__)
    space = function.__globals__
    places = [space, *(vars(item) for item in space.values() if isinstance(item, type) and item.__module__ == space.get("__name__"))]
    for name in list(names):
        for place in places:
            helper = place.get(name)
            if isinstance(helper, types.FunctionType) and helper.__globals__ is space:
                names |= _names_of(helper, seen, depth + 1)
    return names


def _lines_of(code):
    found = {line for _start, _end, line in code.co_lines() if line}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _lines_of(constant)
    return found


def _code_names(code):
    names = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _code_names(constant)
    return names
