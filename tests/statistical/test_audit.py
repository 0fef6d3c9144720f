"""A black-box audit: outputs of neighboring values, counted, against the claimed budget.

On `size` releases of each of two neighbors, the event "the output lies where the first value is
likelier by more than e^eps" is chosen on one half and counted on the other. By Hoeffding each
frequency is within t = sqrt(ln(2/failure) / size) of its probability except with probability
`failure`, so a lower confidence bound above delta is a violation found.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import design
from leastnoise.noise import AdditiveNoise
from leastnoise.sampling import InsecureSeededEntropy, system_entropy

FAILURE = 1e-9


def released(noise, value, size, entropy, scale=1.0):
    g = noise.grid_step
    scaled = Fraction(value) / g
    base, share = int(scaled // 1), float(scaled - scaled // 1)
    up = (entropy.words(size) >> np.uint64(11)).astype(np.float64) / 2**53 < share
    return (base + up + scale * noise.grid_sample(size, entropy)) * float(g)


def violation(noise: AdditiveNoise, epsilon, one, two, size, entropy, scale=1.0):
    """Lower confidence bound on P(A | one) - e^eps P(A | two) for an event A found in the data."""
    a = released(noise, one, 2 * size, entropy, scale)
    b = released(noise, two, 2 * size, entropy, scale)
    edges = np.linspace(min(a.min(), b.min()), max(a.max(), b.max()), 121)
    find_a, find_b = (np.histogram(x[:size], edges)[0] for x in (a, b))
    event = find_a > math.exp(epsilon) * find_b
    test_a, test_b = (np.histogram(x[size:], edges)[0] for x in (a, b))
    spread = math.sqrt(math.log(2 / FAILURE) / (2 * size))
    return (test_a[event].sum() - math.exp(epsilon) * test_b[event].sum()) / size - (
        1 + math.exp(epsilon)
    ) * spread


@pytest.fixture(scope="module")
def found():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("value", [0.0, 0.123456789, 1e6 + 1 / 3])
def test_audit_finds_no_violation_and_would_find_one(found, value, sign):
    entropy, size = InsecureSeededEntropy(11), 200_000
    args = (found.noise, 1.0, value, value + sign * 1.0, size, entropy)
    assert violation(*args) <= 0.2
    assert violation(*args, scale=0.8) > 0.2


@pytest.mark.slow
def test_audit_with_system_entropy_and_more_samples():
    found = design(epsilon=0.5, delta=0.05, sensitivity=1)
    size = 10_000_000
    args = (found.noise, 0.5, 0.3, 1.3, size, system_entropy())
    assert violation(*args) <= 0.05
    assert violation(*args, scale=0.8) > 0.05
