"""Levels against enumeration: privacy over all moves, counts, moments and sums."""

from __future__ import annotations

from fractions import Fraction

import pytest
from joint_brute import CASES, level, moves, window

from leastnoise.certify.noise.shapes.levels import Levels


@pytest.mark.parametrize("levels", CASES, ids=str)
def test_a_move_changes_the_level_by_at_most_one(levels: Levels) -> None:
    steps = list(moves(levels))
    assert len(steps) > 2
    known = {x: level(levels, x) for x in window(levels, 4)}
    worst = 0
    for x in window(levels, 3):
        for move in steps:
            y = tuple(a + b for a, b in zip(x, move, strict=True))
            worst = max(worst, abs(known[x] - known[y]))
    assert worst == 1


@pytest.mark.parametrize("levels", CASES, ids=str)
def test_counts_and_moments(levels: Levels) -> None:
    reach = 5
    known = [(x, level(levels, x)) for x in window(levels, reach)]
    for j in range(reach + 1):
        inside = [x for x, own in known if own <= j]
        assert levels.count(j) == len(inside)
        place = 0
        for b, block in enumerate(levels.blocks):
            for power in (1, 2):
                assert levels.moment(j, b, power) == sum(abs(x[place]) ** power for x in inside)
            place += block.numbers


@pytest.mark.parametrize("levels", CASES, ids=str)
def test_sums_over_all_levels(levels: Levels) -> None:
    # A small ratio: what lies beyond 40 levels is below 1e-25.
    ratio = Fraction(1, 7)
    far = 40
    counts = sum(ratio**j * levels.count(j) for j in range(far))
    assert 0 <= levels.weight(ratio) - counts < Fraction(1, 10**20)
    for b in range(len(levels.blocks)):
        for power in (1, 2):
            moments = sum(ratio**j * levels.moment(j, b, power) for j in range(far))
            assert 0 <= levels.total(ratio, b, power) - moments < Fraction(1, 10**20)
