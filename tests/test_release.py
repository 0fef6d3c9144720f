"""Releases: exact arithmetic, one grid for all values, refusal before any randomness."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import ArgumentError, design
from leastnoise.noise import release_many
from leastnoise.sampling import Entropy, InsecureSeededEntropy


class NoEntropy(Entropy):
    """Fails the test if anything is drawn."""

    def bytes(self, count: int) -> bytes:
        raise AssertionError("randomness was drawn")


@pytest.fixture(scope="module")
def found():
    return design(epsilon=1, delta=0.2, gap=1e-2)


@pytest.mark.parametrize("value", [
    float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("1e999"), True, "12", None,
    1e300, 10**40, 1j,
])
def test_refused_before_any_randomness(found, value):
    with pytest.raises(ArgumentError, match="value must be"):
        found.release(value, entropy=NoEntropy())
    with pytest.raises(ArgumentError, match="value must be"):
        found.release([1.0, value], entropy=NoEntropy())


def test_integer_designs_take_whole_values_only():
    found = design(epsilon=1, delta=0.2, integer=True)
    with pytest.raises(ArgumentError, match="whole"):
        found.release(0.5, entropy=NoEntropy())
    assert isinstance(found.release(3), int) and isinstance(found.release(np.int64(3)), int)


@pytest.mark.parametrize("value", [3, 0.1, -2.5, Fraction(1, 3), Decimal("1.1"), np.float64(0.3),
                                   np.int32(4), 10**9])
def test_every_release_lies_on_one_grid(found, value):
    g = found.noise.grid_step
    for _ in range(5):
        exact = found.release(value, exact=True)
        assert (exact / g).denominator == 1
        assert isinstance(found.release(value), float)


def test_huge_values_are_released_exactly(found):
    exact = found.release(10**40, exact=True)
    assert abs(exact - 10**40) < 10


def test_arrays_keep_their_shape(found):
    assert found.release(np.zeros((2, 3))).shape == (2, 3)
    assert len(found.release([1, 2.0, Fraction(1, 3)])) == 3
    assert found.release(np.zeros(2), exact=True).dtype == object


def test_rounding_is_unbiased_and_at_random(found):
    """value = 1/3 of a grid step: rounded up in a third of all releases."""
    g = found.noise.grid_step
    values = [Fraction(1, 3) * g] * 30_000
    entropy, other = InsecureSeededEntropy(1), InsecureSeededEntropy(1)
    noise = found.noise.grid_sample(len(values), other)
    released = release_many(found.noise, values, exact=True, entropy=entropy)
    up = np.array([int(r / g) for r in released]) - noise
    assert set(up.tolist()) == {0, 1}
    assert abs(up.mean() - 1 / 3) < 0.015


def test_low_bits_do_not_depend_on_the_value():
    """A small case, enumerated: neighbours share every float both can produce."""
    found = design(epsilon=1, delta=0.3, resolution=2, gap=0.5)
    g, document = found.noise.grid_step, found.document
    reach = range((document.first - 1) * document.grid, -(document.first - 1) * document.grid)
    for one, two in [(0.1, 0.7), (1 / 3, 1.0), (-0.25, 0.75)]:
        outputs = []
        for value in (one, two):
            base = Fraction(value) / g // 1
            multiples = [int(base) + up + k for up in (0, 1) for k in reach]
            outputs.append({float(m * g): m for m in multiples})
        shared = set(outputs[0]) & set(outputs[1])
        common = set(outputs[0].values()) & set(outputs[1].values())
        assert len(shared) == len(common)  # same multiple, same float; nothing else in common
        assert all(outputs[0][x] == outputs[1][x] for x in shared)
