"""The means of several columns, released as one vector."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from leastnoise import ArgumentError, BudgetError, Ledger, MeanVector, Person, ask, load
from leastnoise.queries.base import Setting
from leastnoise.queries.engine import open_table
from leastnoise.queries.unit import Row

N = 4000
RANDOM = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "x": RANDOM.uniform(10, 60, N),
        "y": RANDOM.uniform(-1, 1, N),
        "z": RANDOM.integers(0, 7, N),
        "p": np.arange(N) // 2,
    }
)
QUERY = MeanVector(["x", "y", "z"], low=[0, -1, 0], high=[100, 1, 10])
OPTIONS = {"epsilon": 1, "delta": "0.01"}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_every_interval_holds_the_mean(neighbours):
    found = ask(FRAME, QUERY, neighbours=neighbours, **OPTIONS)
    assert set(found.value) == {"x", "y", "z"}
    for name, value in found.value.items():
        low, high = found.interval[name]
        width = {"x": 100, "y": 2, "z": 10}[name]
        assert low <= value <= high
        assert high - low < 0.1 * width
        assert low - 0.02 * width < FRAME[name].mean() < high + 0.02 * width
    assert load(found.mechanisms[0]).dimension == 3
    assert len(found.mechanisms) == (1 if neighbours == "replace" else 2)
    assert "moves by at most" in found.why


def test_sensitivities():
    for setting, expected in (
        (Setting(Row(), "add-remove"), math.sqrt(3)),
        (Setting(Row(), "replace"), 2 * math.sqrt(3)),
        (Setting(Row(), "replace", size=50), 2 * math.sqrt(3) / 50),
        (Setting(Person("p", 2), "add-remove"), 2 * math.sqrt(3)),
    ):
        found = QUERY.sensitivity(setting)
        assert found * found >= QUERY.squared_sensitivity(setting)
        assert float(found) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_no_row_moves_the_exact_vector_further_than_stated(neighbours):
    frame = FRAME[["x", "y", "z"]].head(30).astype(float)
    rows = [[1e9, 5.0, -math.inf], [-7, -9, 99], [math.nan, 0.5, 3], [0, -1, 0], [100, 1, 10]]
    for row in rows:
        other = frame.copy()
        if neighbours == "replace":
            other.loc[3] = row
        else:
            other.loc[30] = row
        size = 30 if neighbours == "replace" else None
        setting = Setting(Row(), neighbours, size)
        one, two = (QUERY.exact_vector(open_table(t), setting)[0] for t in (frame, other))
        moved = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        assert 0 < moved <= QUERY.squared_sensitivity(setting)


def test_the_ledger_is_charged_once_and_before(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.db", epsilon=1, delta="0.02")
    ask(FRAME, QUERY, ledger=ledger, **OPTIONS)
    assert len(ledger.history()) == 1
    with pytest.raises(BudgetError):
        ask(FRAME, QUERY, ledger=ledger, **OPTIONS)
    assert len(ledger.history()) == 1


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"columns": ["x"], "low": [0], "high": [1]}, "columns"),
        ({"low": [0]}, "columns"),
        ({"columns": ["x", "x", "y"]}, "columns"),
        ({"by": "z", "keys": [1]}, "by"),
        ({"high": [100, -1, 10]}, "high"),
    ],
)
def test_bad_questions(change, name):
    good = {"columns": ["x", "y", "z"], "low": [0, -1, 0], "high": [100, 1, 10]}
    with pytest.raises(ArgumentError) as caught:
        MeanVector(**(good | change))
    assert caught.value.name == name


def test_delta_is_needed():
    with pytest.raises(ArgumentError, match="delta"):
        ask(FRAME, QUERY, epsilon=1)


def test_an_empty_filter_is_answered():
    query = replace(QUERY, where="z > 1000")
    found = ask(FRAME, query, epsilon=1, delta="0.01")
    assert all(0 <= value <= 100 for value in (found.value["x"], found.value["y"] + 1))
    assert Fraction(found.epsilon) == 1
