"""A new query is one class and one line in the registry: everything else follows from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import pandas as pd
import pytest

from leastnoise import ask, plan, report
from leastnoise.cli.tables import _question
from leastnoise.errors import ArgumentError
from leastnoise.exact import Number, rational
from leastnoise.tables import query_of
from leastnoise.tables.queries import registry
from leastnoise.tables.queries.arguments import arguments_of, query_from
from leastnoise.tables.queries.base import Query, Setting
from leastnoise.tables.queries.numbers import Estimate, Part, Released, clamp_estimate
from leastnoise.tables.reports.report import check_report, read_report
from leastnoise.tables.reports.wording import heading
from leastnoise.tables.sources.bounding import GroupSums, Request
from leastnoise.tables.sources.rows import TableRows
from leastnoise.web.models import QueryForm, TableForm
from leastnoise.web.questions import offers, queries_of


@dataclass(frozen=True)
class RowsAbove(Query):
    """How many rows have a value above a limit, `low`."""

    column: str = field(default="", kw_only=False)
    low: Number | None = None

    word: ClassVar[str] = "rows_above"
    title: ClassVar[str] = "Rows above a limit"
    phrase: ClassVar[str] = "Rows with {column} above {low}"
    counts_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low is None:
            raise ArgumentError("low", None, "given")

    def request(self, setting: Setting) -> Request:
        limit = float(rational(self.low, "low"))

        def above(rows: TableRows) -> str:
            number = rows.number(self.column, "column").sql
            ones = rows.engine.whole(0)  # NULL leaves a row out
            return f"CASE WHEN {number} > {rows.engine.real(limit)} THEN {ones} ELSE NULL END"

        return self._request(setting, value=above)

    def parts(self, setting: Setting) -> list[Part]:
        return [Part("rows", Fraction(setting.rows), whole=True)]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        return [Fraction(sums.rows)]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        (rows,) = released
        return clamp_estimate(rows.value, rows.ends, Fraction(0), None)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        return [Fraction(rows)], Fraction(rows)

    def why(self, setting: Setting) -> str:
        return f"A unit adds between 0 and {setting.rows} to the number of rows."

    def __str__(self) -> str:
        return self.text(f"{self.column}, low={self.low}")


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry, "QUERIES", (*registry.QUERIES, RowsAbove))


def test_it_is_written_planned_asked_and_reported(tmp_path):
    query = query_of("rows_above(x, low=3)", by="g", keys=["a", "b"])
    assert isinstance(query, RowsAbove)
    assert query_from(arguments_of(query)) == RowsAbove("x", low="3", by="g", keys=["a", "b"])
    assert plan(query, epsilon=1, rows=100).error == 3
    table = pd.DataFrame({"x": range(1000), "g": ["a", "b"] * 500})
    answer = ask(table, query, epsilon=8)
    assert all(abs(number - 498) < 6 for number in answer.value.values())
    report([answer], tmp_path / "report.json")
    raw = json.loads((tmp_path / "report.json").read_text())
    published = read_report(raw)
    assert {step.verdict for step in check_report(raw)} == {"proven"}
    assert heading(published.answers[0].basis.query) == "Rows with x above 3 by g"


def test_the_shell_and_the_web_app_offer_it():
    options = dict.fromkeys(("high", "by", "keys", "where", "nulls", "interval"))
    assert _question("rows_above(x)", options | {"low": "3"}) == RowsAbove("x", low="3")
    (offer,) = (offer for offer in offers() if offer.kind == "rows_above")
    assert (offer.title, offer.fields, offer.optional) == (RowsAbove.title, ["column", "low"], [])
    form = QueryForm(kind="rows_above", column="x", low="3")
    assert queries_of(TableForm(queries=[form], epsilon="1").form()) == [RowsAbove("x", low="3")]
    form.high = "4"
    with pytest.raises(ArgumentError, match="high"):
        queries_of(TableForm(queries=[form], epsilon="1").form())
