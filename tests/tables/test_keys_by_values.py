"""Sums and means with private keys: exact laws of neighbors, thresholds, draws, and the choice."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import product

import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask,
    ask_all,
    plan,
)
from leastnoise.exact import exp_bounds
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.tables.ask import prepare
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.keys_by_values import coarser, keyed_values, sharing_of
from leastnoise.tables.planning.private_keys import Priced, sharing_for, way_of
from leastnoise.tables.planning.tails import cells_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

KEYS = {"by": "g", "keys": "private"}
TOTAL = Sum("x", low=0, high=10, **KEYS)
MEAN = Mean("x", low=0, high=10, **KEYS)
ROW = Setting(Row(), "add-remove")


def priced(query, setting=ROW, loss="l1", group_size=None) -> Priced:
    return Priced(query, setting, F(1), F(1, 10**5), 1, loss, group_size)


def masses(law) -> dict[int, int]:
    noise = law.design.document.noise
    assert law.design.integer and noise.tail is None and noise.edges is None
    return {noise.first + i: w for i, w in enumerate(noise.weights) if w}


def row(values, numbers, units) -> dict:
    """The exact law of a key: {output: weight}, None if it is not shown."""
    assert all(n == int(n) for n in numbers)
    if units == 0:
        whole = 1
        for law in values.noises:
            whole *= sum(masses(law).values())
        return {None: whole}
    found: dict = {}
    for draws in product(*(masses(law).items() for law in values.noises)):
        out = tuple(int(n) + k for n, (k, _) in zip(numbers, draws, strict=True))
        weight = 1
        for _, w in draws:
            weight *= w
        key = out if sum(out) > values.threshold else None
        found[key] = found.get(key, 0) + weight
    return found


def stick(p: dict, q: dict, a: F) -> F:
    """The hockey stick of two laws at ln a, exactly."""
    total = sum(p.values())
    over = sum(max(0, a.denominator * w - a.numerator * q.get(v, 0)) for v, w in p.items())
    return F(over, a.denominator * total)


@pytest.mark.parametrize(
    ("query", "unit", "parts"),
    [
        (Proportion("x > 3", **KEYS), Row(), [(0, 1), (1, 0)]),
        (Sum("x", low=-1, high=1, step=1, **KEYS), Row(), [(0, 2), (1, 1), (2, 0)]),
        (Count(**KEYS), PrivacyUnit("p", 2, 1), [(1, 1), (2, 0)]),
    ],
    ids=["share", "total", "rows of persons"],
)
@pytest.mark.parametrize("groups", [1, 2])
def test_every_pair_of_neighbors_keeps_its_share(query, unit, parts, groups) -> None:
    """All laws enumerated in whole numbers: a unit more, a unit less, a unit replaced."""
    epsilon, delta = F(3, 2) * groups, F(1, 20)
    values = keyed_values(sharing_of(query, Setting(unit, "replace")), epsilon, delta, groups, "l1")
    once, twice = (exp_bounds(k * epsilon / groups)[0] for k in (1, 2))
    one = {part: row(values, part, 1) for part in parts}
    nobody = row(values, (0, 0), 0)
    worst = F(0)
    for law in one.values():  # a key that appears, and one that vanishes
        worst = max(worst, stick(law, nobody, F(1)), stick(nobody, law, F(1)))
        assert 1 - F(law[None], sum(law.values())) <= values.failure
    assert 0 < worst <= delta / groups
    most = int(values.threshold / values.sharing.least) + 3
    for units in range(1, most, 2):
        start = tuple(units * part for part in parts[0])
        here = row(values, start, units)
        moved = {
            part: row(values, [n + k for n, k in zip(start, part, strict=True)], units + 1)
            for part in parts
        }
        for law in moved.values():
            worst = max(worst, stick(law, here, once), stick(here, law, once))
        for law, other in product(moved.values(), repeat=2):
            assert stick(law, other, twice) <= 2 * delta / groups
    assert delta / groups / 2 < worst <= delta / groups


@pytest.mark.parametrize(("low", "high"), [(0.5, 3.5), (-3.5, -0.5), (-0.5, 1.5), (0.25, 1.25)])
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_whole_noise_is_for_numbers_that_are_whole(low, high, rows) -> None:
    """The ends of four rows may be whole where those of one are not: a unit of one row adds halves,
    whose rounding costs a step more (1.5 times delta, at two rows from 0.5 to 1.5).
    """
    query = Sum("x", low=low, high=high, step=1, **KEYS)
    sharing = sharing_of(query, Setting(PrivacyUnit("p", rows, 1), "add-remove"))
    values = keyed_values(sharing, F(1), F(1, 100), 1, "l1")
    for c in range(1, rows + 1):
        for steps in range(query.scale.top * c + 1):
            one = sharing.numbers(GroupSums(rows=c, values=steps, units=1))
            assert all(n == int(n) for n in one) or not values.noises[0].design.integer
            assert min(one) >= 0 and sharing.least <= sum(one) <= sharing.most
            taken = [math.ceil(n / part.measure) for n, part in zip(one, values.parts, strict=True)]
            assert sum(taken) <= values.form.steps and max(taken) <= values.form.most


def test_the_threshold_is_the_least_of_its_kind() -> None:
    sharing = sharing_of(Proportion("x > 3", **KEYS), ROW)
    values = keyed_values(sharing, F(1), F(1, 10**5), 1, "l1")
    first, second = (masses(law) for law in values.noises)
    total = sum(first.values()) * sum(second.values())

    def above(level: F) -> F:
        pairs = product(first.items(), second.items())
        return F(sum(v * w for (i, v), (j, w) in pairs if 1 + i + j > level), total)

    assert above(values.threshold) <= F(1, 10**5) < above(values.threshold - 1)
    for units in (1, 5, 14, 20):
        exact = above(values.threshold - units + 1)
        assert values.release_probability(units) == pytest.approx(float(exact), rel=1e-12)


def test_noise_without_an_end_has_a_threshold_too() -> None:
    """A delta that is of no use to the noise: two geometric variables, summed in closed form."""
    delta = F(1, 10**25)
    values = keyed_values(sharing_of(Proportion("x > 3", **KEYS), ROW), F(1), delta, 1, "l1")
    assert values.noises[0].design.document.noise.tail is not None
    a = math.exp(-1)

    def above(t: int) -> float:  # P(X1 + X2 > t), t >= 0
        each = (1 - a) / (1 + a)
        return sum(each**2 * a**s * (s + 1 + 2 * a**2 / (1 - a**2)) for s in range(t + 1, t + 400))

    level = int(values.threshold) - 1
    assert above(level) <= float(delta) * (1 + 1e-9) and above(level - 1) > float(delta)


def test_tails_that_fall_slowly_are_listed_many_copies_at_a_time() -> None:
    """Noise that hardly falls: the threshold in closed form, and no million cells."""
    epsilon, delta = F(1, 10**5), F(1, 10**9)
    values = keyed_values(sharing_of(Proportion("x > 3", **KEYS), ROW), epsilon, delta, 1, "l1")
    law = values.noises[0]
    assert law.design.integer and law.design.document.noise.tail is not None
    assert len(cells_of(law).masses) <= 2000 and sum(cells_of(law).masses) <= 1
    rate = float(epsilon)

    def above(t: float) -> float:  # two variables of Laplace, in parts of their scale
        return (2 + t) * math.exp(-t) / 4

    level = rate * float(values.threshold - 1)
    assert 0.8e-9 < above(level) < 1e-9 * (1 + 4 * rate)


def test_few_steps_where_epsilon_is_small() -> None:
    form = sharing_of(TOTAL, ROW).form
    few = coarser(form, 4)
    assert (form.steps, form.most, few.steps, few.most) == (33, 32, 5, 4)
    assert all(part.measure * 4 == part.sensitivity for part in few.parts)
    for first in (F(0), F(1, 3), F(25, 10), F(10)):
        steps = [math.ceil(x / few.parts[0].measure) for x in (first, 10 - first)]
        assert sum(steps) <= few.steps and max(steps) <= few.most
    assert coarser(few, 32) is few


def test_the_figures_of_a_sum_and_a_mean() -> None:
    """Half from 13.8 units and the error of public keys at (1, 1e-5): the theory's numbers."""
    for query in (TOTAL, MEAN):
        values = keyed_values(sharing_of(query, ROW), F(1), F(1, 10**5), 1, "l1")
        assert float(values.threshold / values.sharing.most) == pytest.approx(13.8, abs=0.15)
        assert values.noises[0].size / float(values.sharing.most) < 1.04
        assert values.group_size_for(0.95) == 18 and values.release_probability(
            18
        ) >= 0.95 > values.release_probability(17)
    both = values_of(Sum("x", low=-10, high=10, **KEYS))
    assert float(both.error) < 45  # 1.5 times that of one side on average, not twice
    assert float(values_of(TOTAL).error) == pytest.approx(31, abs=1)


def values_of(query, setting=ROW, epsilon=1, delta=F(1, 10**5)):
    return keyed_values(sharing_of(query, setting), F(epsilon), F(delta), 1, "l1")


def test_draws_follow_the_law() -> None:
    values, entropy = values_of(TOTAL), InsecureSeededEntropy(3)
    unit = TOTAL.scale.top // 2
    tables = {
        f"{i:05}": GroupSums(rows=n, values=n * unit, units=n) for i, n in enumerate([15] * 1500)
    }
    found = values.release(tables, entropy)
    assert len(found) / 1500 == pytest.approx(values.release_probability(15), abs=0.05)
    assert list(found) == sorted(found)
    wrong = sum(not one.ends[0] <= 75 <= one.ends[1] for (one,) in found.values())
    assert wrong / 1500 <= 0.07
    nobody = {"a": GroupSums(), "b": GroupSums(rows=900, values=900 * unit, units=900)}
    assert list(values.release(nobody, entropy)) == ["b"]
    assert values.release({"a": GroupSums()}, entropy) == {}


FRAME = pd.DataFrame(
    [
        ("a", 1, 7.0), ("a", 2, 3.0), ("a", 2, None), ("a", 3, 12.0), ("a ", 7, 1.0),
        ("A", 1, 9.5), ("b", 4, -3.0), ("b", 4, 8.0), ("b", 4, 8.0), (None, 5, 2.0),
        ("c", None, 2.0), ("d", 6, None), ("a", 5, 2.5), ("", 6, 1.0),
    ],
    columns=["g", "p", "x"],
).astype({"p": "Int64"})  # fmt: skip


@pytest.mark.parametrize(
    "unit", ["row", PrivacyUnit("p", max_rows_per_group=2, max_groups=2)], ids=str
)
def test_a_unit_moves_no_more_than_is_claimed(unit) -> None:
    """Real tables, each without one unit: keys by space and case apart, none for NULL."""
    setting = Setting(Row() if unit == "row" else unit, "add-remove")
    queries = [TOTAL, Sum("x", low=-2, high=9, **KEYS), MEAN]
    queries += [Proportion("x > 3", **KEYS), Count(**KEYS)]
    sharings = [sharing_for(priced(query, setting)) for query in queries]

    def numbers(frame: pd.DataFrame) -> list[dict]:
        with opened(frame) as table:
            return [numbers_of(table, *both) for both in zip(queries, sharings, strict=True)]

    def numbers_of(table, query, sharing) -> dict:
        found = sums_of(table, query, setting)
        for one in found.values():
            told, exact = sharing.numbers(one), query.exact(one, setting)
            if sharing.answer is None:
                assert told == query.numbers(sharing.form, exact)
            else:
                pairs = zip(sharing.answer, told, strict=True)
                assert [sum(w * x for w, x in pairs)] == exact
        return {k: sharing.numbers(s) for k, s in found.items() if s.units}

    every = numbers(FRAME)
    assert all({"a", "a ", "A", "b"} <= set(whole) and None not in whole for whole in every)
    names = (0, 4, 6, 9, 11) if unit == "row" else sorted(set(FRAME["p"].dropna()))
    for name in names:
        left = FRAME.drop(index=name) if unit == "row" else FRAME[FRAME["p"].ne(name).fillna(True)]
        for whole, less, sharing in zip(every, numbers(left), sharings, strict=True):
            moved = [key for key in whole if whole[key] != less.get(key)]
            assert set(less) <= set(whole) and len(moved) <= (1 if unit == "row" else 2)
            for key in moved:
                before = less.get(key, [F(0)] * len(whole[key]))
                parts = [x - y for x, y in zip(whole[key], before, strict=True)]
                assert min(parts) >= 0 and sharing.least <= sum(parts) <= sharing.most


def test_a_unit_that_moves_leaves_one_key_and_comes_to_another() -> None:
    """Replaced rows: to another key, to none, to the same key with another value."""
    query, setting = Sum("x", low=-2, high=9, **KEYS), Setting(Row(), "replace")
    sharing = sharing_for(priced(query, setting))

    def numbers(frame: pd.DataFrame) -> dict:
        with opened(frame) as table:
            return {k: sharing.numbers(s) for k, s in sums_of(table, query, setting).items()}

    whole = numbers(FRAME)
    for key, value in (("b", 5.0), ("new", -9.0), (None, 1.0), ("a", 9.0), ("a ", None)):
        moved = numbers(FRAME.assign(g=[key, *FRAME["g"][1:]], x=[value, *FRAME["x"][1:]]))
        none = [F(0)] * 2
        parts = [
            [abs(x - y) for x, y in zip(whole.get(k, none), moved.get(k, none), strict=True)]
            for k in {*whole, *moved}
        ]
        changed = [part for part in parts if any(part)]
        assert 1 <= len(changed) <= 2 and all(max(part) <= sharing.most for part in changed)
        assert sum(map(sum, changed)) <= 2 * sharing.most


def test_what_tables_answer() -> None:
    frame = pd.DataFrame({"g": ["big"] * 300 + ["one"], "x": [4.0] * 301})
    for query, truth in ((TOTAL, 1200), (MEAN, 4), (Proportion("x > 3", **KEYS), 1)):
        answer = ask(frame, query, epsilon=1, delta=1e-5, entropy=InsecureSeededEntropy(5))
        assert set(answer.value) == {"big"}
        low, high = answer.interval["big"]
        assert low <= truth <= high and "spend nothing of epsilon" in " ".join(answer.notes)
        assert "a key of one unit with probability at most 1e-05" in answer.noise
    assert ask(frame.iloc[:0], TOTAL, epsilon=1, delta=1e-5).value == {}


def test_a_delta_too_small_to_show_any_key_is_refused_in_words() -> None:
    """It ended in an ArithmeticError, before the charge."""
    with pytest.raises(ArgumentError, match="delta must be larger"):
        ask(pd.DataFrame({"g": ["a"], "x": [4.0]}), MEAN, epsilon=1, delta="1e-300")


def test_what_cannot_tell_finds_its_keys_first() -> None:
    """With all of delta, and with as little of epsilon as a guess allows."""
    for query in (Median("x", low=0, high=10, **KEYS), Variance("x", low=0, high=10, **KEYS)):
        way = way_of(priced(query))
        assert (way.epsilon, way.delta) == (F(1, 2), 1)
        assert way_of(priced(query, group_size=400)).epsilon == F(1, 8)
        assert way_of(priced(query, group_size=20)).epsilon == F(1, 2)
    # Sums on both sides of 0 would turn a loss that is not even.
    sided = Sum("x", low=-5, high=0, **KEYS)
    assert way_of(priced(sided, loss="pinball:0.9")).apart
    assert not way_of(priced(sided)).apart


def test_a_plan_says_what_ask_does() -> None:
    found = plan(TOTAL, epsilon=1, delta=1e-5, rows=40, group_size=20)
    assert "a key of 20 units is released with 99." in str(found)
    assert found.keys_from == 18 and found.group_size == 20
    rank = plan(
        Median("x", low=0, high=10, **KEYS), epsilon=1, delta=1e-5, rows=400, group_size=400
    )
    half = plan(Median("x", low=0, high=10, **KEYS), epsilon=1, delta=1e-5, rows=400)
    assert rank.error < 0.6 * half.error and rank.release_probability > 0.999
    persons = plan(MEAN, epsilon=1, delta=1e-5, rows=90, unit=PrivacyUnit("p", 3, 1), group_size=30)
    assert "chosen: keys before" in " ".join(persons.notes) and persons.release_probability > 0.9


def test_replaced_units_keep_two_shares_in_a_workload() -> None:
    setting = Setting(Row(), "replace")
    frame = pd.DataFrame({"g": ["a"] * 60, "x": [4.0] * 60})
    with opened(frame) as table:
        budget = QueryBudget(F(1), F(1, 10**5))
        ready = prepare(table, TOTAL, setting, budget, "l1", None, lambda _: None)
    kind = ready.kind(QueryBudget(F(2), F(1, 10**5)), F(1, 10**6))
    assert (kind.releases, kind.delta) == (1, F(1, 10**6)) and ready.groups == 2
    answers = ask_all(
        frame, [Proportion("x > 3", **KEYS)] * 9, epsilon=3, delta=1e-4, neighbors="replace"
    )
    assert all(set(one.value) <= {"a"} for one in answers)
