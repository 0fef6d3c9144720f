"""Enclosures of caps and overlaps: against quadrature, simulation and each other."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc

from leastnoise.certify.enclosures import (
    arccos_bounds,
    cap_bounds,
    half_power,
    pi_bounds,
    series_constant,
)
from leastnoise.certify.noise.vectors.balls import BallMixture, overlap

BITS = 128
ONE = 1 << BITS


def test_pi_and_arccos():
    lo, hi = pi_bounds(200)
    digits = 31415926535897932384626433832795028841971693993751
    assert lo * 10**49 <= (digits + 1) * 2**200
    assert digits * 2**200 <= hi * 10**49
    assert hi - lo <= 4
    generator = random.Random(1)
    for _ in range(200):
        c = generator.randrange(ONE + 1)
        lo, hi = arccos_bounds(c, BITS)
        assert lo <= hi <= lo + 2000
        assert lo / ONE == pytest.approx(math.acos(c / ONE), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("d", [0, 1, 2, 3, 4, 7, 10, 59, 61, 62, 100, 999, 1000])
def test_caps_agree_with_the_incomplete_beta_function(d):
    generator = random.Random(d)
    for _ in range(20):
        c = generator.randrange(-ONE, ONE)
        lo, hi = cap_bounds(d, c, BITS)
        x = c / ONE
        want = math.acos(x) / math.pi if d == 0 else 0.5 * betainc((d + 1) / 2, 0.5, 1 - x * x)
        if d and x < 0:
            want = 1 - want
        assert 0 <= lo <= hi <= ONE
        assert hi - lo < 2**30
        assert lo / ONE == pytest.approx(want, rel=1e-10, abs=1e-13)


def test_caps_at_the_edges():
    for d in (0, 1, 2, 5, 100):
        assert cap_bounds(d, ONE, BITS) == (0, 0)
        assert cap_bounds(d, -ONE, BITS) == (ONE, ONE)
        lo, hi = cap_bounds(d, 0, BITS)
        assert lo <= ONE // 2 <= hi


def test_finite_sum_and_series_agree():
    """T_d - T_(d+2) = C_d c s^((d+1)/2), across the change of method."""
    for d in (59, 60):
        c = int(0.7 * ONE)
        s = ONE - (c * c >> BITS)
        constant, front = series_constant(d, BITS), half_power((s, s), d + 1, BITS)
        want = [c * constant[k] * front[k] for k in (0, 1)]
        a, b = cap_bounds(d, c, BITS), cap_bounds(d + 2, c, BITS)
        assert a[0] - b[1] <= (want[1] >> 2 * BITS) + 2**20
        assert a[1] - b[0] >= (want[0] >> 2 * BITS) - 2**20


def simulated_overlap(d, shift, small, large, count, generator):
    points = generator.standard_normal((count, d))
    points *= (generator.random(count) ** (1 / d) / np.linalg.norm(points, axis=1))[:, None]
    points *= small
    points[:, 0] -= shift
    return float((np.linalg.norm(points, axis=1) <= large).mean())


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_overlaps_agree_with_simulation(d):
    generator = np.random.default_rng(d)
    for shift, small, large in ((1, 1, 1), ("0.7", 1, "1.3"), (1, "0.5", "1.2"), (1, 2, "2.4")):
        exact = [Fraction(x) for x in (shift, small, large)]
        lo, hi = overlap(d, *exact, BITS)
        assert hi - lo < 2**20
        count = 40_000
        share = simulated_overlap(d, *map(float, exact), count, generator)
        spread = math.sqrt(max(share * (1 - share), 1 / count) / count)
        assert abs(share - lo / ONE) < 5 * spread


def test_overlap_in_a_high_dimension_with_a_tiny_ball():
    """The factor (S/R)^d is 10^1000 here; the result stays a share."""
    lo, hi = overlap(1000, Fraction(1), Fraction(1, 10), Fraction(1), 192)
    assert 0 <= lo <= hi <= 1 << 192
    assert hi - lo < 2**60


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("shift", ["1", "0.6", "0.25"])
def test_hockey_stick_agrees_with_quadrature(d, shift):
    radii = [Fraction(x) for x in ("0.8", "1.7", "2.5")]
    masses = [Fraction(1, 10), Fraction(3, 10), Fraction(11, 20)]
    atom = Fraction(1, 20)
    mixture = BallMixture(d, radii, masses, atom)
    epsilon = Fraction(1, 2)
    value = float(mixture.hockey_stick(epsilon, Fraction(shift)))
    t, factor = float(shift), math.exp(0.5)
    r = np.array([float(x) for x in radii])
    level = np.array([float(m) for m in masses]) / r**d

    def density(x):
        return float(level[x < r].sum())

    def inner(radius):
        """Mean over directions of (f(radius) - e^eps f(|x - te|))_+, times d r^(d-1)."""
        own = density(radius)
        if d == 1:
            parts = [density(abs(radius - t)), density(radius + t)]
            return sum(max(0.0, own - factor * p) for p in parts) / 2
        # Where |x - te| crosses a radius the integrand jumps: integrate between those angles.
        cuts = [-1.0, 1.0, *((radius**2 + t * t - x * x) / (2 * radius * t) for x in r)]
        cuts = sorted({min(1.0, max(-1.0, c)) for c in cuts})
        total = 0.0
        for a, b in pairwise(cuts):
            middle = (a + b) / 2
            other = density(math.sqrt(max(0.0, radius**2 + t * t - 2 * radius * t * middle)))
            share = betainc((d - 1) / 2, (d - 1) / 2, (1 + b) / 2) - betainc(
                (d - 1) / 2, (d - 1) / 2, (1 + a) / 2
            )
            total += share * max(0.0, own - factor * other)
        return total * d * radius ** (d - 1)

    breaks = sorted({*r, *(abs(x - t) for x in r), *(x + t for x in r)})
    edges = [0.0, *(b for b in breaks if 0 < b < r[-1]), r[-1]]
    whole = sum(quad(inner, a, b, limit=100, epsabs=1e-10)[0] for a, b in pairwise(edges) if b > a)
    assert value == pytest.approx(0.05 + whole, abs=2e-8)
    assert value >= 0.05 + whole - 1e-8


def test_the_hockey_stick_rises_with_the_shift():
    mixture = BallMixture(
        4,
        [Fraction(1), Fraction(2), Fraction(7, 2)],
        [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)],
        Fraction(0),
    )
    values = [mixture.hockey_stick(Fraction(1, 3), Fraction(k, 10)) for k in range(1, 11)]
    assert values == sorted(values)
    assert values[0] < values[-1]


@pytest.mark.parametrize("bits", [40, 76])
def test_the_arc_cosine_lies_within_to_the_last_unit(bits: int) -> None:
    for k in range(41):
        c = (k << bits) // 40
        lo, hi = arccos_bounds(c, bits)
        low, high = arccos_bounds(c << 30, bits + 30)
        assert lo << 30 <= low and high <= hi << 30 and hi - lo < 500
