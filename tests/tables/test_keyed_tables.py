"""Private keys of tables: counts come with their keys in one draw, other values after them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

from leastnoise import (
    Count,
    Mean,
    Median,
    PrivacyUnit,
    ask,
    ask_all,
    load,
    partition_selection,
    plan,
    plan_all,
)
from leastnoise.certify import check_file
from leastnoise.errors import ArgumentError
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.tables.planning.private_keys import Priced, keys_design, one_draw
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import opened
from leastnoise.tables.unit import Row

SIZES = {"big": 400, "middle": 40, "small": 12, "one": 1}
FRAME = pd.DataFrame(
    {
        "g": [key for key, n in SIZES.items() for _ in range(n)],
        "p": range(sum(SIZES.values())),
        "x": [1.0] * sum(SIZES.values()),
    }
)
BUDGET = {"epsilon": 1, "delta": 1e-5}
COUNT = Count(by="g", keys="private")


def test_a_count_has_the_law_of_the_design() -> None:
    """Key by key the values are those of the design with the whole budget, for the same bits."""
    design = partition_selection(**BUDGET)
    with opened(FRAME) as table:
        for seed in range(12):
            answer = ask(table, COUNT, **BUDGET, entropy=InsecureSeededEntropy(seed))
            assert answer.value == design.release(SIZES, entropy=InsecureSeededEntropy(seed))
            for key, (low, high) in answer.interval.items():
                assert (low, high) == design.noise.interval(int(answer.value[key]))
    assert "one draw at the full budget" in " ".join(answer.notes)
    (path,) = answer.mechanisms
    found = load(path)
    assert found.kind == "keyed" and found == design and check_file(path).proven


def test_replaced_rows_move_two_keys() -> None:
    answer = ask(FRAME, COUNT, **BUDGET, neighbors="replace")
    (path,) = answer.mechanisms
    assert load(path) == partition_selection(**BUDGET, neighbors="replace")


def test_a_guess_at_the_units_chooses_how_the_budget_is_parted() -> None:
    unit = PrivacyUnit("p", max_rows_per_group=1, max_groups=5)
    small = ask(FRAME, COUNT, **BUDGET, unit=unit, group_size=50)
    large = ask(FRAME, COUNT, **BUDGET, unit=unit, group_size=1000)
    curve, shares = (load(answer.mechanisms[0]) for answer in (small, large))
    assert (
        curve.document.problem.failure_curve is not None
        and shares.document.problem.failure_curve is None
    )
    assert "chosen: a Gaussian curve with failures" in small.noise
    found = plan(COUNT, **BUDGET, unit=unit, rows=50, group_size=1000)
    assert (
        found.keys_from == shares.noise.group_size_for(0.95)
        and "chosen: equal shares" in found.noise
    )
    for units in (0, -1, True, 2.5, "20"):
        with pytest.raises(ArgumentError, match="group_size"):
            ask(FRAME, COUNT, **BUDGET, group_size=units)


def test_people_in_several_groups() -> None:
    twice = pd.concat([FRAME, FRAME.assign(g="all")])
    unit = PrivacyUnit("p", max_rows_per_group=1, max_groups=2)
    answer = ask(twice, COUNT, **BUDGET, unit=unit)
    assert load(answer.mechanisms[0]) == partition_selection(**BUDGET, max_groups=2)
    assert abs(answer.value["all"] - 453) <= 22
    # A person counts in one group only, if only one may count.
    once = ask(twice, COUNT, **BUDGET, unit=PrivacyUnit("p", max_rows_per_group=1, max_groups=1))
    assert sum(once.value.values()) < 600


def test_quantiles_come_after_their_keys() -> None:
    query = Median("x", low=0, high=1, by="g", keys="private")
    answer = ask(FRAME, query, epsilon=2, delta=1e-4)
    assert {"big", "middle"} <= set(answer.value) and "one" not in answer.value
    keys = [path for path in answer.mechanisms if load(path).kind == "keyed"]
    assert len(keys) == 1 and load(keys[0]).epsilon == 1 and load(keys[0]).delta == 1e-4
    assert "half of epsilon was spent on the keys" in " ".join(answer.notes)


def test_counts_of_several_rows_a_person_say_which_keys_are_shown() -> None:
    unit = PrivacyUnit("p", max_rows_per_group=3, max_groups=1)
    answer = ask(FRAME, COUNT, **BUDGET, unit=unit)
    assert "keys spend nothing of epsilon" in " ".join(answer.notes)
    asked = Priced(
        COUNT, Setting(unit, "add-remove"), Fraction(1), Fraction(1, 10**5), 1, loss="l1"
    )
    assert not one_draw(asked) and one_draw(replace(asked, setting=Setting(Row(), "add-remove")))


def test_a_plan_says_how_often_a_key_is_shown() -> None:
    found = plan(COUNT, **BUDGET, rows=14)
    assert found.keys_from == 14 and found.release_probability == pytest.approx(0.9676, abs=1e-4)
    assert found.error == 3
    apart = plan(Median("x", low=0, high=1, by="g", keys="private"), **BUDGET, rows=14)
    assert apart.keys_from == 26 and apart.release_probability < 0.02
    assert plan(Count(), epsilon=1, rows=14).release_probability is None


def test_workloads_keep_their_budget() -> None:
    queries = [COUNT, Count(), Mean("x", low=0, high=1, by="g", keys="private")]
    answers = ask_all(FRAME, queries, epsilon=3, delta=1e-4)
    assert sum(one.epsilon for one in answers) <= 3
    assert "big" in answers[0].value and "big" in answers[2].value
    many = ask_all(FRAME, [COUNT] * 20, epsilon=3, delta=1e-4)
    assert all("big" in one.value for one in many)
    share = load(many[0].mechanisms[0])
    assert share.kind == "keyed" and share.document.problem.failure_curve is None


def test_several_questions_take_the_guess_at_the_units_too() -> None:
    queries = [COUNT, Median("x", low=0, high=1, by="g", keys="private")]
    large, small = (
        plan_all(queries, epsilon=2, delta=1e-5, rows=300, group_size=units) for units in (300, 30)
    )
    assert [one.group_size for one in large] == [300, 300] and min(
        one.release_probability for one in large
    ) > 0.999
    assert "1/8 of epsilon was spent on the keys" in " ".join(large[1].notes)
    assert "1/8 of epsilon" not in " ".join(small[1].notes)
    answers = ask_all(FRAME, queries, epsilon=2, delta=1e-5, rows=300, group_size=300)
    assert answers[1].notes == large[1].notes
    # A way that errs less is not taken if it shows fewer of these keys.
    many = [COUNT] * 20
    for units in (None, 60):
        plans = plan_all(many, epsilon=3, delta=1e-4, group_size=units)
        apart = plan(
            COUNT, epsilon=Fraction(3, 20), delta=Fraction(1, 200000), rows=1000, group_size=60
        )
        assert units is None or plans[0].release_probability >= min(
            0.999, apart.release_probability or 0
        )
    for units in (0, True, "20"):
        with pytest.raises(ArgumentError, match="group_size"):
            ask_all(FRAME, queries, epsilon=2, delta=1e-5, group_size=units)


def test_a_part_of_the_budget_for_each_key_where_they_compose() -> None:
    design, path = keys_design(Fraction(1), Fraction(1, 10**4), 5, "l1", False)
    assert design.document.problem.failure_curve is None and design.noise.keys_of_a_unit == 5
    assert load(path) == design
    path.write_text("{}", encoding="utf-8")  # somebody wrote over it
    keys_design.cache_clear()
    assert load(keys_design(Fraction(1), Fraction(1, 10**4), 5, "l1", False)[1]) == design
