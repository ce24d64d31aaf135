"""One line of a list of readings."""

from dataclasses import dataclass
from datetime import date

LARGEST = 999999


class ReadingError(ValueError):
    """The line is no reading."""


@dataclass(frozen=True)
class Reading:
    meter: str
    day: date
    units: int


def parse_reading(line: str) -> Reading:
    parts = [part.strip() for part in line.split(";")]
    if len(parts) != 3 or parts[0] == "":
        raise ReadingError(f"not METER;YEAR-MONTH-DAY;UNITS: {line!r}")
    meter, day, units = parts
    return Reading(meter, _day(day), _units(units))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ReadingError(f"not a day: {text!r}") from error


def _units(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > LARGEST:
        raise ReadingError(f"not a number from 0 to {LARGEST}: {text!r}")
    return int(text)
