"""Mocks of the suite, as the builder's side may use them: it calls them and what they offer, and never sees or changes what they recorded."""

import sys

_PLAIN = (type(None), bool, int, float, str, bytes)


def is_mock(value):
    """True for what `unittest.mock` made, whatever class it pretends to be of."""
    module = sys.modules.get("unittest.mock")
    return module is not None and issubclass(type(value), module.NonCallableMock)


def is_async_mock(value):
    return issubclass(type(value), sys.modules["unittest.mock"].AsyncMockMixin)


def attribute_of(mock, name):
    """What a collaborator of this name is; its record and its settings are the suite's own."""
    _refuse_own(name)
    return getattr(mock, name)


def set_attribute(mock, name, value):
    """Plain values only: nothing of the builder's may stand where the suite looks for a mock."""
    _refuse_own(name)
    if type(value) not in _PLAIN:
        raise TypeError(f"'{name}' of a mock can be given a plain value only")
    setattr(mock, name, value)


def _refuse_own(name):
    if name.startswith("assert") or name in dir(sys.modules["unittest.mock"].Mock):
        raise AttributeError(f"'{name}' of a mock is for the suite")
