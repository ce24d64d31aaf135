"""Reads an invoice as JSON from standard input and writes its total as JSON."""
import json
import sys

from invoice.total import total


def main():
    invoice = json.load(sys.stdin)
    json.dump({"customer": invoice["customer"], "total": total(invoice["lines"])}, sys.stdout)
    print()


main()
