"""What the items of pytest are made of."""

import inspect

from _pytest.unittest import TestCaseFunction


def _plain_function(value):
    return inspect.unwrap(getattr(value, "__func__", value))


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
