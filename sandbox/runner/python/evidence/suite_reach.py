"""Which declared exports a test reached on stubs (gate.md parts 3 and 12): what ran is recorded, no word of a source counts.

Stubs import the module `_a7_reach` that `install` puts in place. Calls tell of themselves. Constants and types are read, not called:
reads of the module's names are seen by its class, reads of a name that a suite's file imported when the line that reads it runs.
"""

import dis
import sys
import types

MAX_REACHED = 500
# Who reads one of these uses it.
_DATA_KINDS = frozenset(["class", "dataclass", "enum", "exception", "constant", "alias"])
_READS = frozenset(["LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS"])
# A test's parameters are looked into this deep for objects of the contract's types.
_DEPTH = 3


class ReachRecorder:
    """Collects reached names for the running test, or for the import phase while no test runs. `variant` is for the stub `wrong`."""

    def __init__(self, variant=None, suite_files=()):
        self.variant = variant or {}
        self.suite_files = frozenset(suite_files)
        self.kinds = {}
        # What is called while the suite is loaded counts for all its tests: who uses it shows on code (decision 0096).
        self.at_import, self.is_loading = [], True
        self.current, self.calls = None, 0
        # By the module of a suite: which of its names is which export; and by code: which lines read which names.
        self._imported, self._lines, self._modules, self._bases = {}, {}, [], {}

    def install(self):
        module = types.ModuleType("_a7_reach")
        module.reach = self.reach
        module.made, module.given = self.made, self.given
        module.declare = self._declare
        module.loose = bool(self.variant.get("loose"))
        module.second = bool(self.variant.get("second"))
        module.through = bool(self.variant.get("through"))
        module.is_closed = self._is_closed
        module.silent = frozenset(self.variant.get("silent", ()))
        module.raising = frozenset(self.variant.get("raising", ()))
        sys.modules["_a7_reach"] = module

    def begin(self, reached, given=()):
        """A test begins: what it reaches goes into `reached`. `given` are its parameters."""
        self.current, self.calls, self.is_loading = reached, 0, False
        reached.update(dict.fromkeys(self.at_import[:MAX_REACHED]))
        for value in given:
            self._look_into(value, _DEPTH)
        sys.settrace(self._called)

    def finish(self):
        """How often it called an export."""
        sys.settrace(None)
        self.current = None
        return self.calls

    def reach(self, name):
        """A call of it. True while the suite is loaded, where it gives a wrong value on every stub."""
        target = self.current
        self.calls += 1
        if target is not None:
            if len(target) < MAX_REACHED:
                target.setdefault(name)
        elif self.is_loading and name not in self.at_import:
            self.at_import.append(name)
        return self.is_loading

    def made(self, name):
        """An object that an export gave: who asks what it holds need not name its class."""
        if self.current is not None:
            self.reach(name)

    def given(self, value, depth=_DEPTH):
        """What an export is handed: a function of the contract among it is used, if not called by the test."""
        name = getattr(value, "__name__", None) if isinstance(value, types.FunctionType) else None
        if name in self.kinds and any(vars(module).get(name) is value for module in self._modules) and self.current is not None:
            self.current.setdefault(name)
        elif name is not None and value.__code__.co_filename in self.suite_files:
            self._handed(value.__code__, value.__globals__)
        for part in _parts(value) if depth > 0 else ():
            self.given(part, depth - 1)

    def _handed(self, code, space):
        """A function of the suite that the code is to call, which no stub does: what it reads is used."""
        for name in {name for names in self._lines_of(code, space).values() for name in names}:
            if self.kinds.get(name) in _DATA_KINDS:
                self.reach(name)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self._handed(inner, space)

    def _read(self, name):
        """Reading a function's name is not yet a call of it; who reads a class uses those that it is derived from."""
        if self.current is not None and self.kinds.get(name) in _DATA_KINDS:
            self.reach(name)
            for base in self._bases_of(name):
                self.current.setdefault(base)

    def _bases_of(self, name):
        if name not in self._bases:
            own = [vars(module).get(name) for module in self._modules]
            bases = [base for cls in own if isinstance(cls, type) for base in cls.__mro__[1:]]
            self._bases[name] = [base.__name__ for base in bases if self._is_declared(base)]
        return self._bases[name]

    def _is_closed(self):
        """Whether constructors fail now: in the variant `closed`, while a test runs."""
        return bool(self.variant.get("closed")) and self.current is not None

    # -- reads ------------------------------------------------------------------------------------------------------

    def _declare(self, kinds):
        self.kinds.update(kinds)
        recorder = self

        class Watched(types.ModuleType):
            def __getattribute__(self, name):
                try:
                    value = super().__getattribute__(name)
                except AttributeError:
                    # A suite may replace what the code imports: a stub imports nothing.
                    if not recorder.variant.get("through") or name.startswith("__"):
                        raise
                    return Anything()
                if name in kinds:
                    recorder._module_read(name, sys._getframe(1))
                return value

        module = sys.modules.get(sys._getframe(1).f_globals["__name__"])
        if module is not None:
            module.__class__ = Watched
            self._modules.append(module)

    def _module_read(self, name, frame):
        self._read(name)
        target = _stored_as(frame, name)
        if target is not None:
            self._imported.setdefault(id(frame.f_globals), {})[target] = name

    def _called(self, frame, event, _argument):
        """The trace function: lines of interest are those of the suite's files that read an imported name."""
        code = frame.f_code
        if event != "call" or code.co_filename not in self.suite_files:
            return None
        lines = self._lines_of(code, frame.f_globals)
        if not lines:
            return None
        waiting = dict(lines)

        def at_line(frame, event, _argument):
            if event == "line" and frame.f_lineno in waiting:
                for name in waiting.pop(frame.f_lineno):
                    self._read(name)
            # A loop is not slowed down by what is known.
            return at_line if waiting else None

        at_line(frame, "line", None)
        return at_line if waiting else None

    def _lines_of(self, code, space):
        key = (code, id(space))
        if key not in self._lines:
            imported = {**self._derived_in(space), **self._imported.get(id(space), {})}
            found, line = {}, code.co_firstlineno
            for step in dis.get_instructions(code) if imported else ():
                line = step.starts_line or line
                if step.opname in _READS and step.argval in imported:
                    found.setdefault(line, set()).add(imported[step.argval])
            self._lines[key] = found
        return self._lines[key]

    def _derived_in(self, space):
        """Classes of the suite: who uses one uses the declared class that it is derived from."""
        own = {name: value for name, value in space.items() if isinstance(value, type)}
        return {name: base.__name__ for name, value in own.items() for base in value.__mro__[1:] if self._is_declared(base)}

    def _is_declared(self, cls):
        return cls.__name__ in self.kinds and getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls

    def _look_into(self, value, depth):
        for name, kind in self.kinds.items():
            if kind == "constant" and any(vars(module).get(name, self) is value for module in self._modules):
                self._read(name)
        kind = value if isinstance(value, type) else type(value)
        for base in kind.__mro__:
            if self._is_declared(base):
                self._read(base.__name__)
        for part in _parts(value) if depth > 0 else ():
            self._look_into(part, depth - 1)


def _parts(value):
    if not isinstance(value, (list, tuple, set, frozenset, dict)):
        return []
    return list([*value, *value.values()] if isinstance(value, dict) else value)[:MAX_REACHED]


class Anything:
    """Stands for what is not there, so that a test that is played through can replace it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_args, **_kwargs):
        return Anything()


def _stored_as(frame, name):
    """The name that an import statement gives to what it just read; None for other reads, and inside of functions."""
    code = frame.f_code
    if code.co_name != "<module>":
        return None
    steps = {step.offset: step for step in dis.get_instructions(code)}
    at = steps.get(frame.f_lasti)
    if at is None or at.opname == "IMPORT_STAR" or (at.opname == "CALL_INTRINSIC_1" and at.arg == 2):
        return name if at is not None else None
    if at.opname != "IMPORT_FROM":
        return None
    later = next((step for offset, step in sorted(steps.items()) if offset > at.offset and step.opname.startswith("STORE_")), None)
    return None if later is None else later.argval
