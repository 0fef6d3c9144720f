"""`plan` is what `ask` then does, for every query, grouping, unit and relation."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest

from leastnoise import (
    ArgumentError,
    Count,
    Coverage,
    Cumulative,
    Histogram,
    Ledger,
    Marginals,
    Mean,
    MeanVector,
    Median,
    PrivacyUnit,
    Proportion,
    Quantiles,
    RangeCounts,
    Sum,
    Summary,
    Variance,
    ask,
    ask_all,
    plan,
    plan_all,
)
from leastnoise.tables.planning.division import GRID, smallest_epsilon
from leastnoise.tables.planning.floor import floor_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.unit import Row

ROWS, KEYS = 600, ["a", "b", "c"]
FRAME = pd.DataFrame(
    {
        "x": np.arange(ROWS) * 7 % 601 / 6,
        "y": np.arange(ROWS) * 11 % 601 / 6,
        "g": np.repeat(KEYS, ROWS // 3),
        "h": np.tile(["p", "q", "p", "q", "q", "p"], ROWS // 6),
        "id": np.arange(ROWS) // 2,
    }
)
BOUNDS = {"low": 0, "high": 100}
GROUPS = {
    "all rows": ({}, ROWS),
    "public keys": ({"by": "g", "keys": KEYS}, ROWS // 3),
    "two columns": ({"by": ["g", "h"], "keys": [KEYS, ["p", "q"]]}, ROWS // 6),
    "private keys": ({"by": "g", "keys": "private"}, ROWS // 3),
    "a filter": ({"where": "x >= 0"}, ROWS),
}
QUERIES = {
    "count": Count,
    "count of a column": lambda **by: Count("x", **by),
    "sum": lambda **by: Sum("x", **BOUNDS, **by),
    "mean": lambda **by: Mean("x", **BOUNDS, **by),
    "mean that fills": lambda **by: Mean("x", nulls="middle", **BOUNDS, **by),
    "proportion": lambda **by: Proportion("x > 50", **by),
    "summary": lambda **by: Summary("x", **BOUNDS, **by),
    "coverage": lambda **by: Coverage(Mean("x", **BOUNDS, **by)),
    "variance": lambda **by: Variance("x", **BOUNDS, **by),
    "median": lambda **by: Median("x", **BOUNDS, **by),
    "means": lambda **by: MeanVector(["x", "y"], low=[0, 0], high=[100, 100], **by),
}
TABLES = {
    "histogram": Histogram("x", bins=4, **BOUNDS),
    "cumulative": Cumulative("x", bins=4, **BOUNDS),
    "ranges": RangeCounts("x", bins=3, **BOUNDS),
    "quantiles": Quantiles("x", [0.1, 0.5, 0.9], bins=32, **BOUNDS),
    "marginals": Marginals(["g", "h"], ways=[0, 1, 2], keys=[KEYS, ["p", "q"]]),
}
UNITS = {
    "rows": {},
    "rows that are replaced": {"neighbors": "replace"},
    "people": {"unit": PrivacyUnit("id", max_rows_per_group=2, max_groups=2)},
    "people who are replaced": {
        "unit": PrivacyUnit("id", max_rows_per_group=2, max_groups=2),
        "neighbors": "replace",
    },
}
EVERY = [
    pytest.param(make(**by), rows, id=f"{name}, {group}")
    for name, make in QUERIES.items()
    for group, (by, rows) in GROUPS.items()
] + [pytest.param(query, ROWS // 6, id=name) for name, query in TABLES.items()]
#: At this budget no query of the list is out of reach, and private keys are found.
BUDGET = {"epsilon": F(7, 2), "delta": F(1, 10**4)}


def same(planned, answer):
    """Whether a plan says of an answer what the answer says of itself."""
    assert planned.query == answer.query
    assert (planned.epsilon, planned.delta) == (answer.epsilon, answer.delta)
    assert (planned.noise, planned.why) == (answer.noise, answer.why)
    assert planned.notes == answer.notes


def cases():
    """Every query and grouping for rows; for other units those without many groups."""
    for name, unit in UNITS.items():
        for case in EVERY:
            query, rows = case.values
            few = query.public_keys is None or len(query.public_keys) <= 4
            simple = query.mechanism != "vector" and query.word != "variance"
            if name == "rows" or (few and simple):
                yield pytest.param(query, rows, unit, id=f"{case.id}, {name}")


@pytest.mark.parametrize(("query", "rows", "unit"), cases())
def test_a_plan_says_what_the_answer_says_and_how_wide_it_is(query, rows, unit):
    budget = dict(BUDGET)
    if query.word == "coverage" and unit:  # as rests_on= asks it: noise for many steps takes long
        budget["delta"] = 0
    planned = plan(query, rows=rows, **budget, **unit)
    answer = ask(FRAME, query, **budget, **({"unit": "row"} | unit))
    same(planned, answer)
    estimates, columns = list(answer.groups.values()), query.columns_answered
    if not estimates or any(one.low is None for one in estimates) or query.word == "quantiles":
        return  # (what is planned of quantiles is their ranks)
    widths = [
        query.error_of(dict(zip(columns, estimates[at : at + len(columns)], strict=True)))
        for at in range(0, len(estimates), len(columns))
    ]
    if query.word == "coverage":  # it is about all rows, and about people where they are the unit
        return
    # Groups do not have exactly as many rows as were planned for.
    rel = 0.7 if query.word == "variance" else 0.35  # it depends on the mean that comes out
    close = {"rel": rel, "abs": 1 if query.counts_rows else 0.02}
    assert max(widths) == pytest.approx(planned.error, **close)


@pytest.mark.parametrize(
    ("more", "unit"),
    [
        ({}, "rows"),
        ({}, "people who are replaced"),
        ({"weights": [1, 5, 1]}, "rows that are replaced"),
        ({"weights": [1, 5, 1]}, "people"),
        ({"within": [30, 5, 0.2]}, "rows"),
    ],
    ids=str,
)
def test_several_queries_are_planned_as_they_are_asked(more, unit):
    unit = UNITS[unit]
    queries = [Count(), Mean("x", by="g", keys=KEYS, **BOUNDS), Proportion("x > 50", nulls="no")]
    rows = [ROWS, ROWS // 3, ROWS]
    planned = plan_all(queries, rows=rows, **BUDGET, **unit, **more)
    answers = ask_all(FRAME, queries, rows=rows, **BUDGET, **({"unit": "row"} | unit), **more)
    for one, answer in zip(planned, answers, strict=True):
        same(one, answer)
    assert planned.epsilon == BUDGET["epsilon"] and planned.delta <= BUDGET["delta"]


# -- margins first --------------------------------------------------------------------------------


def test_margins_give_the_smallest_epsilon_and_ask_all_spends_it(tmp_path):
    queries, within = [Count(), Mean("x", **BOUNDS), Count(where="x > 50")], [15, 4, 10]
    found = plan_all(queries, within=within, rows=ROWS, delta="1e-6")
    assert all(one.error <= margin for one, margin in zip(found, within, strict=True))
    less = GRID[GRID.index(found.epsilon) - 1]
    fewer = plan_all(queries, epsilon=less, within=within, rows=ROWS, delta="1e-6")
    assert any(one.error > margin for one, margin in zip(fewer, within, strict=True))
    said = []
    assert plan_all(queries, within=within, rows=ROWS, delta="1e-6", progress=said.append)
    assert any("mean(x) alone at epsilon" in words for words in said)
    assert said[-1] == f"planning all queries at epsilon {float(found.epsilon):g}"
    ledger = Ledger.create(tmp_path / "b.db", epsilon=3, delta="1e-5")
    answers = ask_all(FRAME, queries, within=within, rows=ROWS, delta="1e-6", ledger=ledger)
    assert ledger.balance.spent_epsilon == found.epsilon == answers[0].epsilon
    assert [one.noise for one in answers] == [one.noise for one in found]
    halves = [(one.high - one.low) / 2 for answer in answers for one in answer.groups.values()]
    assert all(h <= 1.1 * t for h, t in zip(halves, within, strict=True))


def test_a_tight_margin_gets_more_of_the_budget_and_weights_move_it():
    queries = [Median("x", **BOUNDS), Count(where="x > 1", by="g", keys=KEYS)]

    def errors(**more):
        return [one.error for one in plan_all(queries, epsilon=1, rows=100, **more)]

    rank, count = errors()
    assert errors(weights=[100, 1])[0] < rank and errors(weights=[1, 100])[1] < count
    wide, tight = errors(within=[400, 2]), errors(within=[40, 20])
    assert wide[1] < tight[1] and wide[0] > tight[0]
    # All meet their margins, or miss them by the same factor.
    assert wide[0] / 400 == pytest.approx(wide[1] / 2, rel=0.5)


def test_the_total_of_tables_is_not_measured_against_one_cell():
    """With the total among the tables a mean beside them had a margin of 1209 instead of 483."""
    keys = [[str(i) for i in range(10)], [str(i) for i in range(10)]]
    mean = Mean("x", low=0, high=150_000)
    errors = []
    for ways in ([2], [0, 1, 2]):
        tables = Marginals(["g", "h"], ways=ways, keys=keys)
        both = plan_all([tables, mean], epsilon=1, rows=[50, 5000])
        errors.append(both[1].error)
        assert both[0].relative < 0.4
    assert errors[1] < 1.5 * errors[0]


def test_rows_are_of_each_query():
    queries = [Mean("x", **BOUNDS), Mean("x", by="g", keys=KEYS, **BOUNDS)]
    few = plan_all(queries, epsilon=1, rows=20)
    each = plan_all(queries, epsilon=1, rows=[600, 20])
    assert each[0].error < few[0].error / 20 and [one.rows for one in each] == [600, 20]


def test_nonsense_is_rejected_before_anything_is_spent(tmp_path):
    queries = [Count(), Mean("x", **BOUNDS)]
    ledger = Ledger.create(tmp_path / "b.db", epsilon=3)
    for wrong, name in (
        ({}, "epsilon"),
        ({"within": [5]}, "within"),
        ({"within": [5, 0]}, "within"),
        ({"within": "55"}, "within"),
        ({"within": [5, 1e-9]}, "within"),
        ({"epsilon": 1, "weights": [1, -1]}, "weights"),
        ({"epsilon": 1, "weights": [1, 1], "within": [5, 5]}, "weights"),
        ({"epsilon": 1, "rows": [5]}, "rows"),
        ({"epsilon": 1, "rows": [5, 0]}, "rows"),
    ):
        for call in (
            lambda given: plan_all(queries, **given),
            lambda given: ask_all(FRAME, queries, unit="row", ledger=ledger, **given),
        ):
            with pytest.raises(ArgumentError) as error:
                call(wrong)
            assert error.value.name == name, wrong
    assert not ledger.history()


def test_the_smallest_epsilon_is_found_in_few_steps():
    for wanted in (0.0011, 0.037, 0.4, 1.0, 7.3, 14.2):
        for power in (0.5, 1.0, 1.7):
            tried = []

            def ratio(epsilon, wanted=wanted, power=power, tried=tried):
                tried.append(epsilon)
                return (wanted / float(epsilon)) ** power

            found = smallest_epsilon(ratio)
            assert found >= wanted * (1 - 1e-9) and ratio(found) <= 1
            assert GRID.index(found) == 0 or ratio(GRID[GRID.index(found) - 1]) > 1
            assert len(tried) <= (7 if power == 1 else 13)
    for whole, most in ((2, 18), (5, 12), (20, 9)):  # the same error for many budgets
        for wanted in (0.0034, 0.12, 0.54, 6.3):
            tried = []

            def steps(epsilon, whole=whole, wanted=wanted, tried=tried):
                tried.append(epsilon)
                return math.ceil(wanted * whole / float(epsilon) - 1e-9) / whole

            found = smallest_epsilon(steps)
            assert len(tried) <= most
            assert found == next(epsilon for epsilon in GRID if steps(epsilon) <= 1)
    assert smallest_epsilon(lambda epsilon: 2.0) is None
    assert smallest_epsilon(lambda epsilon: 0.0) == GRID[0]


# -- what nothing can do --------------------------------------------------------------------------


def best_coverage(epsilon, units, delta):
    """The largest least probability of being right on three tables, by a linear program."""
    from scipy.optimize import linprog

    grown = math.expm1(units * epsilon) / math.expm1(epsilon) * delta
    # p[i][j]: how likely table i has the answer of table j. Maximize t <= p[i][i].
    cost = np.zeros(10)
    cost[9] = -1
    a, b = [], []
    for i in range(3):
        row = np.zeros(10)
        row[9], row[3 * i + i] = 1, -1
        a.append(row)
        b.append(0)
    for i, k in ((0, 1), (1, 0), (1, 2), (2, 1)):
        for some in range(1, 7):
            row = np.zeros(10)
            for j in range(3):
                if some >> j & 1:
                    row[3 * i + j] += 1
                    row[3 * k + j] -= math.exp(units * epsilon)
            a.append(row)
            b.append(grown)
    total = np.zeros((3, 10))
    for i in range(3):
        total[i, 3 * i : 3 * i + 3] = 1
    return -linprog(cost, a, b, total, np.ones(3), bounds=[(0, 1)] * 10).fun


@pytest.mark.parametrize("delta", [0, 1e-6, 1e-3])
@pytest.mark.parametrize("within", [2, 5, 50])
def test_below_the_floor_no_mechanism_keeps_the_margin(within, delta):
    """Not even on three tables, each 2 t + 1 rows from the middle one."""
    floor = float(floor_of(Count(), Setting(Row(), "add-remove"), F(within), F(delta), 10_000))
    assert floor > 0
    assert best_coverage(0.98 * floor, 2 * within + 1, delta) < 0.95
    assert best_coverage(1.01 * floor, 2 * within + 1, delta) > 0.95 - 1e-3  # and it is sharp


def test_tables_of_the_floor_are_as_far_apart_as_is_said():
    """So many units move the answer by more than both margins."""
    setting, rows = Setting(PrivacyUnit("id", 3), "add-remove"), 9_000
    for distance in (F(1, 10), F(3), F(40)):
        units = Mean("x", low=-20, high=80).units_beyond(distance, rows, setting)
        middle = np.repeat([-20.0, 80.0], rows // 2)
        moved = middle[3 * units :]  # units at the lower bound are gone
        assert moved.mean() - middle.mean() > distance
        fewer = middle[3 * (units - 1) :]
        assert fewer.mean() - middle.mean() <= distance
        assert 3 * units * 80 > 0
        units = Sum("x", low=-20, high=80).units_beyond(distance, rows, setting)
        assert 3 * units * 80 > distance >= 3 * (units - 1) * 80
        units = Count().units_beyond(distance, rows, setting)
        assert 3 * units > distance >= 3 * (units - 1)
    units = Proportion("x > 1").units_beyond(F(1, 50), 1000, Setting(Row(), "add-remove"))
    assert 500 / (1000 - units) - 0.5 > 1 / 50 >= 500 / (1001 - units) - 0.5


def test_plans_state_the_floor_and_stay_above_it():
    for query, within in ((Count(), 5), (Mean("x", **BOUNDS), 1), (Sum("x", **BOUNDS), 900)):
        said = []
        found = plan(query, within=within, rows=2000, progress=said.append)
        assert said[-1] == f"planning at epsilon {float(found.epsilon):g}"
        assert 0.2 < float(found.floor / found.epsilon) < 1
        assert "no mechanism reaches this margin" in str(found)
        assert plan(query, epsilon=1, rows=2000).floor == 0
    # Nothing is claimed of quantiles, of replaced rows, of few rows, or of private keys.
    silent = plan(Median("x", **BOUNDS), within=200, rows=2000).floor
    silent += plan(Count(where="x > 1"), within=5, rows=2000, neighbors="replace").floor
    silent += plan(Count(), within=5, rows=10).floor
    keys = Count(by="g", keys="private")
    silent += plan(keys, within=30, rows=2000, delta="1e-6").floor
    assert silent == 0
