"""Plays tests through on a stub (gate.md part 12): no failed assertion and no error of a statement ends a test, so that all that it
would call is called. Nothing is judged by the outcomes of such a run; it tells what tests reach, and how often.
"""

import ast
import builtins
import copy

import pytest

_ENDED = "_a7_ended"
LIMIT_SECONDS = 2.0


def install(rewrite):
    """From here on `_pytest.assertion.rewrite` changes tests in this way instead of rewriting their assertions."""
    setattr(builtins, _ENDED, (Exception, pytest.fail.Exception))
    rewrite.rewrite_asserts = lambda tree, *_args, **_kwargs: play_through(tree)


def play_through(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _gives(node):
            node.body = _each(node.body)
    ast.fix_missing_locations(tree)


def _gives(node):
    """A generator is a fixture or data: where it ends is what it says."""
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node))


def _each(body):
    return [part for statement in body for part in _kept_going(statement)]


def _kept_going(statement):
    match statement:
        case ast.Assert(test=ast.BoolOp(op=ast.And(), values=values)):
            return [_tried(_copied(ast.Expr(value), statement)) for value in values]
        case ast.Assert(test=test):
            return [_tried(_copied(ast.Expr(test), statement))]
        # What a loop or a handler waits for may be an error.
        case ast.While() | ast.Try() | ast.ClassDef() | ast.Global() | ast.Nonlocal() | ast.Import() | ast.ImportFrom():
            return [statement]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Return() | ast.Break() | ast.Continue() | ast.Pass():
            return [statement]
        # Where the context cannot be entered, its body is played all the same.
        case ast.With() | ast.AsyncWith():
            statement.body = _each(statement.body)
            return [_tried(statement, copy.deepcopy(statement.body))]
        case ast.For() | ast.AsyncFor() | ast.If():
            statement.body = _each(statement.body)
            if getattr(statement, "orelse", None):
                statement.orelse = _each(statement.orelse)
    return [_tried(statement)]


def _tried(statement, otherwise=()):
    handler = ast.ExceptHandler(ast.Name(_ENDED, ast.Load()), None, [*otherwise, ast.Pass()])
    return _copied(ast.Try([statement], [handler], [], []), statement)


def _copied(node, source):
    return ast.copy_location(node, source)
