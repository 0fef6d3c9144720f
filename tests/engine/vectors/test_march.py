"""One curve by a march from the centre: what it is, the noise along it, and what it proves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leastnoise import design
from leastnoise.certify import check_any
from leastnoise.certify.report import REFUTED
from leastnoise.engine.vectors.march import March, best_curve
from leastnoise.engine.vectors.shells import Shells, first_staircases
from leastnoise.engine.vectors.stationary import smooth_polish
from leastnoise.losses import as_loss


def _march(d, epsilon, delta):
    shells = Shells(d, epsilon, as_loss("l1"), 1.0)
    stairs = min(first_staircases(shells, delta), key=lambda one: one.loss)
    return March(shells, delta, stairs, lambda: False)


def _lengths(d, r, count=200_000):
    """|r theta - e| for many directions theta."""
    rng = np.random.default_rng(7)
    normal = rng.standard_normal((count, 2))
    rest = rng.chisquare(d - 1, count)
    cosine = normal[:, 0] / np.sqrt(normal[:, 0] ** 2 + rest)
    return np.sqrt(r * r + 1 - 2 * r * cosine)


def test_along_the_curve_nothing_is_left():
    """At its radii c + G is theta, with G by simulation from its definition."""
    march = _march(12, 0.5, 0.05)
    height = 0.5 * march.stairs.loss / march.delta
    theta, sigma = march.largest(height, 0.0, 2 * march.stairs.loss, 1e-5)
    rho = march.radii[: len(sigma)]
    wanted = theta + march.level + march.shells.cost(march.radii)
    checked = 0
    for k in range(5, len(rho), 40):
        lengths = _lengths(12, rho[k])
        row = np.mean(lengths > sigma[k])
        column = np.mean(np.interp(lengths, rho, sigma, right=np.inf) < rho[k])
        if 0 < row < 1:
            found = march.shells.cost(rho[k : k + 1])[0] + height * (row - march.factor * column)
            assert found == pytest.approx(wanted[k], abs=0.01 * height)
            checked += 1
    assert checked > 3


def test_a_theta_that_is_too_large_has_no_curve():
    march = _march(12, 0.5, 0.05)
    height = 0.5 * march.stairs.loss / march.delta
    theta, sigma = march.largest(height, 0.0, 2 * march.stairs.loss, 1e-5)
    assert sigma is not None
    assert march.along(theta * 1.001, height) is None


@pytest.mark.parametrize(
    ("d", "epsilon", "delta"), [(20, 4, 1e-6), (10, 1, 0.2), (40, 5.93, 4.3e-8)]
)
def test_the_noise_along_the_curve_costs_what_it_proves(d, epsilon, delta):
    march = _march(d, epsilon, delta)
    found = best_curve(march.shells, delta, march.stairs, lambda: False)
    assert found.stairs.hockey_stick <= delta
    assert found.curve.bound <= found.stairs.loss <= found.curve.bound * 1.003
    # At fewer radii it proves hardly less.
    assert len(found.thinner[0].rho) < len(found.curve.rho)
    assert found.thinner[0].bound == pytest.approx(found.curve.bound, rel=1e-3)


def test_without_time_there_is_no_curve():
    march = _march(20, 4, 1e-6)
    assert best_curve(march.shells, march.delta, march.stairs, lambda: True) is None


def test_a_small_epsilon():
    """Nets of curves stayed at 3.5 % here for half a minute."""
    found = design(dimension=12, epsilon="0.2", delta="0.07", sensitivity=2, gap=0.01)
    assert found.converged
    assert "bound: one curve" in found.status
    # What is as much as the noise costs is more than the curve proves.
    more = dataclasses.replace(found.document, lower=found.document.upper)
    claims = {claim.name: claim.verdict for claim in check_any(more).claims}
    assert claims["lower"] == REFUTED


def test_a_curve_that_ends_before_the_first_edge_has_no_stairs():
    """In the plane, at a large epsilon and a tiny delta."""
    shells = Shells(2, 6.0, as_loss("l2"), 1.0)
    stairs = min(first_staircases(shells, 1e-12), key=lambda one: one.loss)
    found = best_curve(shells, 1e-12, stairs, lambda: False)
    assert found is None or found.stairs is None


def test_edges_are_not_moved_on_when_it_is_late():
    shells, delta, asked = Shells(40, 0.5, as_loss("l2"), 1.0), 1e-6, []

    def late():
        asked.append(None)
        return len(asked) > 1

    start = min(first_staircases(shells, delta), key=lambda one: one.loss)
    found = smooth_polish(shells, delta, start.edges, late)
    assert len(asked) == 2 and (found is None or found.hockey_stick <= delta)
