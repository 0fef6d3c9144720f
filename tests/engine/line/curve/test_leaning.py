"""Noise below a curve for losses that lean to one side, and its hockey sticks by runs of cells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from leastnoise import design
from leastnoise.engine.line.curve.below import lean
from leastnoise.engine.line.curve.chords import chords_below
from leastnoise.engine.line.curve.graded import LogDensity, effort, pieces_of, sharpened
from leastnoise.engine.line.lattice.restricted import Restricted, lattice_of
from leastnoise.engine.method import SearchPlan
from leastnoise.engine.search import Search
from leastnoise.losses import L1, Pinball
from leastnoise.problem import Problem
from leastnoise.program.layout import make_line
from leastnoise.work import counted


@pytest.mark.parametrize("mirror", [0, None])
def test_sticks_by_runs_are_those_of_single_cells(mirror):
    line = make_line(96, -240, 240, mirror, (-240, 240), 0.1, False, pieces_of(96, 32, 2))
    x = np.random.default_rng(3).exponential(size=line.columns)
    x /= float(line.masses[0] @ x)
    cells, n = line.spread(x)[0], line.n
    factors = np.exp(np.linspace(0.0, 3.0, 9))
    found = line.hockey_sticks(line.spread(x), factors, line.shifts)
    inner = slice(n, len(cells) - n)
    for factor, row in zip(factors, found, strict=True):
        excess = [cells[inner] - factor * np.roll(cells, m)[inner] for m in line.shifts]
        single = [np.maximum(one, 0.0) @ line.events[inner] for one in excess]
        assert row == pytest.approx(single, rel=1e-12, abs=1e-14)


def test_pieces_widen_more_slowly_with_a_larger_spread():
    for spread in (2, 4):
        pieces = pieces_of(256, 16, spread)
        assert pieces[0] == 0 and pieces[-1] == 255
        widths = np.diff(pieces)
        half = len(widths) // 2
        assert np.all(widths[:half] <= np.clip(pieces[:half] // spread, 1, 16))
    assert len(pieces_of(256, 16, 4)) > len(pieces_of(256, 16, 2))


def test_gaussian_noise_leans_to_the_cheaper_side():
    # P[Z + move > 0] is 1 - 0.9 where a unit above 0 costs nine times one below.
    quantile = 1.2816
    for mu in (0.5, 2.0):
        assert lean(Pinball("0.9"), mu, 1.0) == pytest.approx(-quantile / mu, abs=0.03 / mu)
        assert lean(Pinball("0.1"), mu, 1.0) == pytest.approx(-lean(Pinball("0.9"), mu, 1.0))
        assert lean(L1(), mu, 5.0) == 0.0


def test_noise_that_leans_is_proven_and_beats_gaussian_noise():
    found = design(gdp=3, loss="pinball:0.9", gap=0.3, resolution=8, sensitivity=1)
    assert found.converged and found.verify().proven
    # Gaussian noise, moved to where it costs least, costs phi(quantile)/mu.
    assert found.upper < 0.8 * 0.1755 / 3


def test_a_peak_spreads_the_cell_at_0_without_losing_its_mass():
    wide, narrow = np.arange(-40, 41) / 32, np.arange(-640, 641) / 512
    shape = LogDensity(wide, np.log(np.where(wide == 0, 20.0, 1 / (1 + np.abs(wide)))), 0.5)
    found = shape.peaked(narrow)
    within = np.abs(narrow) < 1 / 64
    assert found[within].sum() / 16 == pytest.approx(found[-1] * 20 * (1 + 1.25), rel=0.05)
    assert found == pytest.approx(found[::-1])
    assert np.all(np.diff(found[640:672]) < 0)  # it falls to both sides


@pytest.mark.parametrize("n, widest", [(64, 2), (256, 32)])  # cell by cell, and by pieces
def test_the_work_of_a_check_is_foreseen(n, widest):
    curve = chords_below(Fraction(3), 9)
    problem = Problem(Fraction(1), Fraction(0), Fraction(1), Pinball(Fraction(4, 5)), gdp=curve.mu)
    mesh = lattice_of(problem, n, 2 * n, curve.points)
    pieces = pieces_of(n, widest)
    restricted = Restricted(problem, curve.points, mesh, 0.0, curve, pieces)
    x = np.exp(-((1.5 * restricted.places) ** 2) / 2)
    loose = tuple((epsilon, Fraction(1)) for epsilon, _ in curve.points)
    with counted() as work:
        assert restricted.exact(x, 1.0, loose) is not None
    assert 0.7 * work.spent < effort(restricted, x) < 1.5 * work.spent


def test_noise_is_found_from_a_shape_next_to_which_there_is_none():
    """Boxes around it that held nothing private gave noise out of them, and all later noise."""
    curve, n = chords_below(Fraction(3), 9), 32
    problem = Problem(Fraction(1), Fraction(0), Fraction(1), Pinball(Fraction(4, 5)), gdp=curve.mu)
    mesh = lattice_of(problem, n, 3 * n, curve.points)
    restricted = Restricted(problem, curve.points, mesh, 1e-6, curve, pieces_of(n, 4))

    def gaussian(mu: float) -> np.ndarray:
        return np.exp(-np.minimum((mu * restricted.places) ** 2 / 2, 26.0))

    shape = LogDensity(restricted.places, np.log(gaussian(3.6)), 0.1)
    upper, _ = sharpened(
        restricted, shape, lambda _: gaussian(2), Search(SearchPlan(problem, ()), 0.05)
    )
    assert upper is not None and upper.value < Fraction(19, 100)
