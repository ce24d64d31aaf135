"""Units that meters counted."""

from meter.reading import Reading


def usage(readings: list[Reading]) -> dict[str, int]:
    by_meter: dict[str, list[Reading]] = {}
    for reading in sorted(readings, key=lambda each: each.day):
        by_meter.setdefault(reading.meter, []).append(reading)
    return {meter: _counted(own) for meter, own in by_meter.items() if len(own) > 1}


def _counted(readings: list[Reading]) -> int:
    return readings[-1].units - readings[0].units
