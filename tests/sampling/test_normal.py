"""Rounded normal and discrete Gaussian draws: their laws, and that wrong ones are told apart."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from leastnoise.errors import ArgumentError
from leastnoise.sampling.entropy import Entropy, InsecureSeededEntropy
from leastnoise.sampling.exponential import exp_enclosure
from leastnoise.sampling.normal import GaussianSampler, LaplaceSampler, RoundedNormal, coin

SIZE = 3_000
NORMAL = NormalDist()


def rounded_law(scale: float, k: int) -> float:
    return NormalDist().cdf((k + 0.5) / scale) - NormalDist().cdf((k - 0.5) / scale)


def discrete_law(square: float, k: int) -> float:
    reach = range(-200, 201)
    return math.exp(-k * k / (2 * square)) / sum(math.exp(-j * j / (2 * square)) for j in reach)


def chi_square(drawn: list[int], law) -> float:
    """Pearson's statistic over the cells with five expected draws or more, per cell."""
    seen = np.array(drawn)
    cells = [k for k in range(-60, 61) if law(k) * len(seen) >= 5]
    parts = [(np.sum(seen == k) - len(seen) * law(k)) ** 2 / (len(seen) * law(k)) for k in cells]
    rest = 1 - sum(law(k) for k in cells)
    out = np.sum(~np.isin(seen, cells))
    return (sum(parts) + (out - len(seen) * rest) ** 2 / (len(seen) * rest)) / len(parts)


@pytest.mark.parametrize("scale", ["1/3", "2", "7/2"])
def test_rounded_normal(scale: str) -> None:
    drawn = RoundedNormal(Fraction(scale)).sample(SIZE, InsecureSeededEntropy(7))
    own = float(Fraction(scale))
    assert chi_square(drawn, lambda k: rounded_law(own, k)) < 2.5
    for wrong in (1.3, 0.7):
        assert chi_square(drawn, lambda k, w=wrong: rounded_law(own * w, k)) > 5


@pytest.mark.parametrize("rate", ["1/3", "5/4"])
def test_discrete_laplace(rate: str) -> None:
    drawn = LaplaceSampler(Fraction(rate)).sample(SIZE, InsecureSeededEntropy(6))
    own = math.exp(-Fraction(rate))
    assert chi_square(drawn, lambda k: (1 - own) / (1 + own) * own ** abs(k)) < 2.5
    for wrong in (own**1.3, own**0.7):
        assert chi_square(drawn, lambda k, w=wrong: (1 - w) / (1 + w) * w ** abs(k)) > 5


@pytest.mark.parametrize("square", ["1/3", "4", "50/7"])
def test_discrete_gaussian(square: str) -> None:
    drawn = GaussianSampler(Fraction(square)).sample(SIZE, InsecureSeededEntropy(8))
    own = float(Fraction(square))
    assert chi_square(drawn, lambda k: discrete_law(own, k)) < 2.5
    for wrong in (1.6, 0.6):
        assert chi_square(drawn, lambda k, w=wrong: discrete_law(own * w, k)) > 5


@pytest.mark.parametrize(
    "sampler", [RoundedNormal(Fraction(2**40)), GaussianSampler(Fraction(2**80))], ids=["z", "k"]
)
def test_on_a_fine_grid_it_is_normal(sampler) -> None:
    drawn = np.array(sampler.sample(2_000, InsecureSeededEntropy(9)), dtype=float) / 2.0**40
    levels = np.sort([NormalDist().cdf(x) for x in drawn])
    distance = np.abs(levels - (np.arange(len(levels)) + 0.5) / len(levels)).max()
    assert distance < 1.63 / math.sqrt(len(levels))  # Kolmogorov, one in a hundred


@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0])
def test_rounded_noise_keeps_the_curve_and_discrete_noise_does_not(mu: float) -> None:
    """Why there are two: for whole shifts by 1 on the coarsest grid there is."""
    k = range(-60, 61)
    rounded = [rounded_law(1 / mu, j) for j in k]
    discrete = [discrete_law(1 / mu**2, j) for j in k]
    beyond = 0.0
    for epsilon in (0.0, 0.5 * mu, mu, 2 * mu, 4 * mu):
        e = math.exp(epsilon)
        curve = NORMAL.cdf(mu / 2 - epsilon / mu) - e * NORMAL.cdf(-mu / 2 - epsilon / mu)
        sticks = [
            sum(max(0.0, a - e * b) for a, b in zip(law[1:], law, strict=False))
            for law in (rounded, discrete)
        ]
        assert sticks[0] <= curve + 1e-12
        beyond = max(beyond, sticks[1] - curve)
    assert beyond > 1e-9 or mu < 1  # discrete Gaussian noise of this size is not mu-GDP


@pytest.mark.parametrize("rho", [0.05, 0.5, 3.0])
def test_discrete_gaussian_noise_is_concentrated(rho: float) -> None:
    k = np.arange(-400, 401)
    logs = -rho * k.astype(float) ** 2
    logs -= np.log(np.exp(logs).sum())
    for shift in (1, 2):
        for alpha in (1.01, 2.0, 7.0):
            terms = alpha * logs[shift:] + (1 - alpha) * logs[:-shift]
            peak = terms.max()
            found = (peak + math.log(np.exp(terms - peak).sum())) / (alpha - 1)
            assert found <= alpha * rho * shift**2 + 1e-9


class Stubborn(Entropy):
    """The first bits land where a coin cannot be decided; further bits are fair."""

    def __init__(self, first: int) -> None:
        self.first: int | None = first
        self.more = InsecureSeededEntropy(1)
        self.asked = 0

    def bits(self, count: int) -> int:
        self.asked += 1
        if self.first is not None:
            held, self.first = self.first, None
            return held
        return self.more.bits(count)


def test_a_coin_reads_on_until_it_knows() -> None:
    near, _ = exp_enclosure(Fraction(1), 64)  # the first 64 bits of e^-1: neither yes nor no
    entropy = Stubborn(near)
    coin(Fraction(1), entropy)
    assert entropy.asked > 1
    assert coin(Fraction(0), Stubborn(2**64 - 1)) is True


@pytest.mark.parametrize("made", [RoundedNormal, GaussianSampler, LaplaceSampler])
def test_nothing_of_no_size(made) -> None:
    with pytest.raises(ArgumentError):
        made(Fraction(0))
