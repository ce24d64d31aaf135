"""Each test has a process of the builder's of its own, made when its first call crosses: no object there outlives a test (gate.md part 12).

What a fixture of wider scope makes is made before, in the process that all tests begin with. Where a test leaves the suite something
that lives on, or a wider fixture is made late, its process becomes that one: tests after it have no counterexample.
"""

import gc
import sys

MAX_KEPT = 16


class Fresh:
    """`is_clean`: the process that serves has had no other test's calls."""

    def __init__(self, bridge):
        self.bridge, self.is_due, self.is_apart, self.must_keep, self.kept = bridge, False, False, False, 0
        self.is_in_test, self.is_clean, self.before = False, True, None

    def begin_test(self):
        self.is_in_test = self.is_due = True
        self.is_apart = self.must_keep = False
        self.is_clean = self.kept == 0

    def before_request(self, verb):
        """Has the test's process made, if this is the test's first call. What is imported is there for all tests."""
        if verb == "import":
            self.must_keep = self.must_keep or self.is_apart
        if not self.is_due or verb in ("import", "share") or self.bridge.depth > 0:
            return
        self.is_due = False
        if self.kept <= MAX_KEPT:
            self.before = self._state()
            self.is_apart = self.bridge.request("begin", None, "") is True
        if not self.is_apart:
            self.kept += 1

    def begin_wider(self):
        """A fixture that lives longer than the test is being made. Returns what to end it with."""
        was_due, self.is_due = self.is_due, False
        if self.is_in_test and self.is_apart:
            self.must_keep = True
        return was_due

    def end_wider(self, was_due):
        self.is_due = was_due

    def end_test(self):
        self.is_in_test = self.is_due = False
        if not self.is_apart or self.bridge.dead is not None:
            return
        self.is_apart = False
        if self.must_keep or self._lives_on():
            self.kept += 1
            return
        self.bridge.request("end", None, "")
        self._put_back()

    def _lives_on(self):
        """Whether the suite still holds what lives in the test's process."""
        codec, known = self.bridge.codec, self.before["alive"]
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        if any(number not in known for number in list(codec.alive)):
            gc.collect()
        return any(number not in known for number in list(codec.alive))

    def _state(self):
        bridge, codec = self.bridge, self.bridge.codec
        parts = [(codec, name) for name in ("objects", "ids", "shadow", "kinds", "looks")]
        parts += [(bridge.results, "items"), (bridge.derived, "classes"), (bridge.derived, "numbers")]
        world = bridge.world
        for part in (world.environment, world.levels) if world is not None else ():
            if part is not None:
                parts.append((part, "known"))
        return {
            "alive": set(codec.alive),
            "next": codec.next_id,
            "parts": [(owner, name, dict(getattr(owner, name)) if getattr(owner, name) is not None else None) for owner, name in parts],
            "at": world.environment.at if world is not None and world.environment is not None else None,
            "is_loose": bridge.results.is_loose,
        }

    def _put_back(self):
        bridge, codec, before, self.before = self.bridge, self.bridge.codec, self.before, None
        for owner, name, value in before["parts"]:
            setattr(owner, name, value)
        codec.next_id, bridge.results.is_loose = before["next"], before["is_loose"]
        codec.dropped, codec.shared_dropped = [], []
        if before["at"] is not None:
            bridge.world.environment.at = before["at"]
