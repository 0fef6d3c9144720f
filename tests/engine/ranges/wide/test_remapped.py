"""Wide ranges: noise moved near the ends, and bounds from copies; curves where they bind."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from leastnoise import design, load
from leastnoise.engine.line.curve.chords import chords_below, points_on
from leastnoise.engine.methods import made
from leastnoise.engine.ranges.wide.boundary_layers import grouped_lower, layered_lower
from leastnoise.engine.ranges.wide.remapped import moved_upper, resolutions
from leastnoise.engine.search import Search
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range

sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks"))


@pytest.fixture(scope="module")
def wide():  # type: ignore[no-untyped-def]
    return design(
        epsilon=1, delta="1e-6", sensitivity=1, bounds=(0, 10_000), gap=0.02, time_limit=200
    )


def test_ten_thousand_sensitivities_close_and_the_file_stays_small(wide) -> None:  # type: ignore[no-untyped-def]
    assert wide.converged and wide.gap <= 0.02 and wide.noise.core == (0, 10_000)
    assert "moved near the ends" in wide.status
    assert wide.verify().proven
    text = wide.document.dumps()
    assert len(text) < 1_000_000 and json.loads(text)["certificate"]["copies"]["shifts"]


def test_moved_answers_stay_inside_and_cost_what_is_said(wide, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    again = load(wide.save(tmp_path / "wide.json"))
    assert again == wide
    drawn = np.array([again.release(0.25) for _ in range(300)])
    assert drawn.min() >= 0 and drawn.max() <= 30
    answers, masses = wide.noise.distribution(0)
    assert masses.sum() == pytest.approx(1)
    assert masses[answers < 0.4].sum() < 1e-5  # moved inwards, but for what delta allows
    middle = wide.noise.expected_loss(5_000.1)
    assert (
        wide.noise.expected_loss(0.7) < 0.9 * middle
    )  # an end is good to be near, and bad to be at
    assert middle == pytest.approx(wide.upper, rel=0.03)


def test_the_bound_of_a_wide_range_is_below_that_of_additive_noise() -> None:
    problem = Problem(
        Fraction(1),
        Fraction(1, 100),
        Fraction(1),
        as_loss("l1"),
        range=Range(Fraction(0), Fraction(60)),
    )
    search = Search(made("range", problem), 1e-3, 60)
    lower = layered_lower(problem, 3, 3.0, search, 60)
    upper = moved_upper(problem, 4, 5.0, search)
    additive = design(epsilon=1, delta="0.01", sensitivity=1, gap=0.005)
    assert lower is not None and upper is not None
    assert lower.value <= upper.value
    assert 0.97 * additive.lower < float(lower.value) < additive.upper
    # Without what the programs at the ends found, less is proven.
    bare = replace(lower.certificate, pairs=()).dual(problem)
    assert bare < lower.value - Fraction(1, 100)


def test_noise_on_many_steps_is_moved_too() -> None:
    problem = Problem(
        Fraction("0.03"),
        Fraction("1e-10"),
        Fraction(1),
        as_loss("l2"),
        range=Range(Fraction(0), Fraction(1500)),
    )
    search = Search(made("range", problem), 0.02, 60)
    upper = moved_upper(problem, 1, 5.0, search)
    lower = grouped_lower(problem, 7, 19.0, search, 20)
    assert upper is not None and lower is not None
    assert len(upper.document.noise.added.weights) > 1_000
    assert lower.value <= upper.value < 1.05 * lower.value
    assert upper.value < 0.95 * 2 / problem.epsilon**2  # what noise costs without ends


def test_noise_that_no_file_lists_is_not_looked_for() -> None:
    def asked(epsilon: str, delta: str, width: str) -> Problem:
        return Problem(
            Fraction(epsilon),
            Fraction(delta),
            Fraction("0.121"),
            as_loss("power:3"),
            range=Range(Fraction(0), Fraction(width)),
        )

    assert not list(resolutions(asked("1", "0", "1.21")))  # it has no end
    assert not list(resolutions(asked("0.03", "3e-5", "0.879")))  # it has 50 thousand steps
    assert list(resolutions(asked("0.03", "3e-5", "1.21")))
    assert list(resolutions(asked("0", "0.05", "0.879")))


@pytest.mark.parametrize("loss", ["l2", "pinball:0.8"])
def test_other_losses_close_too(loss: str) -> None:
    found = design(
        epsilon=1, delta="0.001", sensitivity=1, loss=loss, bounds=(0, 300), gap=0.1, time_limit=200
    )
    assert found.converged and found.verify().proven


def test_a_tiny_delta_does_not_spoil_the_lower_bound() -> None:
    found = design(epsilon=1, delta="1e-6", sensitivity=1, bounds=(0, 4), gap=0.01, time_limit=200)
    assert found.converged and found.lower > 0.618


def test_lines_stand_where_the_curve_binds() -> None:
    mu = Fraction(2)
    plain = [float(e) for e, _ in chords_below(mu, 16).points]
    bent = [float(e) for e, _ in chords_below(mu, 16, binding=[(0.3, 1.0)]).points]
    assert sum(e < 1 for e in bent) > sum(e < 1 for e in plain)
    assert all(a < b for a, b in pairwise(bent))
    assert len(points_on(mu, 16, [(0.3, 1.0)])) == 16


def test_the_benchmark_runs_small() -> None:
    import ranges

    lines = [*ranges.ranges(["l1"], small=True), *ranges.curves(small=True)]
    assert len(lines) == 4
    assert all(line.gap <= line.wanted and line.size < 1_000_000 for line in lines)
