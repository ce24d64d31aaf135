"""The command line: READINGS TARIFF OUTPUT [VAT]."""

import sys

from bill.make import make_bill
from store.output import write_output
from store.readings import load_readings
from tariff.blocks import parse_tariff

USAGE = "usage: READINGS TARIFF OUTPUT [VAT]"
VAT_PERCENT = "7"


def main(argv: list[str]) -> int:
    if len(argv) not in (3, 4):
        print(USAGE, file=sys.stderr)
        return 2
    readings, tariff, output, vat = (argv + [VAT_PERCENT])[:4]
    try:
        with open(tariff, encoding="utf-8") as source:
            blocks = parse_tariff(source.read())
        bill = make_bill(load_readings(readings), blocks, int(vat))
        write_output(output, bill)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
