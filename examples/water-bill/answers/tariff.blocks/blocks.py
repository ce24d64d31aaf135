"""A tariff: prices of units by blocks."""

from dataclasses import dataclass


class TariffError(ValueError):
    """The text is no tariff."""


@dataclass(frozen=True)
class Block:
    up_to: int | None
    cents: int


def parse_tariff(text: str) -> list[Block]:
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    blocks = [_block(line) for line in lines if line]
    if not blocks or blocks[-1].up_to is not None:
        raise TariffError("the last block must be rest: CENTS")
    limits = [block.up_to for block in blocks[:-1]]
    if None in limits:
        raise TariffError("only the last block may be rest: CENTS")
    if any(later <= earlier for earlier, later in zip(limits, limits[1:])):
        raise TariffError("limits must rise from block to block")
    return blocks


def _block(line: str) -> Block:
    parts = [part.strip() for part in line.split(":")]
    if len(parts) != 2:
        raise TariffError(f"not LIMIT: CENTS: {line!r}")
    limit, cents = parts
    return Block(None if limit == "rest" else _number(limit), _number(cents))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise TariffError(f"not a whole number from 0: {text!r}")
    return int(text)
