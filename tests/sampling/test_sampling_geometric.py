"""The geometric sampler: exact coins, exact digits, and the paths that ties take."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import ArgumentError, LeastnoiseError
from leastnoise.sampling import Entropy, GeometricSampler, GridOverflowError, InsecureSeededEntropy
from leastnoise.sampling.geometric import Coin

ratios = st.builds(lambda a, b: Fraction(a, a + b), st.integers(1, 10**40), st.integers(1, 10**40))


class Scripted(Entropy):
    """Hands out the given (bits, value) draws in order."""

    def __init__(self, *draws: tuple[int, int]) -> None:
        self.script = b"".join(value.to_bytes(bits // 8, "little") for bits, value in draws)

    def bytes(self, count: int) -> bytes:
        assert count <= len(self.script), "more entropy used than scripted"
        taken, self.script = self.script[:count], self.script[count:]
        return taken


def probability(ratio: Fraction, doublings: int, odds: bool) -> Fraction:
    x = ratio ** (2**doublings)
    return x / (1 + x) if odds else x


@given(ratios, st.integers(0, 5), st.booleans(), st.integers(0, 200))
def test_enclosures_contain_the_probability_tightly(
    ratio: Fraction, doublings: int, odds: bool, bits: int
) -> None:
    lower, upper = Coin(ratio, doublings, odds=odds).enclosure(bits)
    assert lower <= probability(ratio, doublings, odds) * 2**bits <= upper
    assert upper - lower <= 2


@given(ratios, st.integers(0, 3), st.booleans())
def test_first_bits_are_decided_only_where_they_settle_it(
    ratio: Fraction, doublings: int, odds: bool
) -> None:
    coin = Coin(ratio, doublings, odds=odds)
    p = probability(ratio, doublings, odds)
    assert Fraction(coin._true, 2**16) <= p <= Fraction(coin._false, 2**16)
    assert coin._false - coin._true <= 2


@pytest.mark.parametrize(
    ("ratio", "doublings", "heads"), [(Fraction(3, 4), 0, 49152), (Fraction(1, 2), 3, 256)]
)
def test_all_first_bits_of_a_dyadic_coin(ratio: Fraction, doublings: int, heads: int) -> None:
    coin = Coin(ratio, doublings, odds=False)
    everything = Scripted(*[(16, value) for value in range(2**16)])
    assert int(coin.flip(2**16, everything).sum()) == heads
    assert everything.script == b""
    assert [coin.flip_one(Scripted((16, v))) for v in (0, heads - 1, heads, 65535)] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("last", "outcome"), [(0x5555555555555554, True), (2**63, False)])
def test_ties_read_on_until_they_are_settled(last: int, outcome: bool) -> None:
    # One third is 0.010101..., so bits 0101... agree with it for as long as they last.
    coin = Coin(Fraction(1, 3), 0, odds=False)
    draws = [(16, 0x5555), (64, 0x5555555555555555), (64, last)]
    assert coin.flip_one(Scripted(*draws)) is outcome
    assert coin.flip(1, Scripted(*draws)).tolist() == [outcome]


@pytest.mark.parametrize(("last", "outcome"), [(255, True), (256, False)])
def test_a_long_run_of_zeros_settles_nothing(last: int, outcome: bool) -> None:
    # 1/2 + 2^-200: up to 144 bits the enclosure still touches the drawn bits.
    coin = Coin(Fraction(1, 2) + Fraction(1, 2**200), 0, odds=False)
    draws = [(16, 0x8000), (64, 0), (64, 0), (64, last)]
    assert coin.flip_one(Scripted(*draws)) is outcome


@given(ratios)
def test_the_digits_multiply_to_the_geometric_law(ratio: Fraction) -> None:
    digits = 3
    for k in (0, 1, 5, 7, 8, 21):
        product = Fraction(1)
        for i in range(digits):
            p = probability(ratio, i, True)
            product *= p if k >> i & 1 else 1 - p
        again = probability(ratio, digits, False)
        product *= again ** (k >> digits) * (1 - again)
        assert product == (1 - ratio) * ratio**k


@pytest.mark.parametrize("denominator", [2, 10, 10**6, 2**90])
def test_ratios_close_to_one_take_few_coins(denominator: int) -> None:
    sampler = GeometricSampler(1 - Fraction(1, denominator))
    assert len(sampler._digits) <= denominator.bit_length()
    draws = [sampler.sample_one(InsecureSeededEntropy(seed)) for seed in range(200)]
    # The mean is denominator - 1 and the deviation of this average about 7 % of it.
    assert denominator // 2 <= 1 + sum(draws) / len(draws) <= 2 * denominator


def test_vectorised_draws_refuse_what_does_not_fit() -> None:
    sampler = GeometricSampler(1 - Fraction(1, 2**90))
    with pytest.raises(GridOverflowError, match="so close to 1"):
        sampler.sample(3, Entropy())
    assert issubclass(GridOverflowError, LeastnoiseError)
    assert issubclass(GridOverflowError, OverflowError)


def test_endless_heads_raise_instead_of_wrapping() -> None:
    class Zeros(Entropy):
        def bytes(self, count: int) -> bytes:
            return bytes(count)

    sampler = GeometricSampler(1 - Fraction(1, 2**60))
    with pytest.raises(GridOverflowError, match="exceeds 2\\^62"):
        sampler.sample(2, Zeros())


def test_one_and_many_follow_the_same_script() -> None:
    sampler = GeometricSampler(Fraction(3, 5))  # one digit, then repeats of ratio 9/25
    assert len(sampler._digits) == 1
    draws = [(16, 0), (16, 0), (16, 0), (16, 65535)]
    assert sampler.sample_one(Scripted(*draws)) == 1 + 2 + 2
    assert sampler.sample(1, Scripted(*draws)).tolist() == [5]
    assert sampler.sample(0, Scripted()).dtype == np.int64


@pytest.mark.parametrize("ratio", [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(3, 2)])
def test_refuses_ratios_outside_the_open_interval(ratio: Fraction) -> None:
    with pytest.raises(ArgumentError, match="ratio must be strictly between 0 and 1"):
        GeometricSampler(ratio)
