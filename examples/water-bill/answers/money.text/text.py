"""Amounts in euros as people read them."""

import re

AMOUNT = re.compile(r"(-?)(0|[1-9][0-9]{0,2}(?:,[0-9]{3})*)\.([0-9]{2}) EUR", re.ASCII)


def format_euros(cents: int) -> str:
    euros, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}{euros:,}.{rest:02d} EUR"


def parse_euros(text: str) -> int:
    found = AMOUNT.fullmatch(text)
    if found is None:
        raise ValueError(f"not an amount such as 1,234.56 EUR: {text!r}")
    sign, euros, rest = found.groups()
    cents = int(euros.replace(",", "")) * 100 + int(rest)
    return -cents if sign else cents
