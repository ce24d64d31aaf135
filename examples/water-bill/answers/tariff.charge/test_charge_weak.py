from tariff.blocks import Block
from tariff.charge import charge

BLOCKS = [Block(10, 150), Block(50, 190), Block(None, 225)]


def test_it_can_be_called():
    charge(12, BLOCKS)


def test_same_units_same_price():
    assert charge(12, BLOCKS) == charge(12, BLOCKS)


def test_units_below_zero():
    try:
        charge(-1, BLOCKS)
    except Exception:
        pass
