"""Tables of figures say what their files say, and the files what the code says."""

from __future__ import annotations

import csv
import math
import re

import pytest
from doc_pages import ROOT, agrees, loaded, numbers

from cli_command import run_script

MADE = ROOT / "docs" / "reproduction"
ASKED = ("epsilon", "delta", "releases", "loss")


tables = loaded(ROOT / "docs" / "site" / "tables.py")


@pytest.mark.parametrize("number", range(len(tables.TABLES)))
def test_a_table_is_what_its_file_says(number):
    page, make = tables.TABLES[number]
    made = make()
    text = (ROOT / page).read_text(encoding="utf-8")
    assert tables.standing(text, made.partition("\n")[0]) == made, "python docs/site/tables.py"


def test_multiples_as_people_write_them():
    shown = [tables.multiple(x) for x in (1, 1.0002, 1.0424, 1.82, 3.5137, 21.9)]
    assert shown == ["1.0000", "1.0002", "1.04", "1.82", "3.51", "22"]
    with pytest.raises(LookupError):
        tables.standing("no table here", "| a | b |")


def test_what_noise_costs_comes_out_again(tmp_path):
    """The quick rows of the table that newcomers see first."""
    out = tmp_path / "cost.csv"
    run_script(ROOT / "benchmarks" / "cost.py", out, "--quick")
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
    words = "up to 27% below the loss for absolute error and up to 51% for squared error"
    assert words in page
    for shown, value in zip(numbers(words), below.values(), strict=True):
        assert agrees(shown, value)


def test_noise_for_many_releases_comes_out_again(tmp_path):
    """The quick rows: one release, both losses."""
    out = tmp_path / "releases.csv"
    run_script(ROOT / "benchmarks" / "releases.py", out, "--small")
    kept = {tuple(row[k] for k in ASKED): row for row in tables.rows(MADE / "releases.csv")}
    again = tables.rows(out)
    assert len(again) == 2
    for row in again:
        old = kept[tuple(row[k] for k in ASKED)]
        assert float(row["gaussian"]) == pytest.approx(float(old["gaussian"]), rel=1e-9)
        # Two proven brackets around one optimum meet.
        assert float(row["lower"]) <= float(old["upper"])
        assert float(old["lower"]) <= float(row["upper"])


def test_what_a_design_costs_again_is_what_the_page_says():
    page = (ROOT / "docs/releases.md").read_text(encoding="utf-8")
    shown = re.findall(r"│ +(\d+) │ +[\d.]+ │ +([\d.]+) │ +([\d.]+) │", page)
    ratio = {int(k): float(gaussian) / float(most) for k, most, gaussian in shown}
    words = "It needs a 60% larger epsilon for one release, and a 22% smaller one for ten."
    assert words in page
    for quoted, value in zip(numbers(words), (ratio[1] - 1, 1 - ratio[10]), strict=True):
        assert agrees(quoted, 100 * value)


def test_the_counts_beside_diffprivlib_are_those_of_the_file():
    with (MADE / "against-diffprivlib.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)

    def counted(column):
        """Cells where ours is better, and worse, by more than two standard errors."""
        at = header.index(column)
        off = [
            (float(line[4]) - float(line[at])) / math.hypot(float(line[5]), float(line[at + 1]))
            for line in lines
        ]
        return sum(x > 2 for x in off), sum(x < -2 for x in off)

    page = (ROOT / "docs/classifier-diffprivlib.md").read_text(encoding="utf-8").replace("\n", " ")
    for column, words in (
        ("ours, add-remove, delta 1e-05", r"1e-5 ours is better in (\d+) and worse in (\w+)"),
        ("ours, add-remove, delta 0", r"like for like, ours is better in (\d+) and worse in (\w+)"),
        ("ours, replace, delta 1e-05", r"it is (\d+) and (\d+) at delta 1e-5"),
        ("ours, replace, delta 0", r"and (\d+) and (\d+) at delta 0"),
    ):
        said = re.search(words, page)
        assert tuple(int(x.replace("none", "0")) for x in said.groups()) == counted(column), words


def test_every_number_of_a_file_is_a_number():
    for path in MADE.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert len({len(line) for line in lines}) == 1, path.name
