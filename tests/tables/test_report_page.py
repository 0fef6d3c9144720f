"""The page of a report: what it says to people who know nothing of the tool."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from cli_command import run
from leastnoise.certify.published import report_in
from leastnoise.errors import ArgumentError
from leastnoise.tables import (
    Count,
    Cumulative,
    Histogram,
    Marginals,
    Mean,
    MeanVector,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    RangeCounts,
    Summary,
    ask,
    ask_all,
    report,
)
from leastnoise.tables.queries.numbers import Estimate, imprecise
from leastnoise.tables.reports.grid import grids_of
from leastnoise.tables.reports.report import check_report, exit_code_of
from leastnoise.tables.reports.wording import heading

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame(
    {
        "state": ["Bayern", "Hessen", "Berlin"] * 200,
        "sex": ["f", "m"] * 300,
        "pay": [float(k) for k in range(600)],
    }
)
STATES, SEXES = ["Bayern", "Hessen", "Berlin"], ["f", "m"]
BOTH = {"by": ["state", "sex"], "keys": [STATES, SEXES]}
BINS = {"low": 0, "high": 600, "bins": 3}
QUERIES = [
    Count(),
    Count(**BOTH),
    Count(by="state", keys="private"),
    Count(by=["state", "sex"], keys="private"),
    Mean("pay", low=0, high=600, by="sex", keys=SEXES),
    MeanVector(["pay", "pay2"], low=[0, 0], high=[600, 600], by="sex", keys=SEXES),
    Histogram("pay", **BINS),
    Histogram("pay", **BINS, **BOTH),
    Cumulative("pay", **BINS, by="sex", keys=SEXES),
    RangeCounts("pay", **BINS),
    Marginals(["state", "sex"], [0, 1, 2], keys=[STATES, SEXES]),
    Median("pay", low=0, high=600, by="sex", keys=SEXES),
]


class Words(HTMLParser):
    """The text of a page but for its scripts and style, and the rows of its tables."""

    def __init__(self, page):
        super().__init__()
        self.words, self.rows, self.apart, self.cell = "", [], 0, False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.apart += tag in ("script", "style")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        self.apart -= tag in ("script", "style")
        self.cell = self.cell and tag not in ("td", "th")

    def handle_data(self, data):
        if not self.apart:
            self.words += data
            if self.cell:
                self.rows[-1][-1] += data


def test_every_answer_has_one_place_in_the_tables_of_its_query():
    keys = {"Count": ["Bayern", "f"], "several": ["Bayern, f"]}
    for query in QUERIES:
        if query.keys == "private":
            labels = keys["Count"] if isinstance(query.by, str) else keys["several"]
        else:
            labels = ("",) if query.public_keys is None else query.public_keys
        names, places = [*query.answer_names(labels)], [*query.places(labels)]
        assert len(names) == len(places) == len({*places}), query
        for name, place in zip(names, places, strict=True):
            assert len(place.axes) == len(place.keys)
            assert all(key in name for key in place.keys), query


def test_counts_by_two_columns_are_a_cross_table_with_totals():
    """They were a line for each cell, called "Bayern, *"."""
    answer = ask(TABLE, QUERIES[-2], epsilon=15)
    (grid,) = grids_of(answer)
    assert (grid.down, grid.across, grid.columns) == (("state",), "sex", ["f", "m", "all"])
    assert [key for (key,) in grid.rows] == [*STATES, "all"]
    assert grid.rows[("all",)]["all"].value == answer.groups["*, *"].value
    assert grid.rows[("Hessen",)]["m"].value == answer.groups["Hessen, m"].value
    assert grid.rows[("Hessen",)]["all"].value == answer.groups["Hessen, *"].value
    page = Words(report(answer).to_html())
    assert "*" not in page.words and "Rows by state, sex" in page.words
    assert ["state", "f", "m", "all"] in page.rows
    assert len([row for row in page.rows if row[0] in STATES]) == 3


def test_cells_alone_have_totals_with_intervals_of_their_noise():
    answer = ask(TABLE, Count(**BOTH), epsilon=1, unit="row")
    (grid,) = grids_of(answer)
    assert grid.rows[("Hessen",)]["all"] == answer.total({"state": "Hessen"})
    assert grid.rows[("all",)]["f"] == answer.total({"sex": "f"})
    assert grid.rows[("all",)]["all"] == answer.total()
    (grid,) = grids_of(ask(TABLE, QUERIES[8], epsilon=1, unit="row"))  # sums that overlap have none
    assert "all" in {key for (key,) in grid.rows} and "all" not in grid.columns


@pytest.mark.parametrize(
    ("value", "low", "high", "found"),
    [
        (100, 70, 130, False),
        (100, 69, 130, True),
        (0.1, 0.07, 0.13, False),  # as decimals, exactly 30%
        (10, 9, 14, True),
        (-100, -130, -70, False),
        (5, 6, 9, True),
        (0, 0, 0, False),
        (0, 0, 1, True),
        (100, None, None, True),
        (100, 99, math.inf, True),
    ],
)
def test_a_number_is_imprecise_by_the_larger_side_of_its_interval(value, low, high, found):
    assert imprecise(Estimate(value, low, high), Fraction(3, 10)) is found


@pytest.mark.parametrize("margin", [0, -1, "x", math.nan, True, None])
def test_a_margin_is_a_number_above_zero(margin):
    answer = ask(TABLE, Count(), epsilon=1, unit="row")
    with pytest.raises(ArgumentError, match=r"^margin must be a (finite )?number"):
        answer.imprecise(margin)
    if margin is not None:
        with pytest.raises(ArgumentError, match=r"^imprecise must be a (finite )?number"):
            report(answer, imprecise=margin)


def test_imprecise_numbers_stand_in_parentheses_on_the_page_alone(tmp_path):
    """What is verified, and the program that does so, are the same to the last character."""
    query = Count(by=["state", "sex"], keys=[[*STATES, "Bremen"], SEXES])
    answers = [
        ask(TABLE, query, epsilon=1, unit="row"),
        ask(TABLE, Median("pay", low=0, high=600), epsilon=1, unit="row"),
        ask(TABLE, Count(by="state", keys=["Hessen", "Bremen"]), epsilon=1, unit="row"),
    ]
    marked, plain = report(answers, tmp_path / "a.html", imprecise="0.1"), report(answers)
    assert marked.to_json() == plain.to_json() == json.loads((tmp_path / "a.json").read_text())
    text = (tmp_path / "a.html").read_text()
    scripts = [one[one.index("<script") :] for one in (text, marked.to_html(), plain.to_html())]
    assert scripts[0] == scripts[1] == scripts[2]
    assert exit_code_of(check_report(json.loads(report_in(text.encode())))) == 0
    page = Words(text)
    found = [
        [cell.startswith("(") for cell in row[1:]]
        for row in page.rows
        if row[0] in ("Hessen", "Bremen") or row[0].startswith("Median")
    ]
    # A median has an interval of its rank only.
    assert found == [[False] * 3, [True] * 3, [True, False], [False, False], [True, False]]
    legend = "A number in parentheses is imprecise: its 95% margin of error is more than 10% of"
    assert page.words.count(legend) == 1 and legend in marked._repr_html_()
    assert "parentheses" not in plain.to_html() and "<td>(" not in plain.to_html()


def test_several_numbers_of_a_group_are_columns(tmp_path):
    """Count, sum and mean stood below each other, on one axis."""
    frame = TABLE.assign(pay=TABLE.pay.where(TABLE.pay % 9 > 0))
    answer = ask(frame, Summary("pay", low=0, high=600, by="state", keys=STATES), epsilon=5)
    (grid,) = grids_of(answer)
    assert (grid.down, grid.across) == (("state",), "number")
    assert grid.columns == ["count", "sum", "mean"]
    text = report(answer).to_html()
    page = Words(text)
    assert "<img" not in text and "left out" in page.rows[2][2]
    report(answer, tmp_path / "a.csv")
    head, *rows = (line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines())
    assert head[1:] == ["state", "number", "answer", "low", "high", "rows left out", "rows"]
    assert len(rows) == 9 and all(int(row[6]) > 0 for row in rows[:3])


def test_a_column_called_as_the_total_is_not_taken_for_it():
    keys = [["all", "none"], SEXES]
    frame = pd.DataFrame({"state": ["all", "none"] * 50, "sex": ["f", "m"] * 50})
    answer = ask(frame, Marginals(["state", "sex"], [0, 1, 2], keys=keys), epsilon=15)
    (grid,) = grids_of(answer)
    assert grid.total == "all rows" and len(grid.rows) == len(grid.columns) == 3


def test_a_page_says_whose_data_when_and_what_is_hidden(tmp_path):
    TABLE.to_csv(tmp_path / "pay 2024.csv", index=False)
    answers = ask_all(tmp_path / "pay 2024.csv", [Count(), Proportion("sex = 'f'")], epsilon=1)
    held = report(answers)
    page = Words(held.to_html())
    today = datetime.now(UTC)
    assert held.title == "Private answers about pay 2024.csv"
    assert f"{today.day} {today:%B %Y}" in page.words
    for words in (
        "This hides whether any one row is in the table, and what any one row says.",
        "With all of it at most 74 of 100 are.",
        "A person with several rows is protected less",
        "the names of tables and columns",
    ):
        assert words.lower() in page.words.lower()
    assert ["Number of rows"] in [row[:1] for row in page.rows]
    (batch,) = {(one["table"], one["date"]) for one in held.to_json()["batches"]}
    assert batch == ("pay 2024.csv", str(today.date()))


def test_a_page_says_what_replaced_units_show():
    unit = PrivacyUnit("sex", max_rows_per_group=9)
    answer = ask(TABLE, Count(), epsilon=2, delta="1e-6", unit=unit, neighbors="replace")
    page = Words(report(answer).to_html()).words
    assert "This hides what the rows of any one sex say." in page
    assert "It is not hidden either that a sex is in the table." in page
    assert "at most 89 of 100" in page and "A person with several rows" not in page


def test_several_asks_make_one_report():
    answers = [ask(TABLE, Count(where=f"pay > {k}"), epsilon=1) for k in range(3)]
    held = report(answers, title="All of March")
    assert held.epsilon == 3 and held.title == "All of March"
    page = Words(held.to_html())
    assert len([row for row in page.rows if row[0].startswith("Number of rows where")]) == 3
    assert "at most 96 of 100" in page.words


def test_a_report_with_a_median_verifies(tmp_path):
    """It ended with code 3, as if its privacy were unknown."""
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    queries = ["count()", "median(pay, low=0, high=600)"]
    out = tmp_path / "r.html"
    found = run("ask", tmp_path / "t.csv", *queries, "--epsilon", 1, "--report", out,
                "--title", "Pay in 2024")  # fmt: skip
    assert found.returncode == 0 and "<h1>Pay in 2024</h1>" in out.read_text()
    found = run("verify", out)
    assert found.returncode == 0
    assert "quantiles have no file, and rest on a theorem" in " ".join(found.stdout.split())
    assert re.search(r"median\(pay\).*by theorem", found.stdout, re.DOTALL)
    found = run("ask", tmp_path / "t.csv", "count()", "--epsilon", 1, "--title", "x")
    assert found.returncode == 2 and "--title must be left out without --report" in found.stderr


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (Count(), "Number of rows"),
        (Count("pay", where="sex = 'f'"), "Number of rows with a pay where sex = 'f'"),
        (QUERIES[1], "Number of rows by state, sex"),
        (QUERIES[4], "Mean of pay by sex"),
        (Proportion("pay > 3"), "Proportion of rows with pay > 3"),
        (Quantile("pay", 0.9, low=0, high=1), "Quantile 0.9 of pay"),
        (QUERIES[7], "Rows by pay by state, sex"),
        (QUERIES[-2], "Rows by state, sex"),
        (Count(by="month(day)", keys=["2024-01"]), "Number of rows by month of day"),
    ],
)
def test_headings_are_sentences(query, words):
    assert heading(query) == words


def test_reports_of_several_asks_are_joined(tmp_path):
    """Each ask had a page of its own, and nobody the sum."""
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    book = tmp_path / "b.db"
    assert run("ledger", "create", book, "--epsilon", 9).returncode == 0
    for name in "abc":
        ledger = [] if name == "c" else ["--ledger", book]
        asked = ("ask", tmp_path / "t.csv", "count()", "--epsilon", 1, *ledger)
        assert run(*asked, "--report", tmp_path / f"{name}.html").returncode == 0
    a, b, c = (tmp_path / name for name in ("a.json", "b.html", "c.json"))
    out = tmp_path / "all.html"
    found = run("report", a, b, "--out", out, "--title", "Two asks")
    assert found.returncode == 0 and found.stdout.startswith("epsilon=2, delta=0 for 2 answers")
    page = Words(out.read_text())
    assert "Two asks" in page.words and "at most 89 of 100" in page.words
    singles = [row[0] for row in page.rows if row[0].startswith("Number of rows")]
    assert [one[-8:] for one in singles] == ["charge 1", "charge 2"] and "t.csv" in singles[0]
    charges = [row for row in page.rows if row[1:2] == ["t.csv"]]
    assert [row[-1] for row in charges] == ["1", "2"]
    assert run("verify", out).returncode == 0
    assert run("report", a, b, "--out", tmp_path / "all.csv").returncode == 0
    found = run("report", a, "--out", tmp_path / "m.html", "--imprecise", "0.000001")
    marked = Words((tmp_path / "m.html").read_text())
    assert found.returncode == 0 and "more than 0.0001% of the number" in marked.words
    assert marked.rows[1][1].startswith("(") and run("verify", tmp_path / "m.html").returncode == 0
    for files, words in (
        ((a, a), "reports of different charges"),
        ((a, tmp_path / "all.json"), "reports of different charges"),
        ((a, c), "all charged to one ledger, or all to none"),
        ((c, c), "reports of different charges"),
        ((tmp_path / "t.csv", c), "reports, each FILE.json or its page"),
    ):
        found = run("report", *files, "--out", out)
        assert found.returncode == 2 and words in found.stderr, words
    a.write_text(a.read_text().replace('"title": "Private', '"title": "Pirate'))
    found = run("report", a, b, "--out", out)
    assert found.returncode == 2 and "a step of this report is refuted" in found.stderr
