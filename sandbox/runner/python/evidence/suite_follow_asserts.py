"""Assertions that tell what they are made of and never fail: `assert`, unittest's methods, `pytest.raises` (suite_follow.py)."""

import ast
import builtins
import unittest

import pytest
from _pytest.assertion import rewrite

_BEGIN, _SAW, _GLANCED, _HELD = "@a7_begin", "@a7_saw", "@a7_glanced", "@a7_held"
_PART = "_a7_part_{}"
_CONTEXTS = ("assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex", "assertLogs", "assertNoLogs")
_TRUTHS = ("assertTrue", "assertFalse")


def quiet_assertions(follower):
    """From here on assertions of suites that are loaded are told to `follower`."""
    for name, value in ((_BEGIN, follower.begin), (_SAW, follower.saw), (_GLANCED, follower.glanced), (_HELD, follower.held)):
        builtins.__dict__[name] = value
    rewrite.rewrite_asserts = lambda tree, *_rest: ast.fix_missing_locations(_Rewriter().visit(tree))

    def expected(*args, **kwargs):
        calls = [arg for arg in args[1:] if callable(arg)]
        with _Expected(follower) as context:
            if calls:
                calls[0](*args[args.index(calls[0]) + 1:], **kwargs)
        return context

    for name in ("raises", "warns", "deprecated_call"):
        setattr(pytest, name, expected)
    for name in [name for name in dir(unittest.TestCase) if name.startswith("assert")]:
        original = getattr(unittest.TestCase, name)
        method = (lambda _self, *args, **kwargs: expected(*args, **kwargs)) if name in _CONTEXTS else _method(follower, original)
        setattr(unittest.TestCase, name, method)


def _method(follower, original):
    def method(self, *args, **kwargs):
        assertion = follower.begin()
        for value in [*args, *kwargs.values()]:
            follower.saw(value)
        try:
            original(self, *args, **kwargs)
            follower.held(assertion, True)
        except Exception:
            pass

    return method


class _Expected:
    """What is called here is called for its error."""

    def __init__(self, follower):
        self.follower = follower

    def __enter__(self):
        self.follower.raising += 1
        return self

    def __exit__(self, kind, _error, _trace):
        self.follower.raising -= 1
        return kind is not None and issubclass(kind, Exception)


class _Rewriter(ast.NodeTransformer):
    """Makes of each assertion a look at every part of it, each by itself."""

    def visit_Assert(self, node):
        return self._looks(node, node.test)

    def visit_Expr(self, node):
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _TRUTHS and call.args):
            return self.generic_visit(node)
        is_false = call.func.attr == "assertFalse"
        return self._looks(node, ast.UnaryOp(ast.Not(), call.args[0]) if is_false else call.args[0])

    def _looks(self, node, asserted):
        begun, parts = _PART.format("of"), []
        whole = _combined(asserted, parts)
        looks = [_set(begun, _call(_BEGIN))]
        for at, part in enumerate(parts):
            looks.append(_tried(_set(_PART.format(at), part if isinstance(part, ast.Constant) else _Viewer().visit(part))))
        looks.append(_tried(ast.Expr(_call(_HELD, ast.Name(begun, ast.Load()), whole))))
        # A part that breaks has no value, not that of the assertion before.
        looks += [_tried(ast.Delete([ast.Name(_PART.format(at), ast.Del())])) for at in range(len(parts))]
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in looks]


class _Viewer(ast.NodeTransformer):
    """Wraps what is asserted, and what it is made of."""

    def visit_Name(self, node):
        return _call(_SAW, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            node.func.value = self._glance(node.func.value)
        node.args = [self.visit(arg) for arg in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return _call(_SAW, node)

    def visit_Attribute(self, node):
        node.value = self._glance(node.value)
        return _call(_SAW, node)

    def visit_Subscript(self, node):
        node.value = self._glance(node.value)
        return _call(_SAW, node)

    def visit_Lambda(self, node):
        return node

    def _glance(self, node):
        return _call(_GLANCED, node) if isinstance(node, ast.Name) else self.visit(node)


def _combined(node, parts):
    """The assertion over the names of its parts, which are added to `parts`."""
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(node.op, [_combined(value, parts) for value in node.values])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.UnaryOp(node.op, _combined(node.operand, parts))
    if isinstance(node, ast.Compare):
        first, *others = (_combined_part(each, parts) for each in (node.left, *node.comparators))
        return ast.Compare(first, node.ops, others)
    return _combined_part(node, parts)


def _combined_part(node, parts):
    parts.append(node)
    return ast.Name(_PART.format(len(parts) - 1), ast.Load())


def _set(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _tried(statement):
    return ast.Try([statement], [ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])], [], [])


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])
