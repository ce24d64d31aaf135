"""Readings in a text file."""

from meter.reading import Reading, ReadingError, parse_reading


def load_readings(path: str) -> list[Reading]:
    with open(path, encoding="utf-8") as source:
        lines = [line.strip() for line in source]
    return [_reading(number, line) for number, line in enumerate(lines, start=1) if line and not line.startswith("#")]


def _reading(number: int, line: str) -> Reading:
    try:
        return parse_reading(line)
    except ReadingError as error:
        raise ReadingError(f"line {number}: {error}") from error
