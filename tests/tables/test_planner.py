"""Plans come from public numbers and tell the truth; workloads divide one budget."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from leastnoise import (
    ArgumentError,
    Count,
    Ledger,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask_all,
    plan,
)
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import collect, groups_moved, prepare
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row
from leastnoise.tables.workload import SharedBudget

N = 400
FRAME = pd.DataFrame({"x": np.linspace(0, 100, N), "p": np.arange(N)})
BOUNDS = {"low": 0, "high": 100}


@pytest.mark.parametrize(
    "query",
    [
        Count(),
        Sum("x", **BOUNDS),
        Mean("x", **BOUNDS),
        Variance("x", **BOUNDS),
        Proportion("x > 50"),
    ],
    ids=str,
)
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_the_planned_error_holds_for_95_of_100_answers(query, relation):
    budget = QueryBudget(Fraction(1), Fraction(1, 10**6))
    planned = plan(query, epsilon=1, delta=1e-6, rows=N, neighbors=relation)
    table = open_table(FRAME)
    ready = prepare(table, query, Setting(Row(), relation), budget, "l1", None, lambda _: None)
    (sums,) = collect(table, [ready])
    exact = query.estimate(
        [
            type("R", (), {"value": v, "error": Fraction(0), "ends": (v, v)})()
            for v in query.exact(sums.sums[""], ready.setting)
        ],
        ready.setting,
    ).value
    entropy = InsecureSeededEntropy(4)
    draws = (ready.draw(sums, entropy, ready.blank("")) for _ in range(250))
    found = np.array([draw.groups[""].value for draw in draws])
    inside = (np.abs(found - exact) <= planned.error * (1 + 1e-9)).mean()
    assert inside >= 0.91
    # And it is no empty promise: half of it would not do.
    assert (np.abs(found - exact) <= planned.error / 8).mean() < 0.9


def test_plans_need_no_table_and_refuse_nonsense():
    few, many = (plan(Mean("x", **BOUNDS), epsilon=1, rows=n).error for n in (100, 10_000))
    assert few > 50 * many
    person = plan(Count(), epsilon=1, rows=10, unit=PrivacyUnit("p", 4))
    assert person.error > 2 * plan(Count(), epsilon=1, rows=10).error
    assert plan(Count(by="g", keys="private"), epsilon=1, delta=1e-6, rows=10).keys_from > 10
    assert "rank" in " ".join(plan(Median("x", **BOUNDS), epsilon=1, rows=10).notes)
    with pytest.raises(ArgumentError, match="rows"):
        plan(Count(), epsilon=1, rows=0)


def test_a_workload_is_one_charge_and_its_parts_add_up(tmp_path):
    queries = [Count(), Mean("x", **BOUNDS), Median("x", **BOUNDS), Count(where="x > 50")]
    ledger = Ledger.create(tmp_path / "b.db", epsilon=2, delta=1e-6)
    answers = ask_all(FRAME, queries, epsilon=2, delta=1e-6, ledger=ledger, rows=N)
    (charge,) = ledger.history()
    assert charge.epsilon == 2 and {one.charge for one in answers} == {charge.id}
    # One draw for the first two and the last, and no delta; each answer says what all cost.
    assert [(one.epsilon, one.delta) for one in answers] == [(2, 0)] * 4
    assert charge.delta == 0 and len({one.mechanisms for one in answers}) == 2
    assert abs(answers[0].value - N) < 60 and abs(answers[1].value - 50) < 20


def test_a_workload_gives_more_to_what_needs_more():
    queries = [Count(), Variance("x", **BOUNDS)]
    shared = SharedBudget.of(queries, "row", "add-remove", N, "l1", None, None, None)
    few, more = shared.budgets(QueryBudget(Fraction(1), Fraction(0)))
    assert few.epsilon < more.epsilon and few.epsilon + more.epsilon == 1


def test_a_large_workload_shares_one_law_and_it_pays(monkeypatch):
    # Where one draw for all numbers is not to be had, which is better still.
    monkeypatch.setattr(Count, "tracks", lambda self, setting: ())
    queries = [Count(where=f"x > {i}") for i in range(20)]
    answers = ask_all(FRAME, queries, epsilon=1, delta="0.01", rows=N)
    widths = [one.interval[1] - one.interval[0] for one in answers]
    alone = plan(Count(), epsilon=Fraction(1, 20), delta=Fraction(1, 20 * 100), rows=N).error
    assert max(widths) / 2 < 0.4 * alone
    assert all("20 releases together" in one.noise for one in answers)
    assert all("all 20 queries" in one.notes[-1] for one in answers)
    assert len({path for one in answers for path in one.mechanisms}) == 1


def test_groups_that_a_unit_can_move():
    row, person = Row(), PrivacyUnit("p", 2, 3)
    keys = ["a", "b", "c", "d", "e", "f", "g"]
    grouped = Count(by="g", keys=keys)
    assert groups_moved(Count(), Setting(person, "replace")) == 1
    assert groups_moved(grouped, Setting(row, "add-remove")) == 1
    assert groups_moved(grouped, Setting(row, "replace")) == 2
    assert groups_moved(grouped, Setting(person, "add-remove")) == 3
    assert groups_moved(grouped, Setting(person, "replace")) == 6
    assert groups_moved(grouped, Setting(PrivacyUnit("p", 2), "add-remove")) == 7
    assert groups_moved(grouped, Setting(PrivacyUnit("p", 2), "replace")) == 7
    assert groups_moved(Count(by="g", keys=["a"]), Setting(row, "replace")) == 1


@pytest.mark.parametrize(("most", "keys", "said"), [(2, "abc", True), (3, "abc", False)])
def test_that_persons_count_in_some_of_their_groups_is_said(most, keys, said):
    """It makes counts smaller than the truth, which no interval tells."""
    unit = PrivacyUnit("p", max_rows_per_group=1, max_groups=most)
    told = plan(Count(by="g", keys=list(keys)), epsilon=1, rows=100, unit=unit).notes
    assert any("at most 2 groups" in note for note in told) is said
