"""Counts that add up: every way to group them is answered, with the sums of its own table."""

from __future__ import annotations

import pandas as pd
import pytest

from leastnoise import Count, Cumulative, Histogram, RangeCounts, ask

TABLE = pd.DataFrame(
    {"x": [1, 2, 3, 4] * 50, "a": ["u", "v"] * 100, "b": ["p", "q", "q", "p"] * 50}
)
AB = {"by": ["a", "b"], "keys": [["u", "v"], ["p", "q"]]}
BINS = {"bins": 3, "low": 0, "high": 5}


@pytest.mark.parametrize("grouped", [{}, {"by": "a", "keys": ["u", "v"]}, AB])
@pytest.mark.parametrize("query", [Histogram, Cumulative, RangeCounts])
def test_bins_are_answered_in_groups_of_every_kind(query, grouped):
    asked = query("x", **BINS, **grouped)
    groups = 1 if not grouped else 2 if grouped["by"] == "a" else 4
    each = {Histogram: 3, Cumulative: 3, RangeCounts: 6}[query]
    answer = ask(TABLE, asked, epsilon=12)
    assert len(answer.value) == groups * each
    assert all(float(value).is_integer() and value >= 0 for value in answer.value.values())


def test_a_histogram_by_two_columns_counts_the_rows_of_each_cell():
    answer = ask(TABLE, Histogram("x", bins=2, low=0, high=5, **AB), epsilon=15)
    counts = ask(TABLE, Count(**AB), epsilon=15)
    assert sum(answer.value.values()) == sum(counts.value.values()) == 200
