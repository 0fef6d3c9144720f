"""The means of several columns, released as one vector."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    BudgetError,
    Count,
    Ledger,
    MeanVector,
    PrivacyUnit,
    ask,
    ask_all,
    load,
    plan,
)
from leastnoise.tables import query_of
from leastnoise.tables.ask import groups_moved
from leastnoise.tables.axes.crossed import name_in_group as _named
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.duckdb import DuckDB
from leastnoise.tables.unit import Row

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


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
def test_every_interval_holds_the_mean(neighbors):
    # (The vector has half of the budget beside the number of rows: here the same design.)
    spent = OPTIONS if neighbors == "add-remove" else {"epsilon": "0.5", "delta": "0.005"}
    found = ask(FRAME, QUERY, neighbors=neighbors, **spent)
    assert set(found.value) == {"x", "y", "z"}
    for name, value in found.value.items():
        low, high = found.interval[name]
        width = {"x": 100, "y": 2, "z": 10}[name]
        assert low <= value <= high
        assert high - low < 0.1 * width
        assert low - 0.02 * width < FRAME[name].mean() < high + 0.02 * width
    assert load(found.mechanisms[0]).dimension == 3
    assert len(found.mechanisms) == (1 if neighbors == "replace" else 2)
    assert "moves by at most" in found.why


def test_sensitivities():
    for setting, expected in (
        (Setting(Row(), "add-remove"), math.sqrt(3)),
        (Setting(Row(), "replace"), 2 * math.sqrt(3)),
        (Setting(Row(), "replace", size=50), 2 * math.sqrt(3) / 50),
        (Setting(PrivacyUnit("p", 2), "add-remove"), 2 * math.sqrt(3)),
    ):
        found = QUERY.sensitivity(setting)
        assert found * found >= QUERY.squared_sensitivity(setting)
        assert float(found) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
def test_no_row_moves_the_exact_vector_further_than_stated(neighbors):
    frame = FRAME[["x", "y", "z"]].head(30).astype(float)
    rows = [[1e9, 5.0, -math.inf], [-7, -9, 99], [math.nan, 0.5, 3], [0, -1, 0], [100, 1, 10]]
    size = 30 if neighbors == "replace" else None
    setting = Setting(Row(), neighbors, size)

    def exact(table):
        with opened(table) as asked:
            return QUERY.exact(sums_of(asked, QUERY, setting)[""], setting)

    one = exact(frame)
    for row in rows:
        other = frame.copy()
        if neighbors == "replace":
            other.loc[3] = row
        else:
            other.loc[30] = row
        moved = sum((a - b) ** 2 for a, b in zip(one[:3], exact(other)[:3], strict=True))
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
        ({"low": ()}, "low"),
        ({"low": -3}, "low"),
        ({"high": 0}, "high"),
        ({"by": "z"}, "keys"),
        ({"high": [100, -1, 10]}, "high"),
    ],
)
def test_bad_questions(change, name):
    good = {"columns": ["x", "y", "z"], "low": [0, -1, 0], "high": [100, 1, 10]}
    with pytest.raises(ArgumentError) as caught:
        MeanVector(**(good | change))
    assert caught.value.name == name


def test_delta_may_be_zero():
    found = ask(FRAME, QUERY, epsilon=1)
    assert found.delta == 0
    assert all(0 <= value <= 100 for value in (found.value["x"], found.value["y"] + 1))


def test_an_empty_filter_is_answered():
    query = replace(QUERY, where="z > 1000")
    found = ask(FRAME, query, epsilon=1, delta="0.01")
    assert all(0 <= value <= 100 for value in (found.value["x"], found.value["y"] + 1))
    assert Fraction(found.epsilon) == 1


def test_groups_public_and_private():
    """Each group has a vector of its own."""
    frame = FRAME.assign(g=np.where(FRAME.p % 2 == 0, "even", "odd"))
    unit = PrivacyUnit("p", 2, 1)
    query = replace(QUERY, by="g", keys=["odd", "even", "none"])
    assert groups_moved(query, Setting(unit, "add-remove")) == 1
    found = ask(frame, query, unit=unit, **OPTIONS)
    assert list(found.value)[:3] == ["odd: x", "odd: y", "odd: z"] and len(found.value) == 9
    for key in ("odd", "even"):
        low, high = found.interval[f"{key}: x"]
        true = frame.x[frame.g == key].mean()
        assert low - 3 < true < high + 3 and high - low < 20
    private = ask(frame, replace(QUERY, by="g", keys="private"), epsilon=2, delta="0.02", unit=unit)
    assert {name.partition(":")[0] for name in private.value} == {"even", "odd"}
    assert "half of epsilon was spent on the keys" in " ".join(private.notes)


def test_no_person_moves_the_groups_further_than_stated():
    frame = FRAME[["x", "y", "z", "p"]].head(40).assign(g="a").astype({"x": float, "z": float})
    extra = pd.DataFrame({"x": [1e9] * 5, "y": [9.0] * 5, "z": [99.0] * 5, "p": 10**6, "g": "a"})
    query = replace(QUERY, by="g", keys=["a", "b"])
    setting = Setting(PrivacyUnit("p", 2, 1), "add-remove")
    one, two = (
        query.exact(sums_of(open_table(t), query, setting)["a"], setting)
        for t in (frame, pd.concat([frame, extra]))
    )
    moved = sum((a - b) ** 2 for a, b in zip(one[:3], two[:3], strict=True))
    assert moved == query.squared_sensitivity(setting) and abs(one[3] - two[3]) == 2


def test_plans_and_workloads():
    planned = plan(QUERY, epsilon=1, delta="0.01", rows=N)
    found = ask(FRAME, QUERY, **OPTIONS)
    for name, width in (("x", 100), ("y", 2), ("z", 10)):
        low, high = found.interval[name]
        assert (high - low) / 2 < 2.5 * planned.error * width
    assert planned.error == planned.relative < 0.05
    both = ask_all(FRAME, [QUERY, Count()], epsilon=2, delta="0.02", rows=N)
    assert abs(both[0].value["x"] - FRAME.x.mean()) < 20 and abs(both[1].value - N) < 60
    assert sum(one.epsilon for one in both) == 2


def test_as_text():
    query = query_of("mean(x, y, z)", low="0,-1,0", high=[100, 1, 10], where="z > 1")
    assert query == replace(QUERY, low=("0", "-1", "0"), high=(100, 1, 10), where="z > 1")
    assert str(query) == "mean(x, y, z) where z > 1"
    assert query_of("mean(x, y)", low=0, high="7").high == ("7", "7")
    with pytest.raises(ArgumentError, match="one bound, or 2 bounds"):
        query_of("mean(x, y)", low="0,0,0", high="1")
    with pytest.raises(ArgumentError, match="low must be given"):
        query_of("mean(x, y)", high="1")


def test_groups_and_columns_are_never_taken_for_each_other():
    """Two answers under one name would be one answer, and a wrong one."""
    columns = ["b: c", "c", '"a: b": c', "b", ": c", '": c']
    keys = ["a", "a: b", "", '"a', '"a: b"', "a:", "a: ", '""', "\\", '\\"']
    assert len({_named(key, column) for key in keys for column in columns}) == 60
    assert _named("north", "x") == "north: x" and _named("a: b", "") == "a: b"


def test_a_folder_that_grows_meanwhile_moves_no_more_groups(tmp_path, monkeypatch):
    """Each column was read by itself, and the one group of a person chosen anew each time."""

    def put(name, groups):
        columns = {name: [9.0] * len(groups) for name in ("x", "y")}
        frame = pd.DataFrame({"p": 1, "g": groups} | columns)
        frame.to_parquet(tmp_path / f"{name}.parquet")

    def then_more(self, query, count):
        found = read(self, query, count)
        put("later", list("bcdef"))
        return found

    put("first", ["a"])
    read = DuckDB.read_columns
    monkeypatch.setattr(DuckDB, "read_columns", then_more)
    query = MeanVector(["x", "y"], low=[0, 0], high=[9, 9], by="g", keys=list("abcdef"))
    setting = Setting(PrivacyUnit("p", max_rows_per_group=1, max_groups=1), "add-remove")
    with opened(tmp_path) as table:
        found = sums_of(table, query, setting)
    assert [key for key, sums in found.items() if any(query.exact(sums, setting))] == ["a"]
