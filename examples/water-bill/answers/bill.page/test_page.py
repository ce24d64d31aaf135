import dataclasses

import pytest

from bill.page import BillLine, render_bill


def test_whole_bill():
    lines = [BillLine("W1", 22, 4200), BillLine("W2", 1, 150000)]
    assert render_bill(lines, 7) == (
        "W1: 22 units, 42.00 EUR\n"
        "W2: 1 units, 1,500.00 EUR\n"
        "Sum: 1,542.00 EUR\n"
        "VAT 7%: 107.94 EUR\n"
        "Total: 1,649.94 EUR\n"
    )


def test_order_is_kept():
    text = render_bill([BillLine("W9", 1, 1), BillLine("W1", 2, 2)], 0)
    assert text.splitlines()[:2] == ["W9: 1 units, 0.01 EUR", "W1: 2 units, 0.02 EUR"]


def test_bill_without_lines():
    assert render_bill([], 19) == "Sum: 0.00 EUR\nVAT 19%: 0.00 EUR\nTotal: 0.00 EUR\n"


def test_vat_is_rounded_half_up():
    assert "VAT 7%: 0.04 EUR\n" in render_bill([BillLine("W1", 1, 50)], 7)
    assert "VAT 7%: 0.11 EUR\n" in render_bill([BillLine("W1", 1, 150)], 7)
    assert "VAT 19%: 0.01 EUR\n" in render_bill([BillLine("W1", 1, 7)], 19)


def test_vat_is_taken_once():
    lines = [BillLine(name, 1, 7) for name in ["W1", "W2", "W3", "W4"]]
    assert "VAT 7%: 0.02 EUR\n" in render_bill(lines, 7)


def test_lines_are_values():
    line = BillLine("W1", 1, 2)
    assert line == BillLine("W1", 1, 2)
    assert line != BillLine("W1", 1, 3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        line.cents = 3
