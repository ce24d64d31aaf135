"""Where Python imports a project's modules from: what an editable install of it would add to its path.

Example: `src/shop/money.py` is `shop.money`, unless `src/__init__.py` makes a package of `src`. Decided by scaffold alone, which no
agent writes (gate.md part 1). core/repository/python-path.ts says the same of whole repositories.
"""

import os

CONVENTIONAL = ("src", "lib", "python")


def places(folder):
    """Folders to import from, the project's own last."""
    below = [os.path.join(folder, name) for name in CONVENTIONAL]
    return [*(each for each in below if os.path.isdir(each) and not os.path.exists(os.path.join(each, "__init__.py"))), folder]
