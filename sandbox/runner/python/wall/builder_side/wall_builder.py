"""The builder's side of the glass wall: runs the code under test in a process of its own and serves one call at a time.

Started beside the suite under another uid. It reads requests from descriptor 3 and answers on 4; it sees the code, its
dependencies and the scaffold, never the suite. Nothing that it says is believed beyond the answer to a call.
Start it as `python3 -s -P -B wall_builder.py` in the folder of the code.
"""

import copy
import io
import os
import random
import signal
import sys
import threading

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

from suite_clock import shift_by_environment  # noqa: E402
from suite_places import places  # noqa: E402
from suite_time import now  # noqa: E402
from wall_builder_codec import BuilderCodec  # noqa: E402
from wall_describe import describe  # noqa: E402
from wall_late import asyncio, running_loop  # noqa: E402
from wall_patched import Patched, peek  # noqa: E402
from wall_plain import CannotCross  # noqa: E402
from wall_shared import Shared  # noqa: E402
from wall_wire import TooLarge, Wire, WireError  # noqa: E402

MAX_FRAMES = 20
MAX_PRINTED = 1 << 20
# A deadline that code swallows comes again.
REPEAT_SECONDS = 0.2
_setitimer = signal.setitimer
# How the process of a test ends that the suite's side has ended.
ENDED = 77
_fork, _waitpid, _exit = os.fork, os.waitpid, os._exit


class Deadline(BaseException):
    """The call took longer than it may."""


class Server:
    """Serves requests until the pipe ends."""

    def __init__(self, root, confine=None):
        self.root, self.confine, self.is_child = root, confine, False
        self.wire = Wire(3, 4)
        self.codec = BuilderCodec(self.ask)
        self.lock, self.pending, self.main = threading.RLock(), 0, threading.get_ident()
        self.loop, self.tasks, self.next_task = None, {}, 1
        self.out = [self._printed("stdout"), self._printed("stderr")]
        self.armed, self.late_at, self.patched, self.shared = False, 0.0, Patched(), Shared(self.codec)
        signal.signal(signal.SIGALRM, self._alarm)

    @staticmethod
    def _printed(name):
        raw = io.BytesIO()
        setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="", write_through=True))
        setattr(sys, f"__{name}__", getattr(sys, name))
        return raw

    def _alarm(self, _signal, _frame):
        if self.armed and now() >= self.late_at:
            raise Deadline()

    def run(self):
        while True:
            message = self.wire.receive()
            if message[1] == "begin":
                self.wire.send(self.codec.message([1, self.begin(), None]))
            elif message[1] == "end" and self.is_child:
                _exit(ENDED)
            elif message[1] == "end":  # code that answered in our place has its own idea of what was asked
                self.wire.send(self.codec.message([1, True, None]))
            else:
                self.serve(message)

    def begin(self):
        """A process of its own for what follows; this one waits for its end and goes on from here. False: code runs beside this thread,
        which no other process would have."""
        if threading.active_count() > 1:
            return False
        chance = random.getstate()
        child = _fork()
        if child == 0:
            random.setstate(chance)
            self.is_child = True
            self.shared.look_again()
            return True
        _pid, status = _waitpid(child, 0)
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != ENDED:
            _exit(1)
        return True

    # -- requests of the suite --------------------------------------------------------------------------------------

    def serve(self, message):
        _kind, verb, subject, name, args, kwargs, limit_ms, in_loop, handles, shared, heap = message
        self.codec.drop(handles, shared)
        is_first, was_armed, entered = self.pending == 0, self.armed, False
        self.pending += 1
        try:
            try:
                self.codec.take_heap(heap)
                target = self.codec.dec(subject)
                args = [self.codec.dec(item) for item in args]
                kwargs = {key: self.codec.dec(item) for key, item in kwargs.items()}
                if in_loop and self.loop_of().is_running() is False and running_loop() is None:
                    asyncio()._set_running_loop(self.loop_of())
                    entered = True
                self.armed = True
                if is_first:
                    self.late_at = now() + limit_ms / 1000
                    _setitimer(signal.ITIMER_REAL, limit_ms / 1000, REPEAT_SECONDS)
                value = self.carry_out(verb, target, name, args, kwargs)
                self.armed = False
                answer = [1, self.codec.enc(value)]
            except CannotCross as error:
                self.armed = False
                self.codec.abandon()
                answer = [3, str(error)[:500]]
            except Deadline:
                self.armed = False
                answer = [4]
            except BaseException as error:  # noqa: BLE001 - whatever the code raises crosses
                self.armed = False
                answer = self.failure(error)
        except Deadline:  # it came between two steps
            answer = [4]
        finally:
            self.armed = was_armed
            if is_first:
                _setitimer(signal.ITIMER_REAL, 0)
            if entered:
                asyncio()._set_running_loop(None)
        with self.lock:
            self.pending -= 1
            self.answer(answer)

    def failure(self, error):
        try:
            return [2, self.codec.exception(error), self.frames(error)]
        except CannotCross as reason:
            self.codec.abandon()
            return [3, str(reason)[:500]]

    def answer(self, answer):
        try:
            text = self.codec.message([*answer, self.take_printed()])
        except (CannotCross, RecursionError) as error:
            self.codec.abandon()
            text = self.codec.message([3, str(error)[:500], None])
        try:
            self.wire.send(text)
        except TooLarge as error:
            self.wire.send(self.codec.message([3, str(error), None]))

    def frames(self, error):
        found, step = [], error.__traceback__
        while step is not None and len(found) < 5000:
            file = os.path.realpath(step.tb_frame.f_code.co_filename)
            if file.startswith(self.root + os.sep):
                found.append([file[len(self.root) + 1:], step.tb_lineno or 0])
            step = step.tb_next
        return found[-MAX_FRAMES:]

    def take_printed(self):
        told = self.shared.told()
        if not (self.out[0].tell() or self.out[1].tell()):
            return None if told is None else ["", "", told]
        texts = []
        for raw in self.out:
            texts.append(raw.getvalue()[:MAX_PRINTED].decode("utf-8", "replace"))
            raw.seek(0)
            raw.truncate()
        return [*texts, told]

    def carry_out(self, verb, target, name, args, kwargs):
        if verb == "f":
            value = sys.modules[target]
            for part in name.split("."):
                value = getattr(value, part)
            return value(*args, **kwargs)
        if verb == "m":
            is_operator = name.startswith("__") and not isinstance(target, type)
            return (getattr(type(target), name).__get__(target) if is_operator else getattr(target, name))(*args, **kwargs)
        if verb == "u":
            module, _, path = name.partition(":")
            cls, method = path.split(".")
            return getattr(self.codec.by_name[module, cls], method)(target, *args, **kwargs)
        if verb == "derive":
            return self.codec.derive(name, *args)
        if verb == "v":
            return target(*args, **kwargs)
        if verb == "get":
            return getattr(sys.modules[target] if type(target) is str else target, name)
        if verb == "set":
            return setattr(target, name, args[0])
        if verb == "del":
            return delattr(target, name)
        if verb == "copy":
            return (copy.copy if name == "copy" else copy.deepcopy)(target)
        if verb == "import":
            return describe(self.codec, target, args[0])
        if verb == "seal":
            return self.confine is not None and self.confine.shut_finding(self.root, name == "zones")
        if verb == "share":
            return self.shared.hear(args[0])
        if verb == "patch":
            return self.patched.replace(target, name, args[0])
        if verb == "unpatch":
            return self.patched.put_back(target, name)
        if verb == "peek":
            return peek(sys.modules[target], name)
        if verb == "random" and name in ("seed", "setstate"):
            return getattr(random, name)(*args)
        return self.asynchronous(verb, target)

    # -- coroutines -------------------------------------------------------------------------------------------------

    def loop_of(self):
        if self.loop is None:
            self.loop = asyncio().new_event_loop()
        return self.loop

    def asynchronous(self, verb, target):
        """`start` an awaitable, `step` the loop once and tell whether the task is done, `cancel` a task."""
        loop = self.loop_of()
        if verb == "start":
            number, self.next_task = self.next_task, self.next_task + 1
            self.tasks[number] = asyncio().ensure_future(target, loop=loop)
            return number, self.step(loop, number)
        if verb == "cancel":
            task = self.tasks.get(target)
            return task.cancel() if task is not None else False
        return self.step(loop, target)

    def step(self, loop, number):
        running = running_loop()
        asyncio()._set_running_loop(None)
        try:
            if not loop.is_running():
                loop.call_soon(loop.stop)
                loop.run_forever()
        finally:
            asyncio()._set_running_loop(running)
        task = self.tasks.get(number)
        return (self.tasks.pop(number).result(),) if task is not None and task.done() else None

    # -- requests to the suite --------------------------------------------------------------------------------------

    def ask(self, verb, number, name, args, kwargs):
        """Uses an object of the suite. Other threads may only while a call of the suite is being carried out."""
        with self.lock:
            if self.pending == 0:
                raise RuntimeError("an object of the caller can be used only during a call")
            codec = self.codec
            encoded = [codec.enc(item) for item in args], {key: codec.enc(item) for key, item in kwargs.items()}
            was_armed, self.armed = self.armed, False
            try:
                self.wire.send(codec.message([0, verb, number, name, *encoded, self.take_printed()]))
                while True:
                    message = self.wire.receive()
                    if message[0] != 0:
                        break
                    self.serve(message)
                codec.take_heap(message[-1])
            finally:
                self.armed = was_armed
            if message[0] == 1:
                return codec.dec(message[1])
            raise codec.dec(message[1])


def _confined():
    """The oracle leaves no trace: not even what it is made of may be loaded before that is sure."""
    import wall_confine

    return wall_confine if wall_confine.shut_writing() else None


def main():
    root = os.path.realpath(os.getcwd())
    sys.dont_write_bytecode = True
    confine = _confined() if sys.argv[1:] == ["oracle"] else None
    shift_by_environment()
    sys.path[:] = [*places(root), *(entry for entry in sys.path if entry not in ("", HERE))]
    sys.argv = ["python3"]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    server = Server(root, confine)
    try:
        server.run()
    except WireError:
        os._exit(0)


if __name__ == "__main__":
    main()
