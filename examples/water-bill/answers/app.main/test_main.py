import pytest

from app.main import main


@pytest.fixture
def files(tmp_path):
    readings = tmp_path / "readings.txt"
    readings.write_text("W1;2024-01-31;120\nW1;2024-02-29;142\n", encoding="utf-8")
    tariff = tmp_path / "tariff.txt"
    tariff.write_text("10: 150\nrest: 225\n", encoding="utf-8")
    return readings, tariff, tmp_path / "bill.txt"


def test_bill_is_written(files):
    readings, tariff, output = files
    assert main([str(readings), str(tariff), str(output)]) == 0
    assert output.read_text(encoding="utf-8") == (
        "W1: 22 units, 42.00 EUR\nSum: 42.00 EUR\nVAT 7%: 2.94 EUR\nTotal: 44.94 EUR\n"
    )


def test_vat_is_the_fourth_argument(files):
    readings, tariff, output = files
    assert main([str(readings), str(tariff), str(output), "19"]) == 0
    assert "VAT 19%: 7.98 EUR\n" in output.read_text(encoding="utf-8")


def test_wrong_number_of_arguments(files, capsys):
    for argv in [[], ["one", "two"], ["1", "2", "3", "4", "5"]]:
        assert main(argv) == 2
        assert capsys.readouterr().err.startswith("usage:")


def test_missing_file(files, capsys):
    readings, tariff, output = files
    assert main([str(readings), str(tariff) + ".old", str(output)]) == 1
    assert capsys.readouterr().err != ""
    assert not output.exists()


def test_wrong_content(files, capsys):
    readings, tariff, output = files
    readings.write_text("W1;2024-01-31;many\n", encoding="utf-8")
    assert main([str(readings), str(tariff), str(output)]) == 1
    assert "line 1" in capsys.readouterr().err
    assert not output.exists()
