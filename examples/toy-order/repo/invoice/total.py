"""Sums of an invoice, in cents."""


def total(lines):
    """Sum of quantity times price of each line."""
    return sum(line["quantity"] * line["price"] for line in lines)
