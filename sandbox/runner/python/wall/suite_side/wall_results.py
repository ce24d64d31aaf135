"""What the contract declares of values: where it names a plain type, nothing that only acts like one takes its place (gate.md part 11).

An object of a class that nobody declared is asked on the builder's side for whatever is done with it, and so it sees what the
suite holds against it: `result - 1.5` and `7 in result` tell it what is wanted.
"""

import ast
import types

from stub_kinds import has_decorator, short
from wall_plain import USERS
from wall_proxies import WallFunction, WallObject

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN = frozenset((
    "int float complex bool str bytes bytearray list dict set frozenset tuple None range List Dict Set FrozenSet Tuple Text Decimal Fraction "
    "date datetime time timedelta UUID deque Deque OrderedDict defaultdict DefaultDict Counter Path PurePath"
).split())  # fmt: skip
_YIELDING = frozenset((
    "Iterator Iterable Generator Sequence MutableSequence Collection AbstractSet Mapping MutableMapping AsyncIterator AsyncIterable AsyncGenerator"
).split())  # fmt: skip
_WRAPPING = frozenset("Final ClassVar Annotated Required NotRequired ReadOnly".split())
_STEPS = frozenset("__next__ __anext__ send __getitem__ __iter__ __aiter__ __reversed__".split())
_PASSED_ON = frozenset("__iter__ __aiter__ __reversed__".split())
_LEAVES = frozenset([int, float, str, bool, bytes, type(None)])
# Shapes: None is anything, PLAIN a value of a builtin type, a tuple (PLAIN or YIELDS, shapes of what it holds) more of it.
PLAIN, YIELDS, ONE_OF, CALLED = "plain", "yields", "one of", "called"


class Results:
    """Shapes by what is used: ("f", module, label), ("get", module, label), or (class, name)."""

    def __init__(self, bridge):
        self.bridge, self.shapes, self.params, self.derived, self.named = bridge, {}, {}, set(), {}
        self.items, self.lending, self.lent = {}, {}, {}

    def learn(self, module, declarations):
        for item in declarations:
            node = item["body"][-1]
            self.named[item["name"]] = self._alias(item["kind"], node)
        for item in declarations:
            node, name = item["body"][-1], item["name"]
            if isinstance(node, _FUNCTIONS):
                self._function(("f", module, name), node, is_bound=False)
            elif isinstance(node, ast.ClassDef):
                self._class(module, node)
            elif isinstance(node, ast.AnnAssign):
                self.shapes["get", module, name] = self.shape(node.annotation)

    def _alias(self, kind, node):
        """What a name of the contract stands for in an annotation."""
        if isinstance(node, ast.ClassDef):
            return PLAIN if any(short(base) == "TypedDict" for base in node.bases) else None
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call):
            return self.shape(value.args[1]) if short(value.func) == "NewType" and len(value.args) > 1 else None
        return self.shape(value) if kind == "alias" and value is not None else None

    def _class(self, module, node):
        place = (module, node.name)
        if any(short(base) in _PLAIN for base in node.bases):
            self.derived.add(place)
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                self.shapes[place, item.target.id] = self.shape(item.annotation)
            elif isinstance(item, _FUNCTIONS):
                is_static = has_decorator(item, "staticmethod")
                self._function((place, item.name), item, is_bound=not is_static)
                self._function(("f", module, f"{node.name}.{item.name}"), item, is_bound=not is_static)

    def _function(self, key, node, is_bound):
        # Of overloads only what all of them say counts: none is told from the others here.
        is_again = key in self.shapes
        self.shapes[key] = None if is_again else self.shape(node.returns)
        arguments = [*node.args.posonlyargs, *node.args.args][1 if is_bound else 0 :]
        self.params[key] = [] if is_again else [(item.arg, self.shape(item.annotation)) for item in arguments]
        if any(type(shape) is tuple and shape[0] == CALLED for _label, shape in self.params[key]):
            self.lending[key] = self.params[key]

    def shape(self, node):
        """The shape that an annotation declares."""
        if isinstance(node, ast.Constant):
            if node.value is None:
                return PLAIN
            return self._quoted(node.value) if type(node.value) is str else None
        if isinstance(node, ast.BinOp):
            return (ONE_OF, [self.shape(node.left), self.shape(node.right)])
        name = short(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else ""
        if name in self.named:
            return self.named[name]
        if not isinstance(node, ast.Subscript):
            return PLAIN if name in _PLAIN else None
        if name == "Callable":
            first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else None
            return (CALLED, [self.shape(item) for item in first.elts]) if isinstance(first, ast.List) else None
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        shapes = [self.shape(item) for item in inner]
        if name in ("Optional", "Union"):
            return (ONE_OF, [*shapes, *([PLAIN] if name == "Optional" else [])])
        if name == "Literal":
            return PLAIN
        if name in _WRAPPING:
            return shapes[0]
        if name in _YIELDING:
            # The keys of a mapping are stepped through, its values are asked for by key: neither is told from the other.
            return (YIELDS, shapes[:1] if "Mapping" not in name else [])
        return (PLAIN, shapes) if name in _PLAIN else None

    def _quoted(self, text):
        try:
            return self.shape(ast.parse(text, mode="eval").body)
        except SyntaxError:
            return None

    # -- checks -----------------------------------------------------------------------------------------------------------

    def check(self, verb, subject, name, args, kwargs, value):
        """Faults where a declared plain value, or a plain argument that the call has changed, holds what only acts like one."""
        key = self._key(verb, subject, name)
        if key is None:
            return
        if type(key) is int:
            self._stepped(key, name, args, value)
            return
        self.require(value, self.shapes.get(key))
        params = self.params.get(key, ())
        for given, (_label, shape) in zip(args, params):
            self.require(given, shape)
        for label, shape in params:
            self.require(kwargs.get(label) if kwargs else None, shape)

    def _stepped(self, number, name, args, value):
        """`__iter__` and a slice give something to step through again, every other step an item."""
        shape = self.items.get(number)
        if name in _PASSED_ON or (name == "__getitem__" and type(args[0]) is slice):
            self._remember(value, shape)
        else:
            self.require(value, shape)

    def lend(self, verb, subject, name, args, kwargs):
        """Remembers what the functions that a call is given are declared to be called with."""
        params = self.lending.get(self._key(verb, subject, name), ())
        for given, (_label, shape) in zip(args, params):
            self._lend(given, shape)
        for label, shape in params:
            self._lend(kwargs.get(label) if kwargs else None, shape)

    def _lend(self, given, shape):
        number = self.bridge.codec.number_of(given) if type(shape) is tuple and shape[0] == CALLED else None
        if number is not None:
            self.lent[number] = shape[1]

    def called(self, number, args):
        """Checks what the code calls a function of the suite with."""
        for given, shape in zip(args, self.lent.get(number, ())):
            self.require(given, shape)

    def field(self, cls, name, value):
        """The same for a field that has arrived."""
        for base in cls.__mro__:
            place = base.__dict__.get("_a7_class")
            if (place, name) in self.shapes:
                return self.require(value, self.shapes[place, name])
        return None

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
            return self._number(subject) if name in _STEPS else None
        return None

    def _number(self, value):
        known = self.bridge.codec.proxy_ids.get(id(value))
        return known[1] if known is not None else getattr(value, "number", None)

    def _remember(self, value, shape):
        number = self._number(value)
        if number is not None and shape is not None:
            self.items[number] = shape

    def settled(self, number, value):
        """What an awaitable has given."""
        self.require(value, self.items.get(number))

    def require(self, value, shape):
        if shape is not None and not self._fits(value, shape):
            self.bridge.fault("A value cannot cross: the contract declares a plain type, and an object that acts like one was given")

    def _fits(self, value, shape):
        if shape is None or type(value) in _LEAVES:
            return True
        if type(value) is types.CoroutineType:
            self._remember(value, shape)
            return True
        if shape == PLAIN:
            return not self._acts(value)
        kind, inner = shape
        if kind == CALLED:
            return True
        if kind == ONE_OF:
            return any([self._fits(value, each) for each in inner])
        if self._acts(value) or isinstance(value, types.GeneratorType):
            if kind == YIELDS and inner:
                self._remember(value, inner[-1])
            return kind == YIELDS
        return self._holds(value, inner)

    def _holds(self, value, inner):
        if isinstance(value, dict):
            keys, values = inner if len(inner) == 2 else (inner[0] if inner else None, None)
            return all(self._fits(key, keys) and self._fits(item, values) for key, item in value.items())
        if not isinstance(value, (list, tuple, set, frozenset)) and type(value).__name__ != "deque":
            return True
        if isinstance(value, tuple) and len(inner) > 1 and len(inner) == len(value):
            return all(map(self._fits, value, inner))
        return all(self._fits(item, inner[0]) for item in value) if len(inner) >= 1 else True

    def _acts(self, value):
        if isinstance(value, (WallFunction, *USERS)):
            return True
        return isinstance(value, WallObject) and getattr(type(value), "_a7_class", None) not in self.derived
