"""The suite's end of the wall: makes calls, serves what they ask back, and names every fault (gate.md parts 10 and 11).

A fault is the builder's: the call did not end in time, its process ended, what it sent is no message, a value cannot cross.
It is reported to `on_fault` at once, so that no `except` of a test can hide it.
"""

import sys
import threading
import types

from suite_time import now
from wall_derived import Derived
from wall_kept import Kept
from wall_late import asyncio, running_loop, sleep
from wall_methods import Named
from wall_mocks import attribute_of, set_attribute
from wall_patches import Patches
from wall_plain import CannotCross
from wall_stubs import COMPARING, FORWARDED, operators_of
from wall_suite_codec import SuiteCodec
from wall_wire import TooLarge, Wire, WireEnded, WireError, WireTimeout

# The builder's side interrupts itself at the limit; this much later it counts as lost.
GRACE_SECONDS = 0.5
MAX_NESTED = 200
# Requests that come before anything that the suite shares is told.
_SILENT = ("share", "begin", "end")
_clock = now


class TestTimeout(BaseException):
    """A call did not end in time."""


class BuilderFault(BaseException):
    """The builder's process ended, lied about the protocol, or gave what cannot cross."""


class BuilderEnded(BuilderFault):
    """The builder's process ended by itself: what it would have answered is not known."""


class Bridge:
    """One session with the builder's process. Times are seconds of the room's clock."""

    def __init__(self, read_fd, write_fd, call_limit, session_ends, exits, proxies, asserts=False):
        self.wire = Wire(read_fd, write_fd)
        self.wire.unblock()
        self.codec = SuiteCodec(proxies, exits)
        self.lock, self.dead, self.depth = threading.RLock(), None, 0
        self.dead_kind = BuilderFault
        self.call_limit, self.session_ends, self.test_ends = call_limit, session_ends, None
        self.on_fault = lambda error: None
        self.calls, self.waiting, self.tasks = None, False, {}
        self.next_task, self.results, self.kept = 1, None, Kept(self.codec, asserts)
        self.named, self.patches, self.world = Named(self.codec), Patches(self), None
        self.derived = self.codec.derived = Derived(self)
        self.oracle = self.fresh = self.called = None
        self.modules = frozenset()

    def request(self, verb, subject, name, args=(), kwargs=None):
        """The result of a call on the builder's side. Raises what it raised, or a fault."""
        with self.lock:
            if self.dead is not None:
                self.fault(self.dead, self.dead_kind)
            if self.fresh is not None:
                self.fresh.before_request(verb)
            if self.world is not None and verb not in _SILENT:
                self._tell()
            codec, note = self.codec, self.calls
            try:
                parts = [0, verb, codec.enc(subject), name, [codec.enc(item) for item in args],
                         {key: codec.enc(item) for key, item in kwargs.items()} if kwargs else {}]  # fmt: skip
                if self.results is not None and self.results.lending:
                    self.results.lend(verb, subject, name, args, kwargs)
                limit = self._limit()
                # A constructor may change nothing that crossed before and was not given to it (gate.md part 12).
                codec.changeable = codec.reached if verb == "f" and (subject, name) in codec.by_name and not codec.has_handles(args) else None
                text = codec.message([*parts, max(1, int(limit * 1000)), running_loop() is not None, *codec.take_drops()])
            except CannotCross as error:
                codec.abandon()
                self.cannot_send(error)
            self.named.note(args)
            closing = self.kept.closing(name, args) if verb == "m" else None
            if self.called is not None:
                self.called.note(verb, subject, name)
            value = self._exchange(text, limit, note if verb in ("f", "m", "v") else None)
            if closing is not None:
                value = self.kept.closed(name, closing, value)
            if self.results is not None:
                self.results.check(verb, subject, name, args, kwargs, value)
            return value

    def cannot_send(self, error):
        self.fault(f"An argument cannot cross: {error}")

    def build(self, cls, args, kwargs):
        """A value of a data class that the suite makes."""
        if self.called is not None:
            self.called.note_class(cls)
        if self.oracle is not None:
            return self.oracle.build(cls, args, kwargs)
        return self.request("f", *cls.__dict__["_a7_class"], args, kwargs)

    def _limit(self):
        ends = self.session_ends if self.test_ends is None else min(self.session_ends, self.test_ends)
        limit = min(self.call_limit, ends - _clock())
        if limit <= 0:
            self.fault("Calls took longer than they may", TestTimeout)
        return limit

    def _exchange(self, text, limit, note):
        deadline = _clock() + limit + GRACE_SECONDS
        if self.depth >= MAX_NESTED:
            self.fault("Calls are nested too deeply")
        self.depth, self.waiting = self.depth + 1, True
        if note is not None:
            note.begin(text)
        try:
            self._send(text, deadline)
            while True:
                message = self._receive(deadline)
                kind = message[0]
                if kind != 0:
                    break
                began = _clock()
                self._serve(message, deadline)
                deadline += _clock() - began
            self.codec.take_heap(message[-1])
            self._hear(message[-2])
            value = self.codec.dec(message[1]) if kind in (1, 2) else None
        except WireTimeout:
            self.dead = "The builder's process does not answer"
            self.fault("A call did not end in time", TestTimeout)
        except (WireError, TooLarge) as error:
            self.dead = f"The builder's process is lost: {error}"
            self.dead_kind = BuilderEnded if isinstance(error, WireEnded) else BuilderFault
            self.fault(self.dead, self.dead_kind)
        except CannotCross as error:
            self.fault(f"An answer cannot cross: {error}")
        except Exception as error:  # noqa: BLE001 - a message that was made to break the reader
            self.dead = "The builder's process sent what is no message"
            self.fault(f"{self.dead} ({type(error).__name__})")
        except (TestTimeout, BuilderFault):
            raise
        except BaseException:  # an alarm of the test, in the middle of a message
            self.dead = "A call was given up before its end"
            raise
        finally:
            self.depth -= 1
            self.waiting = self.depth > 0
        if note is not None:
            note.end(message)
        if self.world is not None:
            self.world.say()
        return self._outcome(kind, message, value)

    def _outcome(self, kind, message, value):
        if kind == 1:
            return value
        if kind == 2 and isinstance(value, BaseException):
            self.kept.back(value)
            if message[1][0] == "X":
                value.__dict__["_a7_frames"] = message[2]
            raise value from value.__cause__
        if kind == 4:
            self.fault("A call did not end in time", TestTimeout)
        if kind == 3:
            self.fault(f"A result cannot cross: {str(message[1])[:300]}")
        self.dead = "The builder's process sent what is no message"
        self.fault(self.dead)

    def fault(self, text, kind=BuilderFault):
        error = kind(text)
        self.on_fault(error)
        if self.calls is not None:
            # The call at fault has no end that could be told; the one before it is no example of it.
            self.calls.clear()
        raise error

    # -- what is shared beside values ---------------------------------------------------------------------------------

    def _tell(self):
        try:
            self.world.tell()
        except (CannotCross, OSError, ValueError) as error:
            self.fault(f"What the suite shares cannot cross: {error}")

    def _send(self, text, deadline):
        if self.world is not None:
            self.world.lend()
        self.wire.send(text, deadline)

    def _receive(self, deadline):
        try:
            return self.wire.receive(deadline)
        finally:
            if self.world is not None:
                self.world.take_back()

    def _hear(self, texts):
        for target, text in zip((sys.stdout, sys.stderr), texts or ()):
            if type(text) is str and text:
                target.write(text)
        if self.world is not None and texts is not None and len(texts) > 2 and texts[2] is not None:
            try:
                self.world.hear(texts[2])
            except (OSError, ValueError) as error:
                raise CannotCross(f"something shared: {error}") from error

    # -- what the builder's side asks ---------------------------------------------------------------------------------

    def _serve(self, message, deadline):
        _kind, verb, number, name, args, kwargs, texts, heap = message
        codec = self.codec
        codec.take_heap(heap)
        self._hear(texts)
        args = [codec.dec(item) for item in args]
        kwargs = {key: codec.dec(item) for key, item in kwargs.items()}
        waiting, self.waiting = self.waiting, False
        try:
            answer = [1, codec.enc(self._use(verb, number, name, args, kwargs))]
        except CannotCross as error:
            codec.abandon()
            answer = [2, codec.exception(TypeError(str(error)))]
        except BaseException as error:  # noqa: BLE001 - what a callback raises goes through the builder's code
            self.kept.hand(error)
            answer = [2, codec.exception(error)]
        finally:
            self.waiting = waiting
        if self.dead is not None:
            raise WireError(self.dead)
        if self.world is not None:
            self._tell()
        self._send(codec.message(answer), deadline + self.call_limit)

    def _use(self, verb, number, name, args, kwargs):
        """What a handle of the suite may be used for depends on what it is."""
        if verb == "ap":
            return self._poll(number)
        if verb == "ac":
            return self.tasks[number].cancel()
        value, category, _is_test, _key = self.codec.own.get(number) or (None, "dead", False, None)
        if self.results is not None and verb in ("v", "av"):
            self.results.called(number, args)
        if verb == "v" and category in ("fn", "afn"):
            given = self._given(value, args, kwargs)
            if self.results is not None and category == "fn":
                self.results.gave(number, given)
            return given
        if verb == "av" and category in ("afn", "aw"):
            return self._start(value(*args, **kwargs) if category == "afn" else value)
        if verb == "m" and category == "g" and name == "__next__":
            return next(value)
        if category in ("x", "k") and verb == "m" and name in _operators(type(value)):
            return (getattr(type(value), name).__get__(value) if category == "x" else getattr(value, name))(*args, **kwargs)
        if category == "k" and not name.startswith("_") and verb == "get":
            return attribute_of(value, name)
        if category == "k" and not name.startswith("_") and verb == "set":
            return set_attribute(value, name, *args)
        if category == "x" and not name.startswith("_") and verb == "get":
            return getattr(value, name)
        if category == "x" and not name.startswith("_") and verb == "set":
            return self.named.set_attribute(value, name, *args)
        raise TypeError("this object of the caller cannot be used so, or no longer")

    @staticmethod
    def _given(function, args, kwargs):
        """What a function of the suite gives. That its parameters are others is said without its name."""
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__.tb_next is None and type(function) is types.FunctionType:
                raise TypeError("the caller's function takes other arguments") from None
            raise

    def _start(self, awaitable):
        number, self.next_task = self.next_task, self.next_task + 1
        task = self.tasks[number] = asyncio().ensure_future(awaitable)
        task.add_done_callback(self._ended)
        return number

    def _ended(self, task):
        # Nobody may ask for its end.
        if not task.cancelled() and task.exception() is not None:
            self.kept.hand(task.exception())

    def _poll(self, number):
        task = self.tasks[number]
        return (self.tasks.pop(number).result(),) if task.done() else None

    # -- awaiting -----------------------------------------------------------------------------------------------------

    async def drive(self, awaitable):
        """Runs an awaitable of the builder's side: its loop makes a step whenever this one comes round."""
        number, done = self.request("start", awaitable, "")
        turn = 0
        while done is None:
            turn += 1
            try:
                await sleep(0 if turn < 20 else min(0.005, 0.0001 * (turn - 19)))
            except asyncio().CancelledError:
                self.request("cancel", number, "")
            done = self.request("step", number, "")
        if self.results is not None:
            self.results.settled(awaitable.number, done[0])
        return done[0]


def _operators(cls):
    return operators_of(cls, [*FORWARDED, *COMPARING])
