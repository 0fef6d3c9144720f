"""Noise that depends on the value is taken where the range is small, and only there."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from leastnoise import Mean, Proportion, ask, design, load, plan
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.planning.noise import noise_for
from leastnoise.tables.planning.part_noise import RangedPartNoise
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.unit import Row

SMALL = pd.DataFrame({"x": [0, 1, 1, 2, 5, 6, 7, 7]})
REPLACE = {"neighbors": "replace"}


def noise(query, size, epsilon):
    setting = Setting(Row(), "replace", size)
    return setting, noise_for(query.forms(setting), epsilon, Fraction(0), 1)


@pytest.mark.parametrize(
    "query", [Proportion("x > 3", nulls="no"), Mean("x", low=0, high=7, nulls="middle")], ids=str
)
def test_a_small_table_gets_it_and_the_answer_says_why(query):
    answer = ask(SMALL, query, epsilon="0.3", **REPLACE)
    assert "data dependent" in answer.noise and "additive noise moved into it has" in answer.noise
    (path,) = answer.mechanisms
    found = load(path)
    assert found.noise.bounds == (0, 8) and found.epsilon == 0.3 and found.certified
    low, high = answer.interval
    assert low <= answer.value <= high
    # Ten times the rows, or a filter, and it is additive noise again.
    assert "data dependent" not in plan(query, epsilon="0.3", rows=80, **REPLACE).noise
    assert "data dependent" not in plan(query, epsilon="0.3", rows=8).noise


@pytest.mark.parametrize(
    "query", [Proportion("x > 3", nulls="no"), Mean("x", low=0, high=8, nulls="middle")], ids=str
)
def test_its_error_is_below_that_of_additive_noise_and_intervals_hold(query):
    setting, found = noise(query, 8, Fraction(3, 10))
    assert isinstance(found.noises[0], RangedPartNoise)
    entropy = InsecureSeededEntropy(2)
    top = 8 if isinstance(query, Proportion) else Fraction(8)
    errors = []
    for part in range(5):
        value = Fraction(part, 4) * top
        drawn = found.release_rows([[value]] * 400, entropy)
        held = np.mean([one[0].ends[0] <= value <= one[0].ends[1] for one in drawn])
        assert held >= 0.92
        errors.append(np.mean([abs(float(one[0].value - value)) for one in drawn]))
    scale = float(found.noises[0].scale)
    assert np.mean(errors) / scale < 2.1  # additive noise moved into the range has about 2
    answer = query.estimate(drawn[0], setting, found)
    assert 0 <= answer.low <= answer.value <= answer.high <= 8


def test_what_is_drawn_keeps_the_claim_and_no_more():
    """The exact laws of neighboring values: the claim is kept, and reached."""
    _, found = noise(Proportion("x > 3", nulls="no"), 8, Fraction(3, 10))
    laws = [
        dict(zip(*found.noises[0].design.noise.exact_distribution(k), strict=True))
        for k in range(9)
    ]
    worst = 0.0
    for one, two in pairwise(laws):
        totals = sum(one.values()), sum(two.values())
        for answer in set(one) | set(two):
            a, b = one.get(answer, 0) / totals[0], two.get(answer, 0) / totals[1]
            worst = max(worst, abs(math.log(a / b)) if a and b else math.inf)
    assert 0.29 < worst <= 0.3 + 1e-9


def test_files_of_middling_ranges_can_be_read_again(tmp_path):
    """The proof's pairs at the two ends of the range must not name the same nodes."""
    best = design(epsilon="0.3", delta="1e-6", sensitivity=1, bounds=(0, 20), time_limit=3)
    assert load(best.save(tmp_path / "m.json")).certified
