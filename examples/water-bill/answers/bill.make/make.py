"""From readings to a bill."""

from bill.page import BillLine, render_bill
from meter.reading import Reading
from meter.usage import usage
from tariff.blocks import Block
from tariff.charge import charge


def make_bill(readings: list[Reading], blocks: list[Block], vat_percent: int) -> str:
    used = usage(readings)
    lines = [BillLine(meter, used[meter], charge(used[meter], blocks)) for meter in sorted(used)]
    return render_bill(lines, vat_percent)
