"""Count, sum and mean of a group from one release: consistent, covered, as cheap as the mean."""

from __future__ import annotations

import json
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import Count, Mean, PrivacyUnit, Sum, Summary, ask, ask_all, plan, plan_all, report
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import query_of
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row

RNG = np.random.default_rng(2)
N = 900
FRAME = pd.DataFrame(
    {"x": RNG.gamma(2.0, 15.0, N).clip(0, 100), "g": RNG.choice(list("abc"), N), "id": np.arange(N)}
)
BOUNDS = {"low": 0, "high": 100}
KEYS = list("abc")
GROUPED = Summary("x", by="g", keys=KEYS, **BOUNDS)
UNITS = {
    "rows": {"unit": "row"},
    "rows replaced": {"unit": "row", "neighbors": "replace"},
    "people": {"unit": PrivacyUnit("id", 2, 2)},
    "people replaced": {"unit": PrivacyUnit("id", 2, 2), "neighbors": "replace"},
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_three_numbers_of_a_group_fit_together(unit):
    frame = ask(FRAME, GROUPED, epsilon=1, **unit).to_frame()
    assert list(frame.columns)[:5] == ["g", "number", "value", "low", "high"]
    for _, own in frame.groupby("g"):
        value = own.set_index("number")["value"]
        assert value["sum"] == pytest.approx(value["count"] * value["mean"], rel=1e-12)
        assert value["count"] == round(value["count"]) >= 0 and 0 <= value["mean"] <= 100
        assert (own["low"] <= own["value"]).all() and (own["value"] <= own["high"]).all()


def test_asked_one_by_one_they_contradict_each_other():
    """As they do where each has a third of the budget: that is what this query is for."""
    queries = [Count(), Sum("x", **BOUNDS), Mean("x", **BOUNDS)]
    apart = ask_all(FRAME, queries, epsilon=1, unit="row")
    count, total, mean = (one.value for one in apart)
    assert abs(total - count * mean) > 1
    together = ask(FRAME, Summary("x", **BOUNDS), epsilon=1, unit="row").value
    assert total != together["sum"] == together["count"] * together["mean"]


@pytest.mark.parametrize(
    "setting",
    [
        Setting(Row(), "add-remove"),
        Setting(Row(), "replace"),
        Setting(PrivacyUnit("id", 2, 2), "add-remove"),
    ],
    ids=str,
)
@pytest.mark.parametrize(("low", "high"), [(0, 100), (-40, 100), (-100, 0)])
def test_every_interval_holds_its_number_in_95_of_100_releases(low, high, setting):
    query = Summary("x", low=low, high=high, by="g", keys=["many", "few", "none"])
    values = np.concatenate([RNG.uniform(low, high, 300), RNG.uniform(low, high, 8)])
    frame = pd.DataFrame({"x": values, "g": ["many"] * 300 + ["few"] * 8, "id": np.arange(308)})
    release = prepare_publicly(query, setting, QueryBudget(F(1), F(1, 10**6)), "l1").release
    sums = sums_of(open_table(frame), query, setting)
    collected, entropy = Collected(sums, keys=query.public_keys), InsecureSeededEntropy(6)
    truths = {
        (key, name): float(getattr(frame[frame["g"] == key]["x"], name)())
        for key in query.public_keys
        for name in ("count", "sum", "mean")
    }
    held: dict[tuple[str, str], list[bool]] = {}
    for _ in range(250):
        keys, estimates = release.answers(query, setting, collected, entropy)
        for place, one in zip(query.places(keys), estimates, strict=True):
            truth = truths[place.keys]
            assert one.low <= one.value <= one.high
            if not np.isnan(truth):
                inside = one.low - 0.01 <= truth <= one.high + 0.01
                held.setdefault(place.keys, []).append(inside)
    assert set(held) == {
        *((g, c) for g in ("many", "few") for c in ("count", "sum", "mean")),
        ("none", "count"),
        ("none", "sum"),
    }
    for key, inside in held.items():
        assert np.mean(inside) >= 0.935, key


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_it_costs_what_the_mean_costs(unit):
    mean = Mean("x", by="g", keys=KEYS, **BOUNDS)
    one, two = (ask(FRAME, query, epsilon=1, **unit) for query in (GROUPED, mean))
    assert (one.epsilon, one.delta, one.noise) == (two.epsilon, two.delta, two.noise)
    more = {name: value for name, value in unit.items() if value != "row"}
    first, second = (plan(query, epsilon=1, rows=300, **more) for query in (GROUPED, mean))
    assert first.error == second.error


def test_private_keys_batches_texts_and_reports():
    text = query_of("summary(x, low=0, high=100)", by="g", keys="private")
    found = ask(FRAME, text, epsilon=1, delta="1e-6", unit="row")
    assert len(found.groups) == 9 and "a: count" in found.groups
    both = ask_all(FRAME, [Summary("x", **BOUNDS), Count()], epsilon=1, unit="row")
    assert abs(both[0].value["count"] - N) < 40 and "one draw" in both[0].noise
    assert len(plan_all([GROUPED, Count()], epsilon=1, rows=300)) == 2
    for answer in (found, ask(FRAME, GROUPED, epsilon=1, unit="row")):
        held = report(answer).to_json()
        steps = check_report(json.loads(json.dumps(held)))
        assert "refuted" not in {step.verdict for step in steps}
    page = report(answer).to_html()
    assert "Count, sum and mean of x by g" in page
    assert answer.plot().figure is not None


def test_a_public_number_of_rows_is_not_used():
    query = Summary("x", nulls="middle", **BOUNDS)
    answer = ask(FRAME, query, epsilon=1, unit="row", neighbors="replace")
    assert answer.interval["count"][0] < answer.value["count"] < answer.interval["count"][1]
