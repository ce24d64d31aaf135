import dataclasses

import pytest

from tariff.blocks import Block, TariffError, parse_tariff


def test_blocks_in_their_order():
    assert parse_tariff("10: 150\n50: 190\nrest: 225\n") == [Block(10, 150), Block(50, 190), Block(None, 225)]


def test_one_open_block_is_a_tariff():
    assert parse_tariff("rest: 0") == [Block(None, 0)]


def test_comments_and_empty_lines():
    text = "# per cubic metre\n\n  10 : 150  # the first ten\n   \nrest: 225"
    assert parse_tariff(text) == [Block(10, 150), Block(None, 225)]


def test_lines_that_are_no_block():
    for line in ["10", "10: x", "ten: 150", "-1: 150", "10: -150", "10: 1.50", "10: 150: 3", ": 150"]:
        with pytest.raises(TariffError):
            parse_tariff(f"{line}\nrest: 225")


def test_limits_rise():
    for text in ["10: 150\n10: 190\nrest: 225", "50: 150\n10: 190\nrest: 225"]:
        with pytest.raises(TariffError):
            parse_tariff(text)


def test_last_block_is_open():
    for text in ["", "10: 150", "rest: 150\n10: 190", "rest: 150\nrest: 190"]:
        with pytest.raises(TariffError):
            parse_tariff(text)


def test_error_is_a_value_error():
    assert issubclass(TariffError, ValueError)


def test_blocks_are_values():
    block = Block(10, 150)
    assert block == Block(10, 150)
    assert block != Block(None, 150)
    with pytest.raises(dataclasses.FrozenInstanceError):
        block.cents = 1
