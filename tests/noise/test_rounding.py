"""The fast path of a release against exact fractions, bit for bit; and the law of both."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leastnoise.noise.rounding import LARGEST, GridRounder, UniformNumber, exact_value
from leastnoise.sampling import Entropy, InsecureSeededEntropy

LAST = 2**64 - 1
WORDS = st.one_of(st.integers(0, LAST), st.sampled_from([0, 1, 2, LAST, LAST - 1, LAST - 3, 2**63]))
STEPS = st.one_of(
    st.fractions(min_value=Fraction(1, 10**12), max_value=10**6),
    st.sampled_from(
        [
            Fraction(1),
            Fraction(1, 19019),
            Fraction(3, 7),
            Fraction(1, 2**40),
            Fraction(90, 1000001 * 60000),
            Fraction(1, 10**36),
            Fraction(10**30, 7),
        ]
    ),
)
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.7976931348623157e308, 0.1, -0.1]),
)


class Continued(Entropy):
    """The bits that follow: all ones, all zeros, or a stream."""

    def __init__(self, fill: int) -> None:
        self.fill = fill

    def bytes(self, count: int) -> bytes:
        return bytes([self.fill]) * count


def by_definition(number: Fraction, word: int, fill: int) -> int:
    """floor(number + U) for the U of 64 bits `word` followed by 640 bits of `fill`."""
    u = Fraction(word, 2**64)
    if fill:
        u += Fraction(2**640 - 1, 2**704)
    return math.floor(number + u)


@given(FLOATS, STEPS, WORDS, st.sampled_from([0, 255]))
@example(5e-324, Fraction(1, 3), LAST, 255)
@example(-5e-324, Fraction(1, 3), 0, 0)
@example(2.0**52, Fraction(1, 3), LAST, 0)
def test_one_float_is_rounded_as_the_definition_says(value, g, word, fill):
    found, large = GridRounder(g).floors(
        np.array([value]), np.array([word], dtype=np.uint64), Continued(fill)
    )
    exact = UniformNumber(word, Continued(fill)).floor_of(value, g)
    assert large.get(0, int(found[0])) == exact
    number = Fraction(value) / g
    if abs(number) > 2**-600 and number.denominator < 2**600:  # else 704 bits may not decide
        assert exact == by_definition(number, word, fill)


@given(st.integers(-(2**20), 2**20), st.integers(-3, 3), STEPS, st.integers(-2, 2))
def test_ties_and_near_ties(k, ulps, g, off):
    """Values within a few units of a multiple of g, and U within a few units of the turn."""
    value = float(k * g)
    for _ in range(abs(ulps)):
        value = math.nextafter(value, math.copysign(math.inf, ulps))
    number = Fraction(value) / g
    turn = 1 - (number - math.floor(number))
    word = min(max(math.floor(turn * 2**64) + off, 0), LAST)
    for fill in (0, 255):
        found, large = GridRounder(g).floors(
            np.array([value]), np.array([word], dtype=np.uint64), Continued(fill)
        )
        assert large.get(0, int(found[0])) == UniformNumber(word, Continued(fill)).floor_of(
            value, g
        )


@pytest.mark.parametrize("scale", [1e-310, 1e-12, 1e-3, 1.0, 1e5, 1e9, 1e12, 1e30, 1e300])
def test_many_floats_with_the_same_bits(scale):
    rng = np.random.default_rng(7)
    values = rng.normal(size=3000) * scale
    words = rng.integers(0, 2**64, size=3000, dtype=np.uint64)
    for g in (Fraction(1, 19019), Fraction(37, 100 * 2001), Fraction(1)):
        found, large = GridRounder(g).floors(values, words, InsecureSeededEntropy(0))
        for i in range(3000):
            exact = UniformNumber(int(words[i]), InsecureSeededEntropy(0)).floor_of(
                float(values[i]), g
            )
            assert large.get(i, int(found[i])) == exact


def test_the_fast_path_is_taken():
    """Otherwise the comparisons above compare a thing with itself."""
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**64, size=20_000, dtype=np.uint64)
    for scale in (1e-3, 1.0, 1e6):
        _, left = GridRounder(Fraction(1, 19019))._fast(rng.normal(size=20_000) * scale, words)
        assert left.sum() < 20


@given(
    st.one_of(
        st.fractions(),
        st.decimals(allow_nan=False, allow_infinity=False),
        st.integers(-(10**450), 10**450),
    ),
    STEPS,
    WORDS,
)
def test_other_numbers_are_rounded_as_the_definition_says(value, g, word):
    number = min(max(Fraction(value), Fraction(-LARGEST)), Fraction(LARGEST)) / g
    found = UniformNumber(word, InsecureSeededEntropy(3)).floor_of(value, g)
    low, high = (math.floor(number + Fraction(word + one, 2**64)) for one in (0, 1))
    assert low <= found <= high


def test_tiny_decimals_are_not_written_out():
    for text in ("1e-999999999", "-1e-999999999", "1e999999999", "-1e999999999"):
        value = Decimal(text)
        found = UniformNumber(2**63, InsecureSeededEntropy(0)).floor_of(value, Fraction(1))
        assert found == (0 if "e-" in text else LARGEST * (1 if value > 0 else -1))


def test_rounding_up_has_exactly_the_probability_of_the_fraction():
    """A 64-bit word decides but for the one that holds the turn; there the next bits do."""
    g, value = Fraction(1, 3), Fraction(1, 7)  # 3/7 of a step
    turn = math.floor(Fraction(4, 7) * 2**64)
    assert UniformNumber(turn - 1, Continued(255)).floor_of(value, g) == 0
    assert UniformNumber(turn, Continued(0)).floor_of(value, g) == 0
    assert UniformNumber(turn, Continued(255)).floor_of(value, g) == 1
    assert UniformNumber(turn + 1, Continued(0)).floor_of(value, g) == 1


def test_the_same_bits_never_move_neighbors_apart():
    rng = np.random.default_rng(5)
    g = Fraction(37, 100 * 2001)
    reach = 2001  # of 0.37
    values = rng.normal(size=5000) * 10
    words = rng.integers(0, 2**64, size=5000, dtype=np.uint64)
    rounder = GridRounder(g)
    one, _ = rounder.floors(values, words, InsecureSeededEntropy(0))
    for sign in (1, -1):
        exact = [
            UniformNumber(int(word), InsecureSeededEntropy(0)).floor_of(
                Fraction(value) + sign * Fraction(37, 100), g
            )
            for value, word in zip(values.tolist(), words, strict=True)
        ]
        assert set((np.array(exact) - one).tolist()) == {sign * reach}


def test_long_doubles_are_exact():
    long = np.longdouble(1) + np.longdouble(2) ** -60
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("long doubles are doubles here")
    assert exact_value(long) == 1 + Fraction(1, 2**60)
    assert exact_value(np.longdouble("1e4000")) == LARGEST
    assert exact_value(np.float16(0.1)) == Fraction(float(np.float16(0.1)))
