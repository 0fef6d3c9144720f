"""The discrete sampler's law, exactly: in fractions, and by running through every word."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import ArgumentError
from leastnoise.sampling import DiscreteSampler, Entropy, InsecureSeededEntropy
from leastnoise.sampling.discrete import alias_columns

sizes = st.one_of(
    st.integers(0, 5),
    st.integers(0, 2**64),
    st.integers(0, 2**300),
    st.sampled_from([0, 2**53, 2**80, 2**120, 3**100]),
)
weight_lists = st.lists(sizes, min_size=1, max_size=40).filter(any)


class FixedBelow(Entropy):
    """Every big-integer draw returns the same value; no other entropy may be used."""

    def __init__(self, value: int) -> None:
        self.value = value

    def bytes(self, count: int) -> bytes:
        raise AssertionError("bytes were not expected to be needed")

    def below(self, bound: int) -> int:
        assert self.value < bound
        return self.value


def law(weights: Sequence[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


@given(weight_lists)
def test_the_alias_table_implies_exactly_the_weights(weights: list[int]) -> None:
    columns = alias_columns(weights)
    total = sum(weights)
    implied = [Fraction(0)] * len(columns)
    for own, other, keep in columns:
        assert 0 <= keep <= total
        implied[own] += Fraction(keep, total * len(columns))
        implied[other] += Fraction(total - keep, total * len(columns))
    assert implied[: len(weights)] == law(weights)
    assert not any(implied[len(weights) :])


@given(weight_lists)
def test_the_stored_thresholds_lose_nothing(weights: list[int]) -> None:
    sampler = DiscreteSampler(weights)
    columns = alias_columns(weights)
    low = int(sampler._low_bits)
    for c, (own, other, keep) in enumerate(columns):
        first = int(sampler._thresholds[c]) - (c << low)
        left = sampler._left[c]
        assert 0 <= first < 2**low
        assert 0 <= left < sampler.total
        if own != other:
            assert (first * sampler.total + left) == keep << low


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any), st.integers(4, 8))
def test_all_words_and_all_tie_breaks_give_exactly_the_weights(
    weights: list[int], word_bits: int
) -> None:
    sampler = DiscreteSampler(weights, word_bits=word_bits)
    words = np.arange(2**word_bits, dtype=np.uint64)
    counts = np.zeros(len(weights), dtype=np.int64)
    for value in range(sum(weights)):
        out = np.empty(words.size, dtype=np.int64)
        sampler.decide(words, FixedBelow(value), out)
        counts += np.bincount(out, minlength=len(weights))
    everything = sum(weights) * 2**word_bits
    assert [Fraction(int(count), everything) for count in counts] == law(weights)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any))
def test_one_draw_has_exactly_the_weights(weights: list[int]) -> None:
    sampler = DiscreteSampler(weights)
    draws = [sampler.sample_one(FixedBelow(value)) for value in range(sum(weights))]
    assert [draws.count(j) for j in range(len(weights))] == weights


def test_ties_are_decided_by_the_rest_of_the_threshold() -> None:
    # Two columns of capacity 3: column 0 keeps 2/3, so its first 63 bits leave something over.
    weights = [1, 2]
    sampler = DiscreteSampler(weights)
    column = alias_columns(weights)[0]
    assert column == (0, 1, 2)
    threshold = (2 << 63) // 3
    left = (2 << 63) % 3
    assert left == 1
    words = np.array([threshold - 1, threshold, threshold + 1], dtype=np.uint64)
    out = np.empty(3, dtype=np.int64)
    sampler.decide(words, FixedBelow(left - 1), out)
    assert out.tolist() == [0, 0, 1]
    sampler.decide(words, FixedBelow(left), out)
    assert out.tolist() == [0, 1, 1]


@pytest.mark.parametrize("weights", [[5], [0, 7, 0], [0] * 9 + [2**200]])
def test_a_certain_index_is_always_drawn(weights: list[int]) -> None:
    sampler = DiscreteSampler(weights)
    where = next(j for j, weight in enumerate(weights) if weight)
    source = InsecureSeededEntropy(1)
    assert (sampler.sample(1000, source) == where).all()
    assert sampler.sample_one(source) == where
    extreme = np.array([0, 2**64 - 1, 2**63, 2**63 - 1], dtype=np.uint64)
    out = np.empty(4, dtype=np.int64)
    sampler.decide(extreme, source, out)
    assert (out == where).all()


def test_sizes_across_block_borders() -> None:
    sampler = DiscreteSampler([1, 2, 3])
    source = InsecureSeededEntropy(2)
    for size in (0, 1, 16383, 16384, 16385, 50000):
        draws = sampler.sample(size, source)
        assert draws.shape == (size,)
        assert draws.dtype == np.int64
        assert ((draws >= 0) & (draws < 3)).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([], "len.weights. must be between 1 and"),
        ([0, 0], "weights must be positive somewhere"),
        ([1, -1], r"weights\[1\] must be a non-negative integer, got -1"),
        ([0.5, 0.5], "weights must be integers, not floats"),
    ],
)
def test_refuses_what_is_no_distribution(weights: list[int], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        DiscreteSampler(weights)


def test_refuses_words_too_short_for_the_columns() -> None:
    with pytest.raises(ArgumentError, match="word_bits must be enough for 8 columns"):
        DiscreteSampler([1] * 8, word_bits=3)
    with pytest.raises(ArgumentError, match="size must be a non-negative integer"):
        DiscreteSampler([1]).sample(-1, Entropy())
