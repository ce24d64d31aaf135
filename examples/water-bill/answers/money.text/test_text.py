import pytest

from money.text import format_euros, parse_euros


def test_cents_have_two_digits():
    assert format_euros(5) == "0.05 EUR"
    assert format_euros(4200) == "42.00 EUR"


def test_commas_before_three_digits():
    assert format_euros(123456) == "1,234.56 EUR"
    assert format_euros(123456789000) == "1,234,567,890.00 EUR"


def test_amounts_below_zero():
    assert format_euros(-5) == "-0.05 EUR"
    assert parse_euros("-1,234.56 EUR") == -123456


def test_read_back():
    for cents in [0, 1, 99, 100, 99999, 100000, 123456789, -1, -100000]:
        assert parse_euros(format_euros(cents)) == cents


def test_other_texts():
    for text in ["", "EUR", "1.2 EUR", "1.234 EUR", "1234.56 EUR", "12,34.56 EUR", "1,234.56", "1.00 USD", "01.00 EUR", "+1.00 EUR"]:
        with pytest.raises(ValueError):
            parse_euros(text)
