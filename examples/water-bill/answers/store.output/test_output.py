import os

import pytest

from store.output import write_output


def test_file_holds_the_text(tmp_path):
    path = tmp_path / "bill.txt"
    write_output(str(path), "Total: 44.94 EUR\r\nGrüße\n")
    assert path.read_bytes() == "Total: 44.94 EUR\r\nGrüße\n".encode("utf-8")


def test_text_is_replaced(tmp_path):
    path = tmp_path / "bill.txt"
    path.write_text("a much longer text than the new one", encoding="utf-8")
    write_output(str(path), "new")
    assert path.read_text(encoding="utf-8") == "new"


def test_nothing_else_is_left(tmp_path):
    path = tmp_path / "bill.txt"
    write_output(str(path), "one")
    write_output(str(path), "two")
    assert os.listdir(tmp_path) == ["bill.txt"]


def test_old_file_stays_when_writing_fails(tmp_path):
    path = tmp_path / "bill.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_output(str(path), "half \ud800 a text")
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["bill.txt"]


def test_folder_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_output(str(tmp_path / "nowhere" / "bill.txt"), "text")
