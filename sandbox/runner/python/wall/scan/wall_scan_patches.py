"""Which replaced names cross the wall: those whose owner is known from the suite's text alone (gate.md part 11)."""

import ast
import sys

# What the suite's side or the builder's needs itself, what shows one process its insides, and what does something when it is loaded.
_REFUSED = frozenset((
    "_thread abc ast codecs collections copyreg encodings functools gc importlib inspect io itertools operator select selectors signal "
    "struct types typing unittest weakref antigravity this idlelib lib2to3 pydoc_data tkinter turtle turtledemo ensurepip test __main__"
).split())  # fmt: skip
_OF_BUILTINS = frozenset("input print open exit quit breakpoint".split())
_OF_SYS = frozenset("stdin argv platform maxsize version_info exit".split())
_LOCAL = frozenset(["sys.stdout", "sys.stderr"])
# Looked at before each message, so that setting them crosses as well.
WATCHED = frozenset(["sys.stdin", "sys.argv"])
_KEYWORDS = frozenset("new new_callable return_value side_effect name raising create".split())


def is_patchable(path):
    """True for a name of the standard library that either side can replace for itself."""
    *owner, name = path.split(".")
    if not owner or name.startswith("_"):
        return False
    if owner == ["builtins"]:
        return name in _OF_BUILTINS
    if owner == ["sys"]:
        return name in _OF_SYS
    return owner[0] in sys.stdlib_module_names and owner[0] not in _REFUSED and owner[0] not in ("builtins", "sys")


class PatchScan:
    """Reads one file. `refused` lists (detail, line) of what is replaced in a way that works in one process only,
    `owners` the names of modules whose attributes are replaced and cross."""

    def __init__(self, tree, modules, classes):
        self.modules, self.classes, self.refused, self.owners = modules, classes, [], set()
        self.names = _imported(tree)
        self.monkeys = {"monkeypatch"} | _aliases(tree)
        known = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                self._call(node, known)
            elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
                self._assigned(node)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in known and self._is_patcher(node):
                self._refuse("a use of patch that cannot be followed", node)

    def _refuse(self, detail, node):
        self.refused.append((detail, node.lineno))

    def dotted(self, node):
        """`a.b.c` with the names that are imported spelt out, else None."""
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return None if owner is None else f"{owner}.{node.attr}"
        return self.names.get(node.id) if isinstance(node, ast.Name) else None

    def _is_patcher(self, node):
        if self.dotted(node) == "unittest.mock.patch":
            return True
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.monkeys and node.attr not in _MONKEYS

    def _call(self, node, known):
        func = node.func
        path = self.dotted(func)
        if path == "unittest.mock.patch":
            known.add(id(func))
            self._by_path(node, node.args[:1])
        elif path == "unittest.mock.patch.stopall":
            known.add(id(func.value))
        elif path == "unittest.mock.patch.object":
            known.add(id(func.value))
            self._by_owner(node)
        elif path == "unittest.mock.patch.dict":
            known.add(id(func.value))
            self._of_mapping(node)
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in self.monkeys:
            if func.attr == "setattr":
                (self._by_path if node.args and isinstance(node.args[0], (ast.Constant, ast.JoinedStr)) else self._by_owner)(node)
            elif func.attr in ("setitem", "delitem"):
                self._of_mapping(node)

    def _by_path(self, node, given=None):
        target = (given if given is not None else node.args[:1]) or [None]
        text = target[0].value if isinstance(target[0], ast.Constant) else None
        if type(text) is not str or not self._crosses(text, node):
            self._refuse(f"the patch of {text or 'a name that is made'}", node)

    def _by_owner(self, node):
        owner, name = [*node.args[:2], None, None][:2]
        name = name.value if isinstance(name, ast.Constant) else None
        path = self.dotted(owner) if owner is not None else None
        if type(name) is not str or name.startswith("__"):
            self._refuse("the patch of a name that is made", node)
        elif path is None:
            # An object of the suite, or an instance: what is set in it crosses as an attribute does.
            if name.startswith("_") or not self._keywords(node):
                self._refuse(f"the patch of {name}", node)
        elif not self._crosses(f"{path}.{name}", node):
            self._refuse(f"the patch of {path}.{name}", node)
        else:
            self.owners.add(id(owner))

    def _of_mapping(self, node):
        given = node.args[0] if node.args else None
        path = given.value if isinstance(given, ast.Constant) else self.dotted(given) if given is not None else None
        if path is None or path == "os.environ" or (type(path) is str and self._of_contract(path)):
            return
        self._refuse(f"the patch of {path}", node)

    def _keywords(self, node):
        return all(item.arg in _KEYWORDS or (item.arg or "spec") not in _CHECKED for item in node.keywords)

    def _crosses(self, path, node):
        if not self._keywords(node):
            return False
        if path in _LOCAL:
            return _is_text_stream(node)
        return is_patchable(path) or self._of_contract(path)

    def _of_contract(self, path):
        """A name in a contract's module, a method of its class, or a name of a module of the standard library seen through it."""
        module = next((each for each in self.modules if path.startswith(f"{each}.")), None)
        if module is None:
            return False
        first, *rest = path[len(module) + 1:].split(".")
        if not rest:
            return not first.startswith("__")
        if first in self.classes:
            return len(rest) == 1 and not rest[0].startswith("_")
        return is_patchable(".".join([first, *rest]))

    def _assigned(self, node):
        for target in node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]:
            path = self.dotted(target) if isinstance(target, ast.Attribute) else None
            if path is None or path in _LOCAL or path in WATCHED or path.split(".")[0] not in sys.stdlib_module_names:
                continue
            self._refuse(f"{path} is set", target)


# These ask the replaced thing itself how it may be used, or call it.
_CHECKED = frozenset("spec spec_set autospec wraps".split())
_MONKEYS = frozenset("setattr setenv delenv setitem delitem chdir context undo".split())


def _is_text_stream(node):
    made = next((item.value for item in node.keywords if item.arg in ("new_callable", "new")), None)
    given = made if made is not None else node.args[-1] if len(node.args) > 1 else None
    if isinstance(given, ast.Call):
        given = given.func
    name = given.attr if isinstance(given, ast.Attribute) else getattr(given, "id", "")
    return "Mock" not in name and name != ""


def _imported(tree):
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.split(".")[0]] = item.name if item.asname else item.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for item in node.names:
                names[item.asname or item.name] = f"{node.module}.{item.name}"
    return names


def _aliases(tree):
    """Names that `monkeypatch.context()` is given."""
    found = set()
    for node in ast.walk(tree):
        for item in node.items if isinstance(node, (ast.With, ast.AsyncWith)) else ():
            call = item.context_expr
            is_context = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "context"
            if is_context and isinstance(item.optional_vars, ast.Name):
                found.add(item.optional_vars.id)
    return found
