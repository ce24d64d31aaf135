"""Holds what the code gives against what the contract declares of it (gate.md part 12).

An object of a class that nobody declared is asked on the builder's side for whatever is done with it, and so it sees what the
suite holds against it: `result - 1.5` and `7 in result` tell it what is wanted. So nothing but the declared type passes, as long as
the suite itself keeps to the declared types.
"""

import ast

from stub_kinds import has_decorator, short
from wall_contexts import makes_contexts
from wall_proxies import Handle
from wall_types import CALLED, INSTANCE, KEYS, LEAF, NONE, YIELDS, Fitting, Shapes, told

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PASSED_ON = frozenset("__iter__ __aiter__ __reversed__".split())
_STEPS = frozenset("__next__ __anext__ send __getitem__ __iter__ __aiter__ __reversed__".split())
# Of two operands: to leave it to the other one is no result, whatever is declared.
_SIDED = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
OPERATORS = frozenset(f"__{name}__" for name in [*"eq ne lt le gt ge".split(), *_SIDED, *(side + name for side in "ri" for name in _SIDED)])
_PLAIN_BASES = frozenset("int float complex str bytes list dict set frozenset tuple deque OrderedDict Counter defaultdict".split())


class Results:
    """Shapes by what is used: ("f", module, label), ("get", module, label), or (class, name)."""

    def __init__(self, bridge):
        self.bridge, self.shapes, self.params, self.named = bridge, {}, {}, {}
        self.items, self.lending, self.lent, self.derived = {}, {}, {}, set()
        # Keys of what makes contexts, and by number the call that made one.
        self.contexts, self.opened = set(), {}
        self.fitting = Fitting(self._remember, self.derived)
        # The suite has given what is not of its declared type: then no result is held against its own.
        self.is_loose, self.misfits = False, []

    # -- declarations -------------------------------------------------------------------------------------------------

    def learn(self, module, declarations):
        shapes = Shapes(lambda name: self.named.get((module, name), False), lambda name: self.named.get(name, False))
        for item in declarations:
            found = self._alias(module, item["kind"], item["body"][-1], shapes)
            self.named[module, item["name"]] = self.named[item["name"]] = found
        for item in declarations:
            node, name = item["body"][-1], item["name"]
            if isinstance(node, _FUNCTIONS):
                self._function(("f", module, name), node, shapes, is_bound=False)
            elif isinstance(node, ast.ClassDef):
                self._class(module, node, shapes)
            elif isinstance(node, ast.AnnAssign):
                self.shapes["get", module, name] = shapes.of(node.annotation)

    def _alias(self, module, kind, node, shapes):
        """What a name of the contract stands for in an annotation."""
        if isinstance(node, ast.ClassDef):
            bases = [short(base) for base in node.bases]
            if "Protocol" in bases:
                return None
            if "TypedDict" in bases:
                return (KEYS, lambda: {name: shape for (place, name), shape in self._shapes_of((module, node.name))})
            return (INSTANCE, lambda: self.bridge.codec.by_name.get((module, node.name), object))
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call):
            return shapes.of(value.args[1]) if short(value.func) == "NewType" and len(value.args) > 1 else None
        return shapes.of(value) if kind == "alias" and value is not None else None

    def _shapes_of(self, place):
        return [(key, shape) for key, shape in self.shapes.items() if key[0] == place]

    def _class(self, module, node, shapes):
        place = (module, node.name)
        if any(short(base) in _PLAIN_BASES for base in node.bases):
            self.derived.add(place)
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        for item in fields:
            self.shapes[place, item.target.id] = shapes.of(item.annotation)
        for item in node.body:
            if isinstance(item, _FUNCTIONS):
                is_bound = not has_decorator(item, "staticmethod")
                self._function((place, item.name), item, shapes, is_bound)
                self._function(("f", module, f"{node.name}.{item.name}"), item, shapes, is_bound)
        self.shapes["f", module, node.name] = (INSTANCE, lambda: self.bridge.codec.by_name.get(place, object))
        given = self.params.get((place, "__init__"))
        self.params["f", module, node.name] = [(item.target.id, self.shapes[place, item.target.id]) for item in fields] if given is None else given

    def _function(self, key, node, shapes, is_bound):
        # Of overloads and of what sets a property only what all of them say counts: none is told from the others here.
        is_again = key in self.shapes
        shape = shapes.of(node.returns)
        # What a procedure gives besides is nobody's business.
        self.shapes[key] = None if is_again or shape == NONE else shape
        if makes_contexts(node):
            self.contexts.add(key)
        arguments = [*node.args.posonlyargs, *node.args.args][1 if is_bound else 0 :]
        self.params[key] = [] if is_again else [(item.arg, shapes.of(item.annotation)) for item in [*arguments, *node.args.kwonlyargs]]
        if any(shape is not None and shape[0] == CALLED for _label, shape in self.params[key]):
            self.lending[key] = self.params[key]

    # -- checks -------------------------------------------------------------------------------------------------------

    def check(self, verb, subject, name, args, kwargs, value):
        """Faults where a result, or an argument that the call has changed, is not what the contract declares."""
        key = self._key(verb, subject, name)
        if key is None:
            return self.settle()
        if type(key) is int:
            return self._stepped(key, verb, name, args, value)
        if key in self.contexts and (made := self._number(value)) is not None:
            self.opened[made] = (verb, subject, name, args, kwargs)
        params = self.params.get(key)
        if params and not self.is_loose:
            self.is_loose = not all(self.fitting.is_given(given, shape) for given, shape in _pairs(params, args, kwargs))
        if self.misfits:
            self.settle()
        shape = None if value is NotImplemented and name in OPERATORS else self.shapes.get(key)
        if shape is not None and not (shape[0] == LEAF and type(value) in shape[1]):
            self.require(value, shape)
        if params and self.bridge.codec.proxies.made:
            for given, each in _pairs(params, args, kwargs):
                self.require(given, each, is_loose=True)
        return None

    def settle(self):
        """Faults for fields that have arrived with a value of another type."""
        misfits, self.misfits = self.misfits, []
        for value, shape in misfits:
            self.require(value, shape)

    def _stepped(self, number, verb, name, args, value):
        """`__iter__` and a slice give something to step through again, every other step an item; a function gives its result."""
        shape = self.items.get(number)
        if shape is None:
            return
        if shape[0] == CALLED:
            if verb == "v":
                self.require(value, shape[2])
        elif shape[0] != YIELDS:
            self.require(value, shape)
        elif name not in shape[2]:
            self.bridge.fault(f"A value cannot cross: '{name}' of an object that the contract declares as something to step through")
        elif name in _PASSED_ON or (name == "__getitem__" and type(args[0]) is slice):
            self._remember(value, shape)
        elif name in _STEPS:
            self.require(value, shape[1][0] if shape[1] else None)

    def maker_of(self, context):
        """Makes a context as this one was made; None where it is none."""
        call = self.opened.get(self._number(context))
        return None if call is None else lambda: self.bridge.request(*call)

    def lend(self, verb, subject, name, args, kwargs):
        """Remembers what the functions that a call is given are declared to be called with."""
        pairs = _pairs(self.lending.get(self._key(verb, subject, name), ()), args, kwargs)
        self.is_loose = self.is_loose or not all(self.fitting.is_given(given, shape) for given, shape in pairs)
        for given, shape in pairs:
            number = self.bridge.codec.number_of(given) if shape is not None and shape[0] == CALLED else None
            if number is not None:
                self.lent[number] = shape

    def called(self, number, args):
        """Checks what the code calls a function of the suite with."""
        for given, shape in zip(args, self.lent[number][1] if number in self.lent else ()):
            self.require(given, shape)

    def gave(self, number, value):
        """What a function of the suite gives to the code may be what the code gives back."""
        if number in self.lent and not self.is_loose:
            self.is_loose = not self.fitting.fits(value, self.lent[number][2])

    def field(self, cls, name, value):
        """The same for a field that has arrived; whether the suite kept to the types is known at the call's end."""
        for base in cls.__mro__:
            place = base.__dict__.get("_a7_class")
            if (place, name) in self.shapes:
                shape = self.shapes[place, name]
                if shape is not None and not (shape[0] == LEAF and type(value) in shape[1]):
                    self.misfits.append((value, shape))
                return

    def _key(self, verb, subject, name):
        if verb == "f" or (verb == "get" and type(subject) is str):
            return verb, subject, name
        if verb == "u":
            module, _, path = name.partition(":")
            return (module, path.split(".")[0]), path.split(".")[1]
        if verb == "m" or verb == "get":
            for base in type(subject).__mro__:
                place = base.__dict__.get("_a7_class")
                if (place, name) in self.shapes:
                    return place, name
            return self._number(subject)
        return self._number(subject) if verb == "v" else None

    def _number(self, value):
        known = self.bridge.codec.proxy_ids.get(id(value))
        return known[1] if known is not None else value.number if type(value) is Handle else None

    def _remember(self, value, shape):
        number = self._number(value)
        if number is not None and shape is not None:
            self.items[number] = shape

    def settled(self, number, value):
        """What an awaitable has given."""
        shape = self.items.get(number)
        if shape is not None and shape[0] == YIELDS:
            shape = None
        self.settle()
        self.require(value, shape)

    def require(self, value, shape, is_loose=False):
        """Faults for a value that does not fit."""
        if shape is None or self.fitting.fits(value, shape, is_loose or self.is_loose):
            return
        what = "an object that acts like one" if self.fitting.acts(value) else type(value).__name__
        self.bridge.fault(f"A value cannot cross: the contract declares {told(shape)}, and {what} was given")


def _pairs(params, args, kwargs):
    found = list(zip(args, (shape for _label, shape in params)))
    if kwargs:
        found += [(kwargs[label], shape) for label, shape in params if label in kwargs]
    return found
