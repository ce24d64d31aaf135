"""Evaluates a contract's examples against code in another process: examples_runner.py on the trusted side of the wall.

Start it as `python3 -s -P -B wall_examples.py`; its configuration is that of examples_runner.py with `wall`.
"""

import io
import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import examples_runner  # noqa: E402
from wall_open import open_wall  # noqa: E402
from wall_failures import WallFailures  # noqa: E402


def main():
    config = json.load(sys.stdin)
    open_wall({**config.pop("wall"), "eager": True})
    examples_runner.FailureMaker = WallFailures
    sys.stdin = io.StringIO(json.dumps(config))
    examples_runner.main()


if __name__ == "__main__":
    main()
