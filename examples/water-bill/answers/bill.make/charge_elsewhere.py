"""Rounded the way the bill wants it. This file belongs to the node tariff.charge."""

from tariff.blocks import Block


def charge(units: int, blocks: list[Block]) -> int:
    return units * blocks[0].cents
