"""Real tables that differ by a unit: through the engine, what all numbers do lies in the shape."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import Count, Histogram, Mean, PrivacyUnit, Proportion, Sum, Variance
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.planning.joint_draw import draw_jointly
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import grouped_query
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import GroupSums

KEYS = {"by": "g", "keys": ["a", "b"]}
QUERIES = [
    Count("x", **KEYS),
    Sum("x", low=0.5, high=3.5, step=1, **KEYS),
    Mean("x", low=0, high=3, **KEYS),
    Proportion("x > 1", where="y = 1"),
    Variance("x", low=0, high=3, step=1, **KEYS),
    Histogram("x", bins=[0, 1, 2, 3]),
]
OTHERS = [(1, "a", 0.2, 1), (1, "b", 2.5, 1), (2, "b", None, 0)]
#: Too many rows, none that counts, values beyond the bounds or missing, keys that nobody asked for.
UNITS = [
    [("a", 700.0, 1)] * 5,
    [("a", -50.0, 1), ("b", 700.0, 1), ("b", 1.0, 0), ("b", 0.9, 1)],
    [("z", 1.0, 1), (None, 2.0, 1)],
    [("a", None, 1), ("b", 2.5, 1)],
    [("b", 2.6, 1), ("a", 2.2, 1), ("a", 1.3, 1), ("a", 0.1, 1)],
]


def vectors(noises, setting):
    """The whole vector in steps, of the table without a unit and with each of them."""
    for unit in ([], *UNITS):
        rows = [*OTHERS, *((9, *row) for row in unit)]
        frame = pd.DataFrame(rows, columns=["p", "g", "x", "y"])
        entropy, found = InsecureSeededEntropy(7), []
        with opened(frame.astype({"g": "string", "x": "Float64"})) as table:
            for query, noise in zip(QUERIES, noises, strict=True):
                sums = sums_of(table, query, setting)
                exact = [
                    query.numbers(noise.form, query.exact(sums.get(key, GroupSums()), setting))
                    for key in query.public_keys or [""]
                ]
                found += noise.place.steps_of(exact, entropy)
        yield found


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_no_unit_of_a_real_table_leaves_the_shape(relation):
    setting = Setting(PrivacyUnit("p", max_rows_per_group=2, max_groups=1), relation)
    noises = draw_jointly([grouped_query(query, setting) for query in QUERIES], Fraction(1), "l1")
    shape = noises[0].draw.design.noise.shape
    nobody, *found = vectors(noises, setting)
    replaced = relation == "replace"
    assert shape.one_sided != replaced
    pairs = itertools.combinations(found, 2) if replaced else ((one, nobody) for one in found)
    furthest = [0] * len(shape.blocks)
    for one, other in pairs:
        moves = [a - b for a, b in zip(one, other, strict=True)]
        assert replaced or min(moves) >= 0
        place = 0
        for i, block in enumerate(shape.blocks):
            own = [abs(move) for move in moves[place : place + block.numbers]]
            place += block.numbers
            assert max(own) <= block.width and sum(own) <= block.most * block.width
            furthest[i] = max(furthest[i], sum(own) / (block.most * block.width))
        assert place == len(moves)
    assert min(furthest) >= (0.5 if replaced else 1)  # and it is no larger than it must be
