from invoice.total import total


def test_sums_quantity_times_price():
    assert total([{"quantity": 2, "price": 150}, {"quantity": 1, "price": 99}]) == 399


def test_an_empty_invoice_is_nothing():
    assert total([]) == 0
