"""Algorithm 2 against brute force over every event, and the shifts it names."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.paper.hierarchy.partition import Partition
from leastnoise.paper.hierarchy.shortfall import (
    base_cells,
    densities,
    named_shifts,
    overlap,
    shares,
    worst_event,
)


@st.composite
def instances(draw, padded):
    """A partition of at most 13 intervals I_i, weights, a largest shift and e^epsilon."""
    half = draw(st.integers(1, 6))
    inner = draw(st.sets(st.integers(1 - half, half)))
    reach = draw(st.integers(1, 2 * half))
    partition = Partition((-half, *sorted(inner), half + 1), Fraction(1), reach if padded else 0)
    raw = draw(st.lists(st.integers(0, 9), min_size=partition.count, max_size=partition.count))
    weights = np.array(raw, dtype=float) + (0 if sum(raw) else 1)
    growth = draw(st.sampled_from([1.0, 1.25, 2.0, 8.0]))
    return partition, weights / weights.sum(), reach, growth


def per_base_cell(partition, weights):
    """The density on each I_i, as a dictionary: no merging, no searching."""
    found = {}
    for j, (a, b) in enumerate(zip(partition.edges[:-1], partition.edges[1:], strict=True)):
        for i in range(a, b):
            found[i] = weights[j] / (b - a)
    return found


def brute_force(partition, weights, shift, growth):
    """The largest shortfall over all 2^(2L+1) events, each evaluated."""
    density = per_base_cell(partition, weights)
    window = range(-partition.L, partition.L + 1)
    gains = np.array([density.get(i, 0) - growth * density.get(i - shift, 0) for i in window])
    events = (np.arange(2 ** len(gains))[:, None] >> np.arange(len(gains))) & 1
    return float((events @ gains).max())


@pytest.mark.parametrize("padded", [False, True])
def test_algorithm_2_equals_brute_force_over_all_events_and_shifts(padded):
    @given(instances(padded))
    def check(instance):
        partition, weights, reach, growth = instance
        density = densities(weights, partition)

        def worst(shift):
            return worst_event(overlap(partition, shift), density, density, growth)[0]

        brute = {s: brute_force(partition, weights, s, growth) for s in range(-reach, reach + 1)}
        for shift, value in brute.items():
            assert worst(shift) == pytest.approx(value, abs=1e-12)
        named = max(worst(shift) for shift in named_shifts(partition, reach))
        assert named == pytest.approx(max(brute.values()), abs=1e-12)

    check()


@given(instances(True))
def test_the_row_of_an_event_is_its_shortfall(instance):
    partition, weights, reach, growth = instance
    density = densities(weights, partition)
    merge = overlap(partition, reach)
    value, chosen = worst_event(merge, density, density, growth)
    inside, moved = shares(merge, chosen, partition)
    assert float((inside - growth * moved) @ weights) == pytest.approx(value, abs=1e-12)
    assert len(base_cells(merge, chosen)) == 2 * partition.L + 1


def test_the_shifts_as_printed_miss_the_maximum():
    """The paper takes differences of pi_1..pi_N; here the maximum needs pi_{N+1} = 4."""
    partition = Partition((-3, -1, 1, 4), Fraction(1))
    weights = np.array([2, 0, 5]) / 7
    density = densities(weights, partition)

    def worst(shift):
        return worst_event(overlap(partition, shift), density, density, np.exp(5))[0]

    printed = {a - b for a in (-3, -1, 1) for b in (-3, -1, 1)} | {-5, 5}
    assert max(worst(shift) for shift in printed) == pytest.approx(16 / 21)
    assert -3 in named_shifts(partition, 5)
    assert worst(-3) == pytest.approx(6 / 7)


def test_uniform_cells_name_every_shift_but_0():
    assert named_shifts(Partition.uniform(4, Fraction(1)), 3) == [-3, -2, -1, 1, 2, 3]
