"""What a joint release costs at most, from the exact laws: the claim is kept, and reached.

All units with at most three rows are made, the engine says what each adds to the sums, and for
every pair of them the hockey stick of all released numbers together is computed.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import Count, Mean, PrivacyUnit, Proportion, Sum, Variance
from leastnoise.tables.ask import groups_moved
from leastnoise.tables.planning.noise import noise_for
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

DELTA = Fraction(1, 50)
VALUES = (-50.0, 1.0, 700.0, None)  # below the bounds, inside, above, missing
BOUNDS = {"low": 0, "high": 3, "step": 1, "where": "y = 1"}
QUERIES = [
    Count(where="y = 1"),
    Sum("x", **BOUNDS),
    Mean("x", **BOUNDS),
    Mean("x", nulls="middle", **BOUNDS),
    Mean("x", low=0, high=97, where="y = 1"),  # more steps than are made of it
    Proportion("x > 1", where="y = 1"),
    Variance("x", low=0, high=2, step=1, where="y = 1"),
]
CASES = [(query, Row()) for query in QUERIES] + [
    (query, PrivacyUnit("p", 2)) for query in QUERIES[:-1]
]


@cache
def units_of(most):
    """A table of all units with at most so many rows, and their names."""
    units = [
        rows
        for size in range(1, most + 1)
        for rows in itertools.combinations_with_replacement(VALUES, size)
    ]
    table = pd.DataFrame(
        [(f"{i}", x, 1) for i, rows in enumerate(units) for x in rows], columns=["p", "x", "y"]
    )
    return open_table(table), [f"{i}" for i in range(len(units))]


def all_units(query, setting):
    """The exact parts of every unit that there can be, by the engine itself."""
    table, keys = units_of(1 if setting.unit == Row() else 3)
    # Each unit is a group of its own here, so that one question finds what all of them add.
    asked = replace(query, by="p", keys=keys)
    sums = sums_of(table, asked, setting)
    exact = [query.exact(sums.get(key, GroupSums()), setting) for key in keys]
    return [query.exact(GroupSums(), setting), *exact]


def pieces(law, moved):
    """Masses of the pieces on which the ratio of a law and the law moved by this is constant."""
    noise, shift = law.design.noise, float(moved / law.scale)
    if law.design.integer:
        far = int(noise.error_bound(1 - 1e-13)) + abs(int(shift)) + 2
        at = np.arange(-far, far + 1, dtype=float)
    else:
        ends = [0.0, np.nextafter(0.0, -1.0)]
        edges = np.concatenate([noise._edges, ends])
        at = np.unique(np.concatenate([edges, edges + shift]))
    one, two = np.diff(noise.cdf(at)), np.diff(noise.cdf(at - shift))
    held = (one > 1e-15) | (two > 1e-15)
    return one[held], two[held]


def cost(laws, moved, epsilon):
    """The hockey stick of independent releases that are moved by so much."""
    one, two = np.ones(1), np.ones(1)
    for law, by in zip(laws, moved, strict=True):
        if by:
            a, b = pieces(law, by)
            one, two = np.outer(one, a).ravel(), np.outer(two, b).ravel()
    return float(np.maximum(0, one - math.exp(epsilon) * two).sum())


def worst(query, setting, noise, epsilon):
    """The largest cost over all pairs of units, in one group."""
    numbers = [query.numbers(noise.form, one) for one in all_units(query, setting)]
    others = numbers if setting.replace else numbers[:1]
    moves = {
        tuple(abs(x - y) if len(a) == 1 else x - y for x, y in zip(a, b, strict=True))
        for a in numbers
        for b in others
    }
    # Where every number moves less than in another pair, to the same side, that one costs more.
    largest = [
        m
        for m in moves
        if not any(m != n and all(_beyond(y, x) for x, y in zip(m, n, strict=True)) for n in moves)
    ]
    return max(cost(noise.noises, m, epsilon) for m in largest), largest


def _beyond(y, x):
    return (0 <= x <= y) or (y <= x <= 0)


@pytest.mark.parametrize("epsilon", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(("query", "unit"), CASES, ids=str)
def test_no_pair_of_units_costs_more_than_is_charged(query, unit, relation, epsilon):
    setting = Setting(unit, relation)
    noise = noise_for(query.forms(setting), Fraction(epsilon), DELTA, 1)
    found, _ = worst(query, setting, noise, epsilon)
    assert found <= float(DELTA) * (1 + 1e-9)
    if not isinstance(query, Variance):  # (three numbers that cannot all move to their ends)
        assert found >= 0.9 * float(DELTA)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "query", [Proportion("x > 1", where="y = 1"), Mean("x", **BOUNDS)], ids=str
)
def test_units_in_several_groups_cost_no_more(query, relation):
    """A unit with its worst rows in every group that it can move."""
    setting = Setting(PrivacyUnit("p", 1, max_groups=2), relation)
    grouped = replace(query, by="g", keys=list("abcdefgh"))
    groups = groups_moved(grouped, setting)
    assert groups == (2 if relation == "add-remove" else 4)
    noise = noise_for(query.forms(setting), Fraction(2), DELTA, groups)
    # Every group has its share, for whatever the unit does there; groups compose by adding.
    found, _ = worst(query, setting, noise, 2 / groups)
    assert 0.9 * float(DELTA) / groups <= found <= float(DELTA) / groups * (1 + 1e-9)
