"""Intervals of values for quantiles: they hold, on tables of all kinds, and cost what they say."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from leastnoise import ArgumentError, Count, Median, PrivacyUnit, Quantile, ask, plan
from leastnoise.sampling import ExponentialSampler, InsecureSeededEntropy
from leastnoise.tables import query_of
from leastnoise.tables.ask import collect, prepare
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row

RANDOM = np.random.default_rng(2)
TABLES = {
    "spread": RANDOM.uniform(0, 100, 600),
    "one value": np.full(800, 40.0),
    # A jump just below the middle: half the rows at 10, the rest thinly spread far above.
    "a jump": np.concatenate([np.full(200, 10.0), np.linspace(60, 100, 201)]),
    "two values": np.array([20.0] * 300 + [80.0] * 300),
    "few rows": np.array([1.0, 2.0, 3.0]),
    "none": np.array([]),
}


CASES = [*((name, "0.5") for name in TABLES), ("a jump", "0.9")]


@pytest.mark.parametrize(("name", "level"), CASES)
@pytest.mark.parametrize("draws", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_the_quantile_is_inside_in_95_of_100_cases(name, level, draws):
    values = np.round(TABLES[name] * 100)
    query = Quantile("x", level, low=0, high=100, step="0.01", interval=True)
    table = open_table(pd.DataFrame({"x": TABLES[name]}, dtype="float64"))
    ready = prepare(
        table,
        query,
        Setting(Row(), "add-remove"),
        QueryBudget(Fraction(1), Fraction(0)),
        "l1",
        None,
        lambda _: None,
    )
    (sums,) = collect(table, [ready])
    entropy = InsecureSeededEntropy(5)
    # All cells that are a quantile: no more than q of the rows below, nor than 1 - q above.
    ordered, steps = np.sort(values), np.arange(10_001)
    below = np.searchsorted(ordered, steps, side="left")
    above = len(values) - np.searchsorted(ordered, steps, side="right")
    part, n = float(level), len(values)
    right = np.flatnonzero((below <= part * n + 1e-9) & (above <= (1 - part) * n + 1e-9)) / 100
    held, widths, blank = [], [], ready.blank("")
    for _ in range(draws):
        one = ready.draw(sums, entropy, blank).groups[""]
        assert one.low <= one.value <= one.high
        held.append(one.low <= right[-1] + 1e-9 and right[0] - 1e-9 <= one.high)
        widths.append(one.high - one.low)
    assert np.mean(held) >= (0.94 if draws > 100 else 0.9)
    if name == "spread":
        assert np.median(widths) < 50  # of 100, with 600 rows
    if name in ("few rows", "none"):
        assert np.median(widths) == 100  # nothing can be said, and nothing is


def test_what_it_spends_adds_up(monkeypatch):
    """Every rate and every design that a draw uses, added up, is the budget."""
    rates, designs = [], []
    module, ends = (sys.modules[f"leastnoise.tables.queries.{n}"] for n in ("quantile", "ends"))

    class Recorder(ExponentialSampler):
        def __init__(self, counts, penalties, rate):
            rates.append(rate)
            super().__init__(counts, penalties, rate)

    real = ends.designed
    monkeypatch.setattr(module, "ExponentialSampler", Recorder)
    monkeypatch.setattr(ends, "designed", lambda *asked: designs.append(asked[0]) or real(*asked))
    frame = pd.DataFrame({"x": RANDOM.uniform(0, 9, 50)})
    query = Median("x", low=0, high=9, interval=True)
    table = open_table(frame)
    ready = prepare(
        table,
        query,
        Setting(Row(), "replace"),
        QueryBudget(Fraction(2), Fraction(0)),
        "l1",
        None,
        lambda _: None,
    )
    designs.clear()
    (cells,) = [one.cells for one in collect(table, [ready])[0].sums.values()]
    query.choose(cells, Fraction(2), Fraction(1), InsecureSeededEntropy(1))
    chosen = [rate * 2 * query.unit for rate in rates]
    assert chosen == [1, Fraction(1, 4), Fraction(1, 4)]
    assert designs == [Fraction(1, 4)] * 2
    assert sum(chosen) + sum(designs) == 2


def test_asked_for_in_every_way():
    frame = pd.DataFrame(
        {"x": RANDOM.uniform(0, 9, 900), "g": ["a", "b", "c"] * 300, "p": range(900)}
    )
    query = query_of("median(x)", low=0, high=9, interval=True, by="g", keys=["a", "b"])
    found = ask(frame, query, epsilon=4, unit=PrivacyUnit("p", 1, 1))
    assert all(low < 4.5 < high for low, high in found.interval.values())
    assert len(found.mechanisms) == 1 and "half of epsilon" in " ".join(found.notes)
    bare = plan(Median("x", low=0, high=9), epsilon=1, rows=100).error
    assert plan(Median("x", low=0, high=9, interval=True), epsilon=1, rows=100).error == 2 * bare
    with pytest.raises(ArgumentError, match="interval must be left out"):
        query_of("mean(x)", low=0, high=9, interval=True)
    with pytest.raises(ArgumentError, match="interval must be left out"):
        query_of("count()", interval=True)
    assert not hasattr(Count(), "interval")
