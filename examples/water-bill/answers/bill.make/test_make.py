from datetime import date

from bill.make import make_bill
from meter.reading import Reading
from tariff.blocks import Block

BLOCKS = [Block(10, 150), Block(None, 225)]


def reading(meter, day, units):
    return Reading(meter, date(2024, 1, day), units)


def test_bill_of_one_meter():
    assert make_bill([reading("W1", 1, 120), reading("W1", 31, 142)], BLOCKS, 7) == (
        "W1: 22 units, 42.00 EUR\nSum: 42.00 EUR\nVAT 7%: 2.94 EUR\nTotal: 44.94 EUR\n"
    )


def test_meters_in_the_order_of_their_names():
    readings = [reading("W2", 1, 0), reading("W1", 1, 0), reading("W2", 2, 3), reading("W1", 2, 4), reading("W3", 1, 8)]
    lines = make_bill(readings, BLOCKS, 0).splitlines()
    assert lines[:3] == ["W1: 4 units, 6.00 EUR", "W2: 3 units, 4.50 EUR", "Sum: 10.50 EUR"]


def test_each_meter_begins_at_the_first_block():
    readings = [reading(meter, day, day) for meter in ["W1", "W2"] for day in [1, 11]]
    lines = make_bill(readings, BLOCKS, 0).splitlines()
    assert lines[:2] == ["W1: 10 units, 15.00 EUR", "W2: 10 units, 15.00 EUR"]
