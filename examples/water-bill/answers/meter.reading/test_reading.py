import dataclasses
from datetime import date

import pytest

from meter.reading import Reading, ReadingError, parse_reading


def test_parts_of_a_line():
    assert parse_reading("W1;2024-01-31;120") == Reading("W1", date(2024, 1, 31), 120)


def test_spaces_do_not_count():
    assert parse_reading("  W1 ; 2024-01-31 ;\t7 ") == Reading("W1", date(2024, 1, 31), 7)


def test_register_has_six_digits():
    assert parse_reading("W1;2024-01-31;0").units == 0
    assert parse_reading("W1;2024-01-31;999999").units == 999999
    for units in ["-1", "1000000", "1.5", "", "many", "1_000", "+5"]:
        with pytest.raises(ReadingError):
            parse_reading(f"W1;2024-01-31;{units}")


def test_lines_that_are_no_reading():
    for line in ["", "W1", "W1;2024-01-31", "W1;2024-01-31;5;6", ";2024-01-31;5", "W1;31.01.2024;5", "W1;2024-02-30;5"]:
        with pytest.raises(ReadingError):
            parse_reading(line)


def test_error_is_a_value_error():
    assert issubclass(ReadingError, ValueError)


def test_readings_are_values():
    reading = Reading("W1", date(2024, 1, 31), 5)
    assert reading == Reading("W1", date(2024, 1, 31), 5)
    assert reading != Reading("W1", date(2024, 1, 31), 6)
    with pytest.raises(dataclasses.FrozenInstanceError):
        reading.units = 6
