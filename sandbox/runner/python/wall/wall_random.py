"""One stream of chance for both sides: where the suite seeds `random`, the builder's process is seeded alike."""

import random

_PLAIN = (int, float, str, bytes, bytearray)


def share_seeds(bridge):
    """Replaces `seed` and `setstate` of the suite's module. The builder's side is told the seed and nothing else."""
    seed, setstate = random.seed, random.setstate

    def seed_both(a=None, version=2):
        seed(a, version)
        if type(a) in _PLAIN:
            _tell(bridge, "seed", (a, version))

    def setstate_both(state):
        setstate(state)
        _tell(bridge, "setstate", (state,))

    random.seed, random.setstate = seed_both, setstate_both


def _tell(bridge, name, args):
    bridge.request("random", None, name, args)
    if bridge.oracle is not None:
        bridge.oracle.tell("random", None, name, args)
