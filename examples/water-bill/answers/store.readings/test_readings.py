from datetime import date

import pytest

from meter.reading import Reading, ReadingError
from store.readings import load_readings


@pytest.fixture
def write(tmp_path):
    def save(text):
        path = tmp_path / "readings.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return save


def test_one_reading_a_line(write):
    path = write("W1;2024-01-31;120\nW2;2024-01-31;7")
    assert load_readings(path) == [Reading("W1", date(2024, 1, 31), 120), Reading("W2", date(2024, 1, 31), 7)]


def test_comments_and_empty_lines(write):
    path = write("# meters in the cellar\n\n   \nW1;2024-01-31;120\n  # and no more\n")
    assert load_readings(path) == [Reading("W1", date(2024, 1, 31), 120)]


def test_error_names_the_line(write):
    path = write("# two\n\nW1;2024-01-31;many\n")
    with pytest.raises(ReadingError) as caught:
        load_readings(path)
    assert str(caught.value).startswith("line 3: ")


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_readings(str(tmp_path / "nothing.txt"))
