from datetime import date

from meter.reading import Reading
from meter.usage import usage


def reading(meter, day, units):
    return Reading(meter, date(2024, 1, day), units)


def test_units_between_first_and_last_reading():
    assert usage([reading("W1", 1, 100), reading("W1", 9, 130), reading("W1", 20, 142)]) == {"W1": 42}


def test_each_meter_by_itself():
    readings = [reading("W1", 1, 5), reading("W2", 1, 70), reading("W1", 2, 6), reading("W2", 2, 90)]
    assert usage(readings) == {"W1": 1, "W2": 20}


def test_order_of_days_counts():
    assert usage([reading("W1", 20, 142), reading("W1", 1, 100), reading("W1", 9, 130)]) == {"W1": 42}


def test_register_begins_again():
    assert usage([reading("W1", 1, 999990), reading("W1", 9, 5)]) == {"W1": 15}
    assert usage([reading("W1", 1, 999990), reading("W1", 5, 2), reading("W1", 9, 1)]) == {"W1": 1000011}


def test_single_readings_are_left_out():
    assert usage([]) == {}
    assert usage([reading("W1", 1, 5), reading("W2", 1, 7), reading("W2", 2, 7)]) == {"W2": 0}
