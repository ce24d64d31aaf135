"""Makes the classes of a contract on the suite's side: data classes and exceptions are real types, instances of others are proxies."""

import __future__
import ast
import dataclasses
import types
import typing

from stub_kinds import has_decorator, is_ellipsis, short
from wall_exceptions import nearest
from wall_plain import EXCEPTIONS
from wall_members import ErrorMeta, ask_too, class_method, enum_attribute, makes, plain_method, plain_property, setter, slotted
from wall_proxies import COMPARING_NAMES, ORDERING, WallInstance, WallMeta, WallObject, operator_method
from wall_suite_codec import error_text

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MADE_HERE = frozenset("__init__ __new__ __post_init__ __init_subclass__ __del__ __set_name__ __class_getitem__ __getattr__ __setattr__ __getattribute__".split())


class ClassMaker:
    """Makes classes in the namespace of one module."""

    def __init__(self, bridge, proxies, module, space):
        self.bridge, self.proxies, self.module, self.space = bridge, proxies, module, space

    def make(self, node, kind, facts, fields):
        if kind == "enum":
            cls, known = self._enum(node, facts), "enum"
        elif kind == "exception" or any(base[0] == "" and base[1] in EXCEPTIONS for base in facts["bases"]):
            cls, known = self._exception(node, facts), "exception"
        elif kind == "dataclass" and any(short(base) in ("NamedTuple", "TypedDict") for base in node.bases):
            cls, known = self._plain(node), "named" if any(short(base) == "NamedTuple" for base in node.bases) else "dict"
        elif kind == "dataclass":
            cls, known = self._data(node, facts, fields), "data"
        else:
            cls, known = self._class(node, facts), "class"
        self.bridge.codec.add_class(cls, known, self.module, node.name, fields)
        self.proxies.classes[self.module, node.name] = cls
        return cls

    # -- classes by kind ----------------------------------------------------------------------------------------------

    def _class(self, node, facts):
        space = self._methods(node, facts)
        bases, virtual = self._bases(node, facts)
        if not any(issubclass(base, WallInstance) for base in bases if isinstance(base, type)):
            bases.insert(0, WallInstance)
        for name in facts["operators"]:
            if name not in space and name not in COMPARING_NAMES:
                space[name] = operator_method(self.bridge, name)
        inherited = [name for name in COMPARING_NAMES if any(makes(base, name) for base in virtual)]
        space.update({name: operator_method(self.bridge, name) for name in inherited if name not in space and name in facts["operators"]})
        if "__eq__" in space and facts["hashable"] and "__hash__" not in space:
            space["__hash__"] = operator_method(self.bridge, "__hash__")
        self._order(space, facts)
        space["_a7_names"] = frozenset(facts["operators"])
        cls = types.new_class(node.name, tuple(bases), {"metaclass": WallMeta}, lambda target: target.update(space))
        for base in virtual:
            base.register(cls)
        return cls

    def _data(self, node, facts, fields):
        """Equality, order and frozenness belong to this side, where the builder's class has them too."""
        space = self._methods(node, facts)
        given = next((item for item in node.decorator_list if short(item) == "dataclass"), None)
        options = {item.arg: ast.literal_eval(item.value) for item in given.keywords} if isinstance(given, ast.Call) else {}
        bases, _virtual = self._bases(node, facts)
        annotations = {}
        for item in node.body:
            if isinstance(item, ast.AnnAssign):
                annotations[item.target.id] = ast.unparse(item.annotation)
                if item.value is not None and short(item.annotation) != "ClassVar" and not is_ellipsis(item.value):
                    value = eval(ast.unparse(item.value), self.space)
                    if getattr(type(value), "__hash__", None) is not None:
                        space[item.target.id] = value
        space["__annotations__"] = annotations
        if not any(isinstance(base, type) and issubclass(base, WallObject) for base in bases):
            bases.insert(0, WallObject)
        space["_a7_names"] = frozenset()
        is_frozen = bool(options.get("frozen"))
        if not is_frozen:
            space["__setattr__"] = setter(self.bridge) if facts["frozen"] and self.bridge.oracle is not None else object.__setattr__
            space["__delattr__"] = object.__delattr__
            if options.get("slots") and all(short(base) in ("Generic", "Protocol") for base in node.bases):
                space["__setattr__"] = slotted(space["__setattr__"], frozenset(fields))
        space["_a7_declared"] = frozenset(item.name for item in node.body if isinstance(item, _FUNCTIONS))
        for name in facts["ownText"]:
            space.setdefault(name, operator_method(self.bridge, name))
        space.update({name: operator_method(self.bridge, name) for name in facts["operators"]
                      if name not in space and name not in COMPARING_NAMES and name not in ("__repr__", "__str__", "__format__")})  # fmt: skip
        self._order(space, facts)
        cls = types.new_class(node.name, tuple(bases), {"metaclass": WallMeta}, lambda target: target.update(space))
        has_equal = bool(options.get("eq", True))
        cls = dataclasses.dataclass(
            init=False,
            repr="__repr__" not in space,
            eq=has_equal,
            order=bool(options.get("order")) and has_equal and "__lt__" not in space,
            frozen=is_frozen,
            unsafe_hash=bool(options.get("unsafe_hash")),
        )(cls)
        if self.bridge.oracle is not None:
            ask_too(cls, self.bridge.oracle, space)
        if not has_equal:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__
        if "__init__" not in cls.__dict__:
            cls.__init__ = object.__init__
        return cls

    def _order(self, space, facts):
        """Where one side of an order is declared, functools.total_ordering makes the others."""
        if any(name in space for name in ORDERING):
            space.update({name: operator_method(self.bridge, name) for name in ORDERING if name in facts["operators"]})

    def _exception(self, node, facts):
        space = self._methods(node, facts)
        for name in [name for name, value in space.items() if isinstance(value, property)]:
            del space[name]
        space.setdefault("__str__", error_text)
        space["_a7_names"] = frozenset()
        known = [self.proxies.classes.get((module, name)) if module else EXCEPTIONS.get(name) for module, name in facts["bases"]]
        bases = nearest([cls for cls in known if cls is not None])
        return types.new_class(node.name, bases, {"metaclass": ErrorMeta}, lambda target: target.update(space))

    def _enum(self, node, facts):
        bases = tuple(eval(ast.unparse(base), self.space) for base in node.bases)
        meta = type(bases[-1])
        space = meta.__prepare__(node.name, bases)
        bridge = self.bridge
        for name, value in facts["members"]:
            space[name] = value
        space["__getattr__"] = lambda member, name: enum_attribute(bridge, member, name)
        for name, value in self._methods(node, facts).items():
            if not name.startswith("_a7") and name not in COMPARING_NAMES:
                space[name] = value
        return meta(node.name, bases, space)

    def _plain(self, node):
        body = [item for item in node.body if isinstance(item, ast.AnnAssign)]
        for item in body:
            if item.value is not None and is_ellipsis(item.value):
                item.value = ast.Constant(None)
        copy = ast.ClassDef(node.name, node.bases, node.keywords, body or [ast.Pass()], [])
        define(copy, self.space)
        cls = self.space[node.name]
        if issubclass(cls, tuple):
            bridge, module, name = self.bridge, self.module, node.name
            cls.__new__ = lambda _cls, *args, **kwargs: bridge.build(cls, args, kwargs)
            cls._a7_class = (module, name)
            for label, value in self._methods(node, {"async": []}).items():
                if not label.startswith("_a7"):
                    setattr(cls, label, value)
        return cls

    # -- members --------------------------------------------------------------------------------------------------------

    def _bases(self, node, facts):
        """Base classes here that the builder's class has too, and abstract ones that it only counts as."""
        bases, virtual = [], []
        for item in node.bases:
            value = eval(ast.unparse(item), self.space)
            origin = typing.get_origin(value) or value
            info = self.bridge.codec.classes.get(origin)
            if origin is typing.Generic:
                bases.append(value)
            elif info is not None and [info[1], info[2]] in facts["bases"]:
                bases.append(value)
            elif info is None and getattr(origin, "__module__", "") == "collections.abc":
                virtual.append(origin)
        return bases, virtual

    def _methods(self, node, facts):
        bridge = self.bridge
        space = {"_a7_bridge": bridge, "_a7_class": (self.module, node.name), "__module__": self.module, "__qualname__": node.name}
        space["__doc__"], docs = facts.get("doc"), facts.get("docs", {})
        for item in node.body:
            if not isinstance(item, _FUNCTIONS) or item.name in _MADE_HERE:
                continue
            label = f"{node.name}.{item.name}"
            if has_decorator(item, "staticmethod") or has_decorator(item, "classmethod"):
                space[item.name] = class_method(bridge, self.module, label, docs.get(item.name))
            elif has_decorator(item, "property") or has_decorator(item, "cached_property"):
                space[item.name] = plain_property(bridge, item.name, docs.get(item.name))
            elif has_decorator(item, "setter") or has_decorator(item, "deleter"):
                continue
            elif item.name.startswith("__"):
                space[item.name] = operator_method(bridge, item.name)
            else:
                space[item.name] = plain_method(bridge, (self.module, node.name), item.name, item.name in facts["async"], docs.get(item.name))
        return space


def define(node, space):
    """Runs a declaration as it is written."""
    text = ast.unparse(ast.fix_missing_locations(node))
    try:
        exec(text, space)
    except NameError:
        # An annotation names the class itself, or one that is declared further down.
        exec(compile(text, "<declared>", "exec", __future__.annotations.compiler_flag, dont_inherit=True), space)
