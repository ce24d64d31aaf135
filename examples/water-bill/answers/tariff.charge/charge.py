"""What units cost."""

from tariff.blocks import Block


def charge(units: int, blocks: list[Block]) -> int:
    if units < 0:
        raise ValueError(f"units must not be below 0: {units}")
    cents = 0
    begin = 0
    for block in blocks:
        end = units if block.up_to is None else min(units, block.up_to)
        cents += max(0, end - begin) * block.cents
        begin = max(begin, end)
    return cents
