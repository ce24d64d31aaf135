"""Opens the suite's end of the wall: bridge, types of the contracts and import hook, before anything of the suite is loaded."""

import sys

from suite_time import now
from wall_bridge import Bridge
from wall_called import Called
from wall_notes import Note
from wall_proxies import Proxies
from wall_patches import watch_patching
from wall_random import share_seeds
from wall_results import Results
from wall_shapes import WallFinder

READ_FD, WRITE_FD = 3, 4


def open_wall(config):
    """`config` is {modules, exits, callTimeoutMs, budgetMs}. Returns the bridge, with a note of its last call."""
    proxies = Proxies()
    ends = now() + config["budgetMs"] / 1000
    bridge = Bridge(READ_FD, WRITE_FD, config["callTimeoutMs"] / 1000, ends, config["exits"], proxies, config.get("asserts", False))
    proxies.bridge = bridge
    bridge.calls, bridge.results = Note(bridge.codec), Results(bridge)
    bridge.codec.on_field = bridge.results.field
    bridge.called = Called(config["modules"][0]["module"] if config["modules"] else "")
    bridge.modules = frozenset(item["module"] for item in config["modules"])
    bridge.codec.on_class = bridge.called.note_class
    bridge.codec.words = config.get("words")
    share_seeds(bridge)
    topics = config.get("topics", [])
    if "patches" in topics:
        watch_patching(bridge.patches, "mock" in topics)
    if topics:
        from wall_world import World

        bridge.world = World(bridge, topics)
    finder = WallFinder(config["modules"], bridge, proxies, config.get("eager", False))
    sys.meta_path.insert(0, finder)
    if config.get("oracle"):
        from wall_oracle import Oracle

        bridge.oracle = Oracle(bridge, finder, READ_FD + 2, WRITE_FD + 2, "zones" in topics)
    return bridge
