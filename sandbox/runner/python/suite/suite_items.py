"""What the items of pytest are made of."""

import inspect

from _pytest.unittest import TestCaseFunction

from suite_failures import plain_failure


def _plain_function(value):
    return inspect.unwrap(getattr(value, "__func__", value))


def too_many(items, most):
    """Why a suite of so many tests is not run, or None. The same words stand in runner.mjs."""
    if most is None or len(items) <= most:
        return None
    return plain_failure("TooManyTests", f"the suite has {len(items)} tests, at most {most} are judged; "
                         "check rows of values in a loop inside one test, or split the contract")  # fmt: skip


def is_async_test(item):
    function = _plain_function(getattr(item, "obj", None) or (lambda: None))
    if isinstance(item, TestCaseFunction):
        return inspect.iscoroutinefunction(function) and not _runs_coroutines(item.cls)
    return (
        inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
        or inspect.isgeneratorfunction(function)
    )


def _runs_coroutines(cls):
    return any(base.__name__ == "IsolatedAsyncioTestCase" for base in cls.__mro__)
