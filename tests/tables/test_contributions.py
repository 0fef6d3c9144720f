"""Contribution bounds are chosen by private estimates of what they cut, and by their noise."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from cli_command import run
from leastnoise import ArgumentError, Count, Ledger, PrivacyUnit, compare_units, plan

#: Each of 500 people has 4 rows, in 2 groups.
TABLE = pd.DataFrame({"p": [k // 4 for k in range(2000)], "g": list("aabb") * 500})
QUERY = Count(by="g", keys=["a", "b"])


def units(*bounds):
    return [PrivacyUnit("p", max_rows_per_group=r, max_groups=g) for r, g in bounds]


def test_what_bounds_cut_stands_beside_the_noise_they_cost(tmp_path):
    book = Ledger.create(tmp_path / "b.db", epsilon=6)
    found = compare_units(
        TABLE, QUERY, units((1, 1), (2, 1), (2, 2)), epsilon=6, planned=2, rows=1000, ledger=book
    )
    for one, exact in zip(found, (0.75, 0.5, 0), strict=True):
        assert one.beyond.low <= one.beyond.value <= one.beyond.high
        assert one.beyond.value == pytest.approx(exact, abs=0.1)
        assert one.plan.error == plan(QUERY, epsilon=2, rows=1000, unit=one.unit).error
    assert found[0].plan.error < found[1].plan.error < found[2].plan.error
    assert "max_rows_per_group=2, max_groups=1" in str(found).splitlines()[1]
    assert (book.balance.spent_epsilon, book.balance.charges) == (6, 3)


def test_units_are_of_one_column_and_nothing_is_spent_otherwise(tmp_path):
    book = Ledger.create(tmp_path / "b.db", epsilon=6)
    other = PrivacyUnit("g", max_rows_per_group=1)
    for wrong in ([], "row", ["row"], [*units((1, 1)), other], units((1, 1)) * 21):
        with pytest.raises(ArgumentError, match=r"^units must be"):
            compare_units(TABLE, QUERY, wrong, epsilon=1, ledger=book)
    with pytest.raises(ArgumentError, match="epsilon"):
        compare_units(TABLE, QUERY, units((1, 1)), epsilon=1, planned=-1, ledger=book)
    assert book.balance.spent_epsilon == 0


def test_a_plan_says_how_bounds_are_chosen():
    """Its margin of error does not know of rows that they cut."""
    query, budget = Count(), {"epsilon": 1, "rows": 100}
    one = plan(query, unit=PrivacyUnit("p", 2), **budget)
    assert one.bounded and "are cut: compare_units(...) estimates how many" in str(one)
    assert "compare_units(...)" in one._repr_html_()
    for other in (plan(query, unit="row", **budget), plan("coverage(count())", **budget)):
        assert not other.bounded and "compare_units" not in str(other)
    words = ("plan", "count()", "--epsilon", 1, "--rows", 100)
    bounds = ("--unit", "p", "--max-rows-per-group", 2)
    told = " ".join(run(*words, *bounds).stdout.split())
    assert 'ask TABLE "coverage(count())"' in told and "compare_units" not in told
    assert "coverage" not in run(*words).stdout
    assert json.loads(run(*words, *bounds, "--json").stdout)["bounded"] is True
