"""Tables of figures say what their files say, and the files what the code says."""

from __future__ import annotations

import csv
import importlib.util
import subprocess
import sys

import pytest
from doc_pages import ROOT, agrees, numbers

MADE = ROOT / "docs" / "reproduction"


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem + "_of_docs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tables = loaded(ROOT / "docs" / "site" / "tables.py")


@pytest.mark.parametrize("number", range(len(tables.TABLES)))
def test_a_table_is_what_its_file_says(number):
    page, make = tables.TABLES[number]
    made = make()
    text = (ROOT / page).read_text(encoding="utf-8")
    assert tables.standing(text, made.partition("\n")[0]) == made, "python docs/site/tables.py"


def test_percentages_as_people_write_them():
    shown = [tables.percent(x) for x in (0, 0.0002, 0.0424, 0.82, 1.4, 20.9)]
    assert shown == ["0 %", "0.02 %", "4.2 %", "82 %", "2.4 times", "22 times"]
    with pytest.raises(LookupError):
        tables.standing("no table here", "| a | b |")


def test_what_noise_costs_comes_out_again(tmp_path):
    """The quick rows of the table that newcomers see first."""
    out = tmp_path / "cost.csv"
    command = [sys.executable, str(ROOT / "benchmarks" / "cost.py"), str(out), "--quick"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    kept = {row["name"]: row for row in tables.rows(MADE / "cost.csv")}
    again = tables.rows(out)
    assert len(again) == 5
    for row in again:
        for column in ("lower", "ours", "laplace", "gaussian", "best"):
            assert float(row[column]) == pytest.approx(float(kept[row["name"]][column]), rel=2e-3)
        assert row["best_label"] == kept[row["name"]]["best_label"]


def test_figures_beside_the_tables():
    rows = tables.rows(MADE / "releases.csv")
    below = {
        loss: max(
            100 * (1 - float(row["lower"]) / float(row["upper"]))
            for row in rows
            if row["loss"] == loss
        )
        for loss in ("l1", "l2")
    }
    page = (ROOT / "docs/releases.md").read_text(encoding="utf-8")
    words = "up to 27 % below the loss for absolute error and up to 51 % for squared error"
    assert words in page
    for shown, value in zip(numbers(words), below.values(), strict=True):
        assert agrees(shown, value)


def test_every_number_of_a_file_is_a_number():
    for path in MADE.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert len({len(line) for line in lines}) == 1, path.name
