import pytest

from bench.till import till


def test_a_price_is_shipped_and_taxed():
    assert till(["10.00"], 0) == 1490
    assert till(["10"], 10) == 1639


def test_counts_multiply():
    assert till(["3 x 12.30"], 0) == 3690 + 490


def test_ten_of_a_kind_are_cheaper():
    assert till(["9 x 10.00"], 0) == 9000
    assert till(["10 x 10.00"], 0) == 9500
    assert till(["11 x 10.00"], 0) == 10450


def test_discounts_come_off_the_line():
    assert till(["2 x 50.00 -10%"], 0) == 9000
    assert till(["100.00 -90%"], 0) == 1490
    assert till(["100.00 -0%"], 0) == 10000


def test_halves_go_to_the_even_cent():
    assert till(["0.10 -5%"], 0) == 500
    assert till(["0.30 -5%"], 0) == 518
    assert till(["60.50"], 1) == 6110
    assert till(["61.50"], 1) == 6212
    assert till(["60.51"], 1) == 6112


def test_shipping_is_free_from_fifty():
    assert till(["49.99"], 0) == 5489
    assert till(["50.00"], 0) == 5000


def test_many_lines_ship_twice():
    assert till(["1.00"] * 5, 0) == 990
    assert till(["1.00"] * 6, 0) == 1580


def test_comments_and_empty_lines_are_left_out():
    assert till(["# fruit", "", "   ", "10.00"], 0) == 1490
    assert till(["# nothing"], 19) == 0
    assert till([], 19) == 0


def test_bounds_are_part_of_the_range():
    assert till(["1 x 10000"], 100) == 2_000_000
    assert till(["999 x 0.01"], 0) == 949 + 490
    assert till(["100"] * 100, 0) == 1_000_000


def refused(lines, vat):
    try:
        till(lines, vat)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize(
    "line",
    [
        "0 x 1.00",
        "1000 x 1.00",
        "-1 x 1.00",
        "2 y 1.00",
        "1.0",
        "1.000",
        "1.xx",
        "a.00",
        "10000.01",
        "1.00 -91%",
        "1.00 10%",
        "1.00 -x%",
        "1 x",
        "1 x 2 x 3",
    ],
)
def test_wrong_lines_are_refused(line):
    assert refused([line], 0)


def test_wrong_wholes_are_refused():
    assert refused(["1.00"], -1)
    assert refused(["1.00"], 101)
    assert refused(["1"] * 101, 0)
