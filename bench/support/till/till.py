"""A till: lines of a receipt to one total in cents."""

from dataclasses import dataclass

LINES_MAX = 100
PRICE_MAX = 1_000_000
FREE_SHIPPING_FROM = 5_000
SHIPPING = 490


@dataclass(frozen=True)
class Item:
    count: int
    price: int
    discount: int


def till(lines: list[str], vat: int) -> int:
    if not 0 <= vat <= 100:
        raise ValueError("vat must be from 0 to 100")
    if len(lines) > LINES_MAX:
        raise ValueError("too many lines")
    items = [parse_line(line) for line in lines if not is_comment(line)]
    goods = sum(item_total(item) for item in items)
    if goods == 0:
        return 0
    shipped = goods + shipping(goods, len(items))
    return shipped + percent(shipped, vat)


def is_comment(line: str) -> bool:
    text = line.strip()
    return text == "" or text.startswith("#")


def parse_line(line: str) -> Item:
    words = line.split()
    discount = 0
    if words[-1].endswith("%"):
        discount = parse_discount(words.pop())
    if len(words) == 1:
        return Item(1, parse_price(words[0]), discount)
    if len(words) == 3 and words[1] == "x":
        return Item(parse_count(words[0]), parse_price(words[2]), discount)
    raise ValueError("a line is PRICE or COUNT x PRICE")


def parse_count(word: str) -> int:
    if not word.isdecimal():
        raise ValueError("a count is a whole number")
    count = int(word)
    if count < 1 or count > 999:
        raise ValueError("a count is from 1 to 999")
    return count


def parse_price(word: str) -> int:
    euros, dot, cents = word.partition(".")
    if not euros.isdecimal():
        raise ValueError("a price begins with digits")
    if dot == "":
        value = int(euros) * 100
    elif len(cents) == 2 and cents.isdecimal():
        value = int(euros) * 100 + int(cents)
    else:
        raise ValueError("a price has two decimals or none")
    if value > PRICE_MAX:
        raise ValueError("a price is at most 10000")
    return value


def parse_discount(word: str) -> int:
    digits = word[1:-1]
    if word[0] != "-" or not digits.isdecimal():
        raise ValueError("a discount is -N%")
    discount = int(digits)
    if discount > 90:
        raise ValueError("a discount is at most 90")
    return discount


def item_total(item: Item) -> int:
    full = item.count * item.price
    if item.count >= 10:
        full = full - percent(full, 5)
    return full - percent(full, item.discount)


def shipping(goods: int, items: int) -> int:
    if goods >= FREE_SHIPPING_FROM:
        return 0
    if items > 5:
        return SHIPPING * 2
    return SHIPPING


def percent(amount: int, rate: int) -> int:
    whole, rest = divmod(amount * rate, 100)
    if rest > 50 or (rest == 50 and whole % 2 == 1):
        return whole + 1
    return whole
