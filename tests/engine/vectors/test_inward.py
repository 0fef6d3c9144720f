"""Curves from the outside inwards: what they propose is what the checker proves."""

from __future__ import annotations

from leastnoise import design
from leastnoise.engine.vectors.inward import Inward
from leastnoise.engine.vectors.net import Radial
from leastnoise.engine.vectors.shells import Shells, first_staircases
from leastnoise.losses import as_loss


def _radial(d: int, epsilon: float, delta: float) -> Radial:
    shells = Shells(d, epsilon, as_loss("l1"), 1.0)
    stairs = min(first_staircases(shells, delta), key=lambda one: one.loss)
    return Radial(d, epsilon, delta, shells.cost, stairs)


def _inward(radial: Radial) -> Inward:
    return Inward(radial, float(radial.stairs.edges[0]))


def test_along_the_curve_the_dual_function_is_theta() -> None:
    radial = _radial(2, 0.5, 1e-9)
    inward = _inward(radial)
    theta, height = 0.99 * radial.stairs.loss, 1e4
    outer = inward.outer(theta, height)
    assert outer is not None
    assert outer.rho[0] == inward.edge
    coarse = inward.missed(theta, outer, height)
    inward.refine(theta, outer, height)
    finer = inward.outer(theta, height)
    assert finer is not None
    # Between its radii it misses some of theta, and less where they are closer.
    missed = inward.missed(theta, finer, height)
    assert 0 < missed < 0.5 * coarse


def test_a_theta_that_no_noise_can_pay_has_no_curve() -> None:
    radial = _radial(3, 0.5, 1e-9)
    assert _inward(radial).outer(1.05 * radial.stairs.loss, 1e5) is None


def test_at_a_large_delta_the_curve_begins_where_stairs_become_narrow() -> None:
    """The noise that is known ends sooner, and a curve that faded out from there would not fit."""
    radial = _radial(3, 0.298, 0.0401)
    inward = _inward(radial)
    theta, height = 6.36, 42.8  # the price of delta there, and nearly what can be proven with it
    outer = inward.outer(theta, height)
    assert outer is not None
    assert outer.gap[-1] == outer.gap.max()
    assert outer.rho[-1] > 2 * outer.rho[-2] > 2 * outer.rho[-3]
    assert inward.missed(theta, outer, height) < 1e-3 * theta


def test_two_numbers_at_a_large_delta_close() -> None:
    """It was at 2.8 % after 18 s of processor time."""
    best = design(
        dimension=2, epsilon=0.243, delta=0.00765, sensitivity=1, gap=0.005, time_limit=20
    )
    assert best.gap <= 0.005
    assert "curves inwards" in best.status


def test_two_numbers_at_a_tiny_delta_close() -> None:
    """One curve alone leaves 2 % here."""
    best = design(dimension=2, epsilon=0.8, delta=1e-8, sensitivity=1, gap=0.01, time_limit=20)
    assert best.gap <= 0.01
    assert "curves inwards" in best.status
    assert best.verify().proven
