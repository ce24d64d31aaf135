"""The text of a bill."""

from dataclasses import dataclass

from money.text import format_euros


@dataclass(frozen=True)
class BillLine:
    meter: str
    units: int
    cents: int


def render_bill(lines: list[BillLine], vat_percent: int) -> str:
    net = sum(line.cents for line in lines)
    vat = (net * vat_percent + 50) // 100
    texts = [f"{line.meter}: {line.units} units, {format_euros(line.cents)}" for line in lines]
    texts += [f"Sum: {format_euros(net)}", f"VAT {vat_percent}%: {format_euros(vat)}", f"Total: {format_euros(net + vat)}"]
    return "".join(f"{text}\n" for text in texts)
