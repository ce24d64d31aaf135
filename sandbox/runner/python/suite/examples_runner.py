"""Evaluates a contract's examples against code in the sandbox (gate.md part 3); same report as the suite runners.

Standard input, JSON: {nonce, reportPath, workDir?, testTimeoutMs, contentFile, module, imports, examples: [{call, returns} | {call, raises}]}.
Each example is a test named `example <index>` in the file `<examples>`. The call is a person's expression; the result is
compared here by exact rules, so that an object of the builder's cannot say that it is equal.
"""

import ast
import builtins
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import importlib
import inspect
import json
import os
import pathlib
import signal
import sys
import time
import uuid

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

from suite_failures import FailureMaker, plain_failure, type_name  # noqa: E402
from suite_places import places  # noqa: E402
from suite_report import open_report, text  # noqa: E402
from suite_time import now  # noqa: E402
from wall_late import asyncio  # noqa: E402

MAX_DEPTH = 50
# When, by the room's clock, what runs has had its time.
_late_at = [0.0]
# What JSON has no form for is written as Python shows it: `returns: "b'ab'"`, `returns: '12.30'` for a Decimal.
_SPELT = frozenset((
    bytes, bytearray, complex, decimal.Decimal, fractions.Fraction, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, uuid.UUID,
    type(pathlib.Path()), pathlib.PurePosixPath, pathlib.PureWindowsPath,
))  # fmt: skip
_mro = type.__dict__["__mro__"].__get__


class A7TestTimeout(BaseException):
    """An example ran longer than its limit."""


def main():
    config = json.load(sys.stdin)
    work_dir = os.path.realpath(config.get("workDir", "/work"))
    emit, finish = open_report(config["reportPath"], config.pop("nonce"), "examples", sys.version.split()[0])
    maker = FailureMaker(work_dir, [], [])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(work_dir)
    sys.dont_write_bytecode = True
    sys.path[:] = places(work_dir) + [entry for entry in sys.path if entry not in ("", HERE)]
    examples = config["examples"]
    ids = [{"file": "<examples>", "nesting": [], "name": f"example {index}", "ordinal": 0} for index in range(len(examples))]
    emit({"kind": "collected", "ids": ids})
    signal.signal(signal.SIGALRM, _alarm)
    space = load(config, emit, maker)
    green = space is not None
    for identity, example in zip(ids, examples) if space is not None else ():
        started = time.perf_counter()
        failure = judge(example, space, config["testTimeoutMs"] / 1000, maker)
        green = green and failure is None
        emit({"kind": "test", "id": identity, "outcome": "passed" if failure is None else "failed", "phase": "call",
              "failure": failure, "reached": [], "durationMs": round((time.perf_counter() - started) * 1000, 3)})  # fmt: skip
    finish(len(ids), len(ids) if space is not None else 0)
    os._exit(0 if green else 1)


def load(config, emit, maker):
    """Names that a call may use: builtins, the contract's imports, then what the module defines. None if it does not import."""
    space = {"__builtins__": builtins}
    _arm(config["testTimeoutMs"] / 1000)
    try:
        module = importlib.import_module(config["module"])
        for line in config.get("imports", []):
            exec(line, space)
        space.update({key: value for key, value in vars(module).items() if not key.startswith("__")})
        return space
    except BaseException as error:  # noqa: BLE001 - the builder's module may raise anything
        signal.setitimer(signal.ITIMER_REAL, 0)
        emit({"kind": "collect_error", "file": config["contentFile"], "failure": maker.failure(error)})
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def judge(example, space, limit_s, maker):
    """None if the example holds, else the failure."""
    _arm(limit_s)
    try:
        value = eval(compile(example["call"], "<example>", "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), dict(space))
        if inspect.iscoroutine(value):
            value = asyncio().run(value)
        if "raises" not in example and inspect.isgenerator(value):
            value = list(value)
    except BaseException as error:  # noqa: BLE001
        signal.setitimer(signal.ITIMER_REAL, 0)
        if "raises" in example and is_a(error, example["raises"], space):
            return None
        return maker.failure(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if "raises" in example:
        return {**plain_failure("Failed", f"DID NOT RAISE {example['raises']}"), "assertion": True}
    if same(value, example["returns"], 0):
        return None
    shown = text(json.dumps(example["returns"]), 500)
    return {**plain_failure("AssertionError", f"{example['call']} must return {shown}"), "assertion": True}


def is_a(error, wanted, space):
    """By the class that the name means in the contract's scope; by name where nothing defines it."""
    wanted_class = space.get(wanted, getattr(builtins, wanted, None))
    if isinstance(wanted_class, type):
        return wanted_class in _mro(type(error))
    return wanted in (type_name(error), type_name(error).rsplit(".", 1)[-1])


def same(value, expected, depth):
    """Equality of a result with a JSON value, decided by the types here. Tuples, sets and deques count as lists, data classes as objects."""
    if depth > MAX_DEPTH:
        return False
    bases = _mro(type(value))
    if enum.Enum in bases and not any(base in bases for base in (int, str, float)):
        return same(enum.Enum.__dict__["value"].__get__(value), expected, depth + 1)
    if expected is None or isinstance(expected, bool):
        return value is expected
    if isinstance(expected, (int, float)):
        if type(value) in (decimal.Decimal, fractions.Fraction):
            return value == type(value)(str(expected))
        number = next((base for base in (int, float) if base in bases), None)
        return number is not None and bool not in bases and _number(value, number) == expected
    if isinstance(expected, str):
        return str.__eq__(value, expected) is True if str in bases else expected in _spelt(value)
    if isinstance(expected, list):
        return _same_list(value, bases, expected, depth)
    return _same_object(value, bases, expected, depth)


def _spelt(value):
    """How a value may be written that JSON has no form for."""
    if type(value) not in _SPELT:
        return ()
    return str(value), repr(value), *([value.isoformat()] if hasattr(value, "isoformat") else [])


def _number(value, number):
    return int.__int__(value) if number is int else float.__float__(value)


def _same_list(value, bases, expected, depth):
    if list in bases:
        items = list.__getitem__(value, slice(None))
    elif tuple in bases:
        items = list(tuple.__iter__(value))
    elif collections.deque in bases:
        items = list(collections.deque.__iter__(value))
    elif set in bases or frozenset in bases:
        return _same_set(list((set if set in bases else frozenset).__iter__(value)), expected, depth)
    else:
        return False
    return len(items) == len(expected) and all(same(item, other, depth + 1) for item, other in zip(items, expected))


def _same_set(items, expected, depth):
    """The same items, whatever their order."""
    for other in expected:
        at = next((at for at, item in enumerate(items) if same(item, other, depth + 1)), None)
        if at is None:
            return False
        del items[at]
    return items == []


def _same_object(value, bases, expected, depth):
    if dict in bases:
        pairs = dict(dict.items(value))
    elif dataclasses.is_dataclass(type(value)):
        pairs = {item.name: getattr(value, item.name, None) for item in dataclasses.fields(type(value))}
    else:
        return False
    if len(pairs) != len(expected) or not all(type(key) in (str, int) for key in pairs):
        return False
    named = {str(key): item for key, item in pairs.items()}
    return named.keys() == expected.keys() and all(same(named[key], other, depth + 1) for key, other in expected.items())


def _arm(limit_s):
    _late_at[0] = now() + limit_s
    signal.setitimer(signal.ITIMER_REAL, limit_s, 0.2)


def _alarm(_signal, _frame):
    if now() >= _late_at[0]:
        raise A7TestTimeout("the example ran longer than its limit")


if __name__ == "__main__":
    main()
