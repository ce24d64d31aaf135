"""Modules of the contracts as the suite imports them: types made here from the declarations, calls that cross (gate.md part 10).

A declaration says what there is, the builder's module which of it exists and how it behaves: a class that is not frozen,
has no equality of values or another base class is shown so, as one process would show it.
"""

import ast
import importlib.abc
import importlib.machinery

import py_stubs
from stub_kinds import has_decorator, short
from stub_prelude import PRELUDE
from wall_classes import ClassMaker, define
from wall_patches import WallModule
from wall_proxies import WallFunction

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Spec:
    """Declarations of one module, read once."""

    def __init__(self, config):
        problems = []
        self.module = config["module"]
        imports, imported = py_stubs.read_imports(config["imports"], problems)
        declarations = py_stubs.read_exports(config["exports"], problems)
        offered = {name: item["module"] for item in config["offered"] for name in item["names"]}
        py_stubs.add_raises(config["raises"], declarations, imported | set(offered), problems)
        py_stubs.resolve_kinds(declarations)
        self.declarations = py_stubs.in_order(declarations, problems)
        self.header = py_stubs.header(imports, imported, offered, self.declarations).split(PRELUDE)[0]
        self.offered = {name: module for name, module in offered.items() if name not in imported}

    def fields(self, fields_of):
        """name -> [kind, fields]. `fields_of` finds those of base classes."""
        found = {}
        for item in self.declarations:
            node = item["body"][-1]
            names = []
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    names += [name for name in fields_of(short(base), found) if name not in names]
                names += [name for name in _own_fields(node, item["kind"]) if name not in names]
                if item["kind"] == "class" and any(found.get(short(base), [""])[0] == "dataclass" for base in node.bases):
                    item["kind"] = "dataclass"
            found[item["name"]] = [item["kind"], names]
        return found


def _own_fields(node, kind):
    annotated = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
    names = [item.target.id for item in annotated if short(item.annotation) not in ("ClassVar", "InitVar", "KW_ONLY")]
    if kind == "exception":
        functions = [item for item in node.body if isinstance(item, _FUNCTIONS)]
        for function in functions:
            if function.name == "__init__":
                names += [item.arg for item in [*function.args.args[1:], *function.args.kwonlyargs]]
            elif has_decorator(function, "property"):
                names.append(function.name)
    return list(dict.fromkeys(names))


class WallFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the contracts, and the packages around them that hold nothing."""

    def __init__(self, configs, bridge, proxies, is_eager=False):
        self.specs = {config["module"]: Spec(config) for config in configs}
        self.packages = {module.rsplit(".", depth)[0] for module in self.specs for depth in range(1, module.count(".") + 1)}
        self.bridge, self.proxies, self.known, self.facts, self.is_eager = bridge, proxies, {}, {}, is_eager

    def find_spec(self, name, path=None, target=None):
        if name not in self.specs and (name not in self.packages or self._is_laid(name, path)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=name in self.packages)

    @staticmethod
    def _is_laid(name, path):
        return importlib.machinery.PathFinder.find_spec(name, path) is not None

    def create_module(self, spec):
        return WallModule(spec.name) if spec.name in self.specs else None

    def exec_module(self, module):
        spec = self.specs.get(module.__name__)
        if spec is not None:
            self._fill(module, spec)
            # What described the module is not compared again before each call.
            self.bridge.codec.prune()

    def _fill(self, module, spec):
        name, bridge, space = spec.module, self.bridge, module.__dict__
        # First the modules of other nodes: what is declared there may be a base, or a field, of what is declared here.
        exec(compile(spec.header, f"<{name}>", "exec", dont_inherit=True), space)
        declared = spec.fields(lambda base, found: found.get(base, self.known.get(base, ["", []]))[1])
        told = {label: [kind, list(names)] for label, (kind, names) in declared.items()}
        facts = bridge.request("import", name, "", (told,))
        self.facts[name] = (told, facts)
        self.known.update(declared)
        bridge.results.learn(name, spec.declarations)
        maker = ClassMaker(bridge, self.proxies, name, space)
        values = set()
        for item in spec.declarations:
            label, kind, node = item["name"], item["kind"], item["body"][-1]
            if kind == "alias":
                define(item["body"][0], space)
            elif label not in facts:
                space.pop(label, None)
            elif kind == "constant":
                values.add(label)
            elif facts[label][0] != kind:
                bridge.fault(f"'{label}' is declared a {kind}, and the module has none of that name")
            elif kind == "function":
                space[label] = module_function(bridge, name, label, *facts[label][1])
            else:
                space[label] = maker.make(node, kind, facts[label][1], declared[label][1])
        space.update(__getattr__=_values(bridge, name, values), _a7_values=values, _a7_patches=bridge.patches)
        if self.is_eager:
            space.update({label: bridge.request("get", name, label) for label in values})


def module_function(bridge, module, name, call_kind, doc):
    """What stands for a function of the module; an async one is a real coroutine function."""
    request = bridge.request
    if call_kind == "async":

        async def function(*args, **kwargs):
            return await request("f", module, name, args, kwargs)

        function.__name__ = function.__qualname__ = name
        function.__module__, function.__doc__ = module, doc
        function._a7_place = ["F", module, name]
        return function
    return ModuleFunction(
        name,
        lambda args, kwargs: request("f", module, name, args, kwargs),
        lambda verb, *rest: request(verb, request("get", module, name), *rest),
        doc,
    ).at(module)


class ModuleFunction(WallFunction):
    """A function that the other side finds by its module and name."""

    def at(self, module):
        self.__dict__.update(__module__=module, _a7_module=module)
        return self

    @staticmethod
    def _a7_place(function):
        return ["F", function._a7_module, function.__name__]


def _values(bridge, module, names):
    def __getattr__(name):
        if name in names:
            return bridge.request("get", module, name)
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return bridge.patches.undeclared(module, name)

    return __getattr__
