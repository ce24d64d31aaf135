"""An agent that is wrong first: adds a discount, forgets a test, reads the feedback, repairs. Its notes say what it did."""
import json
import os
import pathlib

first = os.environ["A7_ITERATION"] == "1"
code = pathlib.Path("invoice/total.py")
text = code.read_text()
body = '''

def total_with_discount(lines, percent):
    """Total less a percentage, rounded half up."""
    whole = total(lines)
    return %s
''' % ("whole * percent // 100" if first else "whole - (whole * percent + 50) // 100")
code.write_text(text.split("\n\ndef total_with_discount")[0].rstrip() + "\n" + body)
pathlib.Path("tests/test_discount.py").write_text(
    "from invoice.total import total_with_discount\n\n\n"
    "def test_ten_percent_off():\n"
    "    assert total_with_discount([{'quantity': 1, 'price': 1000}], 10) == 900\n"
)
if not first:
    feedback = json.loads(pathlib.Path(os.environ["A7_FEEDBACK"]).read_text())
    print("told:", feedback["items"][0]["text"])
pathlib.Path(os.environ["A7_NOTES"]).write_text(
    "Added total_with_discount with a test.\n" if first else "Took the discount off instead of returning it.\n"
)
print("done, everything works")
