"""A context of the code as a decorator, `@timed("load") def work()`: contextlib makes a new context for each call, and so does this side."""

import functools

from stub_kinds import has_decorator


def makes_contexts(node):
    return has_decorator(node, "contextmanager") or has_decorator(node, "asynccontextmanager")


def decorated(function, again, is_async):
    """`function` within a context of its own; `again` makes the next one."""
    if is_async:

        async def within(*args, **kwargs):
            async with again():
                return await function(*args, **kwargs)

    else:

        def within(*args, **kwargs):
            with again():
                return function(*args, **kwargs)

    return functools.wraps(function)(within)
