"""What each Python stub begins with: how its objects are made, filled, compared and varied (decision 0016)."""

PRELUDE = '''\
import contextlib as _a7_contextlib
try:
    from _a7_reach import declare as _a7_declare, given as _a7_given, is_closed as _a7_is_closed, loose as _a7_loose, made as _a7_made, raising as _a7_raising, reach as _a7_reach, second as _a7_second, silent as _a7_silent, through as _a7_through
except ImportError:
    _a7_loose, _a7_second, _a7_silent, _a7_raising, _a7_through = False, False, frozenset(), frozenset(), False
    def _a7_declare(_kinds):
        pass
    def _a7_reach(_name):
        pass
    def _a7_is_closed():
        return False
    _a7_made = _a7_given = _a7_reach


class _A7StubCalled(Exception):
    pass


class _A7Anything(BaseException):
    pass


def _a7_end(_name):
    if _name in _a7_raising:
        raise _A7Anything(_name)


def _a7_built(_name):
    _a7_reach(_name)
    if _a7_is_closed():
        raise _a7_refusal()


def _a7_refusal():
    """An error that everyone catches who catches a usual one, or one of the contract's: then it would be nobody's."""
    _bases = (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, RuntimeError)
    _own = [_each for _each in globals().values() if isinstance(_each, type) and issubclass(_each, BaseException)]
    try:
        return type("_A7Refusal", (*_own, *_bases), {"__init__": BaseException.__init__})()
    except TypeError:
        return type("_A7Refusal", _bases, {})()


def _a7_other(_value):
    if type(_value) in (int, float, complex):
        return _value + 500
    return _value + "-3" if type(_value) is str else _value


def _a7_from(_object):
    """Which callable gave an object; None for what the suite made."""
    return getattr(_object, "__dict__", {}).get("_a7_giver")


def _a7_same(_one, _other):
    """Equality is dropped, but what a callable gives is the same wrong value each time."""
    return _one is _other or (type(_one) is type(_other) and _a7_from(_one) is not None and _a7_from(_one) == _a7_from(_other))


def _a7_hash(_self):
    return object.__hash__(_self) if _a7_from(_self) is None else _a7_from(_self)


def _a7_vary(_self, _name):
    """Members of an object that a callable gave: others than those of one that the suite made."""
    _value = object.__getattribute__(_self, _name)
    if _name.startswith("__") or "_a7_giver" not in object.__getattribute__(_self, "__dict__"):
        return _value
    if not callable(_value):
        return _a7_other(_value)
    return lambda *_args, **_kwargs: _a7_other(_value(*_args, **_kwargs))


def _a7_instance(_cls, _giver):
    try:
        _value = _cls.__new__(_cls)
        object.__setattr__(_value, "_a7_giver", _giver)
    except Exception:
        return object()
    for _base in reversed(type(_value).__mro__):
        for _name, (_given, _make) in _base.__dict__.get("_a7_fields", {}).items():
            object.__setattr__(_value, _name, _make())
    _a7_made(_cls.__name__)
    return _value


def _a7_member(_enum):
    _a7_made(_enum.__name__)
    return list(_enum)[0 if _a7_second else -1]


def _a7_fill(_self, _args, _kwargs):
    _a7_given([*_args, *_kwargs.values()])
    _fields = {}
    for _base in reversed(type(_self).__mro__):
        _fields.update(_base.__dict__.get("_a7_fields", {}))
    _known = [_name for _name, (_given, _make) in _fields.items() if _given]
    _needed = {_name for _name, (_given, _make) in _fields.items() if _given == "needed"}
    _named = [*_known[: len(_args)], *_kwargs]
    _fits = len(_args) <= len(_known) and len(set(_named)) == len(_named) and _needed <= set(_named) <= set(_known)
    if not _a7_loose and not _fits:
        raise TypeError("the fields that are given are not those that are declared")
    for _name, (_given, _make) in _fields.items():
        object.__setattr__(_self, _name, _make())


async def _a7_async_iterator(_items):
    for _item in _items:
        yield _item


async def _a7_awaitable(_value):
    return _value


def _a7_open(_function):
    if not _a7_loose and not _a7_through:
        return _function
    import functools, inspect
    _signature = inspect.signature(_function)

    def _fits(*_args, **_kwargs):
        _a7_made(_function.__qualname__.removesuffix(".__init__"))
        for _given in [*_args, *_kwargs.values()]:
            _a7_given(_given)
            if inspect.iscoroutine(_given) and _given.cr_code.co_filename == _function.__code__.co_filename:
                _a7_play(_given)
            elif not _a7_loose:
                continue
            elif callable(_given) and not isinstance(_given, type):
                _a7_call_back(_given, inspect)
        try:
            _signature.bind(*_args, **_kwargs)
        except TypeError:
            return False
        return True

    if inspect.iscoroutinefunction(_function):
        async def _any(*_args, **_kwargs):
            return await _function(*_args, **_kwargs) if _fits(*_args, **_kwargs) else None
    else:
        def _any(*_args, **_kwargs):
            return _function(*_args, **_kwargs) if _fits(*_args, **_kwargs) else None
    return functools.wraps(_function)(_any)


def _a7_callable(_make):
    """A function that an export gives, such as a decorator: what it is handed is handed to the code."""
    def _called(*_args, **_kwargs):
        if _a7_through:
            _a7_given([*_args, *_kwargs.values()])
        return _make()
    return _called


def _a7_play(_coroutine):
    """A call that is to be awaited by who gets it."""
    try:
        _coroutine.send(None)
    except BaseException:
        pass
    _coroutine.close()


def _a7_call_back(_given, inspect):
    try:
        _needed = [_each for _each in inspect.signature(_given).parameters.values() if _each.kind < 2 and _each.default is _each.empty]
        _result = _given(*["a7-wrong" for _each in _needed])
        if inspect.iscoroutine(_result):
            _result.close()
    except AssertionError:
        raise
    except Exception:
        pass


def _a7_bases(*_bases):
    return tuple(_base for _base in _bases if not _a7_loose or getattr(_base, "__origin__", _base).__name__ in ("Generic", "Protocol"))


def _a7_anything(_self, _name):
    if _name.startswith("__"):
        raise AttributeError(_name)
    return "a7-wrong"


def _a7_only_one(_cls, *_args, **_kwargs):
    if "_a7_one" not in _cls.__dict__:
        _cls._a7_one = object.__new__(_cls)
    return _cls._a7_one
'''
