"""Years, quarters, months and days as groups, and time on the axis of pictures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from cli_command import run
from exact_sums import sums_of
from leastnoise.errors import ArgumentError
from leastnoise.show.timeline import timeline_of
from leastnoise.tables import (
    Count,
    CsvFile,
    Histogram,
    Marginals,
    Mean,
    PrivacyUnit,
    ask,
    plan,
    report,
)
from leastnoise.tables.axes.period import Period, period_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.text import query_of
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.sources import opened
from leastnoise.tables.unit import Row

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

DAYS = pd.date_range("2023-11-17 06:30", periods=500, freq="19h")
TABLE = pd.DataFrame(
    {
        "when": DAYS,
        "utc": DAYS.tz_localize("UTC"),
        "day": DAYS.date,
        "text": DAYS.strftime("%Y-%m-%d %H:%M"),
        "german": DAYS.strftime("%d.%m.%Y"),
        "slashed": DAYS.strftime("%Y/%m/%d"),
        "sex": ["f", "m"] * 250,
        "pay": [float(k) for k in range(500)],
    }
)
FORMATS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
RANGES = {"year": "2022..2026", "quarter": "2023-Q1..2025-Q4", "month": "2023-01..2025-12"}


def exact(query, table=TABLE):
    with opened(table) as held:
        found = sums_of(held, query, Setting(Row(), "add-remove"))
    return {query.label(key): one.rows for key, one in found.items() if one.rows}


@pytest.mark.parametrize("column", ["when", "utc", "day", "text"])
@pytest.mark.parametrize("unit", ["year", "quarter", "month"])
def test_periods_are_those_of_pandas(column, unit):
    if unit == "quarter":
        wanted = DAYS.to_series().dt.to_period("Q").astype(str).str.replace("Q", "-Q")
    else:
        wanted = DAYS.to_series().dt.strftime(FORMATS[unit])
    counted = wanted.value_counts().to_dict()
    assert exact(Count(by=f"{unit}({column})", keys=RANGES[unit])) == counted


@pytest.mark.parametrize("column", ["german", "slashed"])
@pytest.mark.parametrize("unit", ["year", "quarter", "month"])
def test_a_date_in_another_notation_is_in_no_period(column, unit):
    """As bytes 2024/01/15 is between 2024-12-01 and 2025-01-01."""
    assert exact(Count(by=f"{unit}({column})", keys=RANGES[unit])) == {}


NOTATIONS = {"31.12.2024": "%d.%m.%Y", "31/12/2024": "%d/%m/%Y %H:%M", "12/31/2024": "%m/%d/%Y"}


@pytest.mark.parametrize("dates", NOTATIONS)
def test_dates_are_read_as_it_is_stated_that_they_are_written(tmp_path, dates):
    """No row says whether 05/06/2024 is in May or in June."""
    DAYS.strftime(NOTATIONS[dates]).to_frame(name="when").to_csv(tmp_path / "t.csv", index=False)
    file = CsvFile(tmp_path / "t.csv", dates=dates)
    wanted = DAYS.to_series().dt.strftime("%Y-%m").value_counts().to_dict()
    assert exact(Count(by="month(when)", keys=RANGES["month"]), file) == wanted
    after = Count(where="when >= '2024-03-01'", by="year(when)", keys="2023..2024")
    assert exact(after, file) == {
        "2024": int((DAYS >= "2024-03-01").sum() - (DAYS.year > 2024).sum())
    }
    others = ["2024-01-05", "5.1.24", "32.01.2024", "13/13/2024", "1.1.0000", "", "x" * 200]
    (tmp_path / "o.csv").write_text("when\n" + "\n".join([*others, "7.5.2024", "7/5/2024"]) + "\n")
    found = exact(
        Count(by="month(when)", keys="2024-01..2024-12"), CsvFile(tmp_path / "o.csv", dates=dates)
    )
    assert found == {"2024-07" if dates == "12/31/2024" else "2024-05": 1}
    with pytest.raises(ArgumentError, match=r"^dates must be one of"):
        CsvFile("t.csv", dates="2024")


@pytest.mark.parametrize("dates", ["2024-12-31", *NOTATIONS])
@pytest.mark.parametrize("day", ["01.07.2024", "1/7/2024", "07-01-2024 06:30"])
def test_a_date_that_ends_with_its_year_is_in_no_order(tmp_path, dates, day):
    """As strings, 02.01.2024 comes after 01.07.2024."""
    DAYS.strftime(NOTATIONS.get(dates, "%Y-%m-%d")).to_frame(name="when").to_csv(
        tmp_path / "t.csv", index=False
    )
    file = CsvFile(tmp_path / "t.csv", dates=dates)
    for order in ("<", "<=", ">", ">="):
        with pytest.raises(ArgumentError, match="with a date such as '2024-12-31';"):
            ask(file, Count(where=f"when {order} '{day}'"), epsilon=1)
    if dates in NOTATIONS:  # (as strings, those of the file are in no order with any date)
        for other in ("2024-07", "2024-07-01 00:00", "2024-7-1", "2024/07/01", "1.7.24"):
            with pytest.raises(ArgumentError, match="with a date such as '2024-12-31';"):
                ask(file, Count(where=f"when >= '{other}'"), epsilon=1)
    else:
        early = Count(where="when < '2024-07'", by="year(when)", keys="2024")
        assert sum(exact(early, file).values()) > 1
    equal = Count(where=f"when = '{day}'", by="year(when)", keys="2023..2025")
    assert sum(exact(equal, file).values()) <= 1  # (a string is equal to itself)


@pytest.mark.parametrize("key", ["2024-01..2024-12", "2024-Q1..2024-Q4", "2024-01-01..2024-01-31"])
def test_a_range_of_periods_is_no_value_of_a_column(key):
    with pytest.raises(ArgumentError, match=r'stands with by="month\(...\)"'):
        Count(by=["ward", "when"], keys=[["A", "B"], [key]])
    assert Count(by="years", keys=["2000..2004", "2005..2009"]).keys is not None


def test_days_and_the_ends_of_periods():
    edges = ["2024-02-29 23:59:59.999999", "2024-03-01", "2024-03-31 23:59", "2024-04-01"]
    frame = pd.DataFrame({"text": edges, "when": pd.to_datetime(edges, format="ISO8601")})
    for column in frame:
        found = exact(Count(by=f"month({column})", keys="2024-02..2024-04"), frame)
        assert found == {"2024-02": 1, "2024-03": 2, "2024-04": 1}
        days = exact(Count(by=f"day({column})", keys="2024-02-28..2024-03-02"), frame)
        assert days == {"2024-02-29": 1, "2024-03-01": 1}
    long = [pd.Timestamp("9998-12-31"), None, pd.Timestamp("0001-01-01")]
    frame = pd.DataFrame({"when": pd.Series(long, dtype="datetime64[us]")})
    assert exact(Count(by="year(when)", keys=["0001", "9998"]), frame) == {"0001": 1, "9998": 1}


BEGINNINGS = {
    ("year", "2024"): ["2024-"],
    ("quarter", "2024-Q4"): ["2024-10", "2024-11", "2024-12"],
    ("month", "2024-09"): ["2024-09"],
    ("month", "2024-12"): ["2024-12"],
    ("day", "2024-01-09"): ["2024-01-09"],
    ("day", "2024-12-31"): ["2024-12-31"],
}


@pytest.mark.parametrize("period", BEGINNINGS)
def test_texts_of_a_period_begin_as_its_days_do(period):
    """Whatever follows; and no other text lies between the ends."""
    unit, key = period
    own = Period(unit, "x")
    low, high = (end.encode() for end in own._texts(own._start(key)))
    first = datetime(2023, 11, 1, tzinfo=UTC)
    for k in range(500):
        day = (first + timedelta(days=k)).date()
        for text in (
            f"{day}",
            f"{day:%Y/%m/%d}",
            f"{day:%d.%m.%Y}",
            f"{day:%Y%m%d}",
            f"{day:%Y-%m}",
        ):
            for more in ("", " 10:00", "T", "\u00fc", "~"):
                inside = (text + more).startswith(tuple(BEGINNINGS[period]))
                assert (low <= (text + more).encode() < high) == inside, text + more


@pytest.mark.parametrize(
    ("unit", "keys"),
    [
        ("month", "2024-13"), ("month", "2024-05..2024-01"), ("month", "2024"), ("month", 7),
        ("year", "1800..9000"), ("day", "2024-02-30"), ("quarter", "2024-Q5"), ("year", "9999"),
        ("month", ["2024-01", "2024-01"]), ("month", ["2024-01..2024-03", "2024-02"]),
        ("month", []), ("year", "\u0662\u0660\u0662\u0664"), ("month", "private"),
    ],
)  # fmt: skip
def test_keys_that_are_no_periods_are_rejected(unit, keys):
    with pytest.raises(ArgumentError, match=r"^keys must be"):
        Count(by=f"{unit}(when)", keys=keys)
    with pytest.raises(ArgumentError, match="of dates, timestamps or strings"):
        ask(TABLE, Count(by="month(pay)", keys=["2024-01"]), epsilon=1)
    assert period_of("month") is None and period_of("week(x)") is None


def test_periods_stand_beside_other_keys_everywhere(tmp_path):
    months = ["2024-01", "2024-02", "2024-03"]
    queries = [
        Mean("pay", low=0, high=500, by=["month(when)", "sex"], keys=[months, ["f", "m"]]),
        Marginals(["month(text)", "sex"], [0, 1, 2], keys=[["2024-01..2024-03"], ["f", "m"]]),
        Histogram("pay", low=0, high=500, bins=2, by="month(day)", keys=months),
        Count(by="month(utc)", keys="2024-01..2024-03"),
    ]
    for query in queries:
        answer = ask(TABLE, query, epsilon=5)
        assert all(step.verdict == "proven" for step in check_report(report(answer).to_json()))
        assert any("2024-02" in key for key in answer.groups) and answer.plot().png()
        assert plan(query, epsilon=1, rows=30).error > 0
    frame = ask(TABLE, queries[0], epsilon=5).to_frame()
    assert list(frame.columns)[:2] == ["month(when)", "sex"] and len(frame) == 6
    unit = PrivacyUnit("sex", max_rows_per_group=2, max_groups=2)
    answer = ask(TABLE, queries[3], epsilon=15, unit=unit)
    assert set(answer.value) == {*months}
    assert query_of("count()", by="month(when)", keys=months).keys == tuple(months)


def test_time_is_on_the_axis():
    """A trend was bars that began at the top."""
    by = {"by": ["month(when)", "sex"], "keys": [["2024-01..2024-06"], ["f", "m"]]}
    answer = ask(TABLE, Count(**by), epsilon=5)
    timeline = timeline_of(answer)
    assert timeline.axis == "month(when)" and [*timeline.lines] == ["f", "m"]
    days = [day for day, _, _ in timeline.lines["f"]]
    assert [b - a for a, b in pairwise(days)] == [31, 29, 31, 30, 31]
    assert answer.plot().png() and "<img" in report(answer).to_html()
    for other in (
        Count(by="month(when)", keys=["2024-01", "2024-02"]),
        Count(by="month(when)", keys=["2024-03", "2024-02", "2024-01"]),
        Count(by="sex", keys=["f", "m", "2024-01"]),
        Count(),
    ):
        assert timeline_of(ask(TABLE, other, epsilon=5)) is None


def test_the_command_line_groups_by_months(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    asked = ("ask", tmp_path / "t.csv", "count()", "--epsilon", 5, "--by", "month(when)")
    found = run(*asked, "--keys", "2024-01..2024-06", "--csv", tmp_path / "a.csv")
    assert found.returncode == 0 and found.stdout.count("\u2502 2024-0") == 6
    table = TABLE.assign(when=TABLE.german)
    table.to_csv(tmp_path / "t.csv", index=False)
    found = run(*asked, "--keys", "2024-01..2024-06", "--dates", "31.12.2024")
    assert found.returncode == 0 and "month of when" not in found.stdout
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "query,month(when),answer,low,high,unbiased" and len(lines) == 7
