import pytest

from tariff.blocks import Block
from tariff.charge import charge

BLOCKS = [Block(10, 150), Block(50, 190), Block(None, 225)]


def test_first_block():
    assert charge(0, BLOCKS) == 0
    assert charge(1, BLOCKS) == 150
    assert charge(10, BLOCKS) == 1500


def test_units_over_a_limit_cost_the_next_price():
    assert charge(11, BLOCKS) == 1500 + 190
    assert charge(52, BLOCKS) == 1500 + 40 * 190 + 2 * 225


def test_limits_count_from_the_first_unit():
    assert charge(50, BLOCKS) == 1500 + 40 * 190
    assert charge(60, BLOCKS) == 1500 + 40 * 190 + 10 * 225


def test_one_price_for_all():
    assert charge(1000, [Block(None, 3)]) == 3000


def test_units_below_zero():
    with pytest.raises(ValueError):
        charge(-1, BLOCKS)
