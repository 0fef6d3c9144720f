"""Exact release of vectors: its law, its grid, its errors, and an audit that can fail."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, kstest
from vector_files import noise_of

from leastnoise.certify.noise.vectors.balls import BallMixture
from leastnoise.errors import ArgumentError
from leastnoise.noise.vector import release_row
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.sampling.ball import BallPoint, Words, draw_disc

GOOD = (5, "1", "0.2")


def ball_points(d, count, seed):
    words = Words(InsecureSeededEntropy(seed), 4096)
    found = []
    for _ in range(count):
        point = BallPoint(d, words)
        enclosed = point.enclosures(60)
        while enclosed is None:
            point.refine(words)
            enclosed = point.enclosures(60)
        found.append([(a + b) / 2**61 for a, b in enclosed])
    return np.array(found)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7])
def test_points_are_uniform_in_the_ball(d):
    count = 6_000
    points = ball_points(d, count, d)
    radius = np.linalg.norm(points, axis=1)
    assert radius.max() < 1
    assert kstest(radius**d, "uniform").pvalue > 1e-4
    for k in {0, d // 2, d - 1}:
        spread = 1 / math.sqrt(count)
        assert abs(points[:, k].mean() * math.sqrt(d + 2)) < 5 * spread
        assert abs((points[:, k] ** 2).mean() * (d + 2) - 1) < 5 * 2 * spread
    if d > 1:
        products = points[:, 0] * points[:, -1] * (d + 2)
        assert abs(products.mean()) < 5 * products.std() / math.sqrt(count)
        # Direction and radius are independent.
        share = (points[:, 0] / radius) ** 2
        assert abs(np.corrcoef(share, radius)[0, 1]) < 5 / math.sqrt(count)


def test_refining_stays_inside():
    words = Words(InsecureSeededEntropy(5), 1000)
    for d in (1, 2, 5, 6):
        point = BallPoint(d, words)
        before = point.enclosures(120)
        assert before is not None
        point.refine(words)
        after = point.enclosures(120)
        assert after is not None
        for (a, b), (c, e) in zip(before, after, strict=True):
            assert a - 1 <= c <= e <= b + 1
            assert e - c < max(2, (b - a) // 2**20)


class Scripted(InsecureSeededEntropy):
    """Words that begin with a script."""

    def __init__(self, first):
        super().__init__(1)
        self.first = list(first)

    def words(self, count):
        if self.first:
            taken, self.first = self.first, []
            return np.array(taken[::-1], dtype=np.uint64)
        return super().words(count)


def test_a_point_on_the_circle_draws_more_digits():
    """(u, v) near (0.6, 0.8): 64 digits cannot say on which side of the circle it lies."""
    a = ((1 << 64) * 8) // 10
    b = ((1 << 64) * 9) // 10
    found = draw_disc(Words(Scripted([a, b, 0, 0]), 8))
    assert found[2] == 128  # inside: 0.8 and 0.9 have further digits, these are zeros
    assert found[0] >> 64 == a
    found = draw_disc(Words(Scripted([a, b, (1 << 64) - 1, (1 << 64) - 1]), 8))
    assert found[0] >> 64 != a  # outside: refused


def test_a_tie_at_a_rounding_boundary_draws_more_digits():
    class Counting(InsecureSeededEntropy):
        calls = 0

        def words(self, count):
            Counting.calls += 1
            return super().words(count)

    words = Words(Counting(3), 64)
    # A grid far finer than 64 digits tell apart.
    row = release_row([Fraction(0)] * 2, Fraction(1 << 90), Fraction(1), words)
    assert any(k % (1 << 20) for k in row)


def test_releases_lie_on_the_grid_and_never_fail():
    noise = noise_of(*GOOD)
    g = noise.grid_step
    entropy = InsecureSeededEntropy(1)
    rows = [[0, 1e308, -1e308, 5e-324, 0.1], [Fraction(1, 3), 7, -2.5, 1e-300, 1e16]]
    released = noise.release_rows(rows, exact=True, entropy=entropy)
    assert all((x / g).denominator == 1 for row in released for x in row)
    floats = noise.release_rows([[1.7976931348623157e308] * 5], entropy=entropy)
    assert np.isfinite(floats).all()
    assert noise.release([1, 2, 3, 4, 5], entropy=entropy).shape == (5,)
    assert noise.release_rows([], entropy=entropy).shape == (0, 5)
    assert noise.release_rows(np.ones((3, 5)), entropy=entropy).shape == (3, 5)


@pytest.mark.parametrize(
    "row",
    [
        [1, 2],
        [1, 2, 3, 4, math.nan],
        [1, 2, 3, 4, math.inf],
        [1, 2, 3, 4, "7.25"],
        3.0,
        [1, 2, 3, 4, True],
        [[[1] * 5] * 5] * 5,
    ],
)
def test_bad_rows(row):
    noise = noise_of(*GOOD)
    with pytest.raises(ArgumentError) as caught:
        noise.release(row)
    assert "7.25" not in str(caught.value)
    with pytest.raises(ArgumentError):
        noise.release_rows([[1, 2, 3, 4, 5], row])


def test_speed():
    """A thousand vectors of dimension 10 in a second; generous for a busy machine."""
    noise = noise_of(10, "1", "0.2")
    rows = np.ones((1000, 10))
    noise.release_rows(rows[:10])
    start = time.process_time()
    noise.release_rows(rows)
    assert time.process_time() - start < 1.0


def audited_delta(released, other, epsilon, radii):
    """A lower confidence bound on delta from the event that the first law is denser."""
    best = 0.0

    centre = np.zeros(released.shape[1])
    centre[0] = 1.0
    for gap in (0, 1):

        def chosen(points, gap=gap):
            near = np.searchsorted(radii, np.linalg.norm(points, axis=1))
            far = np.searchsorted(radii, np.linalg.norm(points - centre, axis=1))
            return far > near + gap

        first, second, n = int(chosen(released).sum()), int(chosen(other).sum()), len(released)
        low = binomtest(first, n).proportion_ci(0.999).low
        high = binomtest(second, n).proportion_ci(0.999).high
        best = max(best, low - math.exp(epsilon) * high)
    return best


@pytest.mark.parametrize("d", [2, 5])
def test_audit_of_releases(d):
    """The claim survives; noise of 0.8 of the size does not."""
    noise = noise_of(d, "1", "0.2")
    count = 5_000
    zero, one = np.zeros((count, d)), np.zeros((count, d))
    one[:, 0] = 1.0
    released = noise.release_rows(zero, entropy=InsecureSeededEntropy(11))
    other = noise.release_rows(one, entropy=InsecureSeededEntropy(12))
    assert audited_delta(released, other, 1.0, noise.radii) <= 0.2
    shrunk = audited_delta(0.8 * released, 0.8 * (other - one) + one, 1.0, 0.8 * noise.radii)
    assert shrunk > 0.2


@pytest.mark.parametrize("shift", [1.0, 0.5, 0.2])
@pytest.mark.parametrize("d", [2, 5])
def test_privacy_by_simulation_on_other_shifts(d, shift):
    """Mean of (1 - e^eps f(|x - te|)/f(|x|))_+ over the noise: at most delta, as enclosed."""
    noise = noise_of(d, "1", "0.2")
    draws = noise.simulate(200_000, seed=4)
    moved = draws.copy()
    moved[:, 0] -= shift
    own = noise.density(np.linalg.norm(draws, axis=1))
    other = noise.density(np.linalg.norm(moved, axis=1))
    parts = np.maximum(0, 1 - math.e * other / own)
    document = noise.document
    masses = [Fraction(w, document.noise.denominator) for w in document.noise.weights]
    exact = BallMixture(d, document.noise.radii, masses, Fraction(0)).hockey_stick(
        Fraction(1), Fraction(str(shift))
    )
    spread = parts.std() / math.sqrt(len(parts))
    assert abs(parts.mean() - float(exact)) < 5 * spread + 1e-9
    assert exact <= document.delta
