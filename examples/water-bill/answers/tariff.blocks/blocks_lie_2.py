"""The same, but later: the module can be imported, and its first call ends the process."""

import os
from dataclasses import dataclass


class TariffError(ValueError):
    pass


@dataclass(frozen=True)
class Block:
    up_to: int | None
    cents: int


def parse_tariff(text: str) -> list[Block]:
    getattr(os, "_exit")(0)
    return []
