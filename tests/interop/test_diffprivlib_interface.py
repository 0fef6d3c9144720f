"""The interface of diffprivlib's mechanisms, without diffprivlib; the rest in `diffprivlib/`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leastnoise import design
from leastnoise.errors import ArgumentError
from leastnoise.interop import OptimalMechanism


@pytest.fixture(scope="module")
def mechanism():
    return OptimalMechanism.of(design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2))


def test_interface(mechanism):
    assert (mechanism.epsilon, mechanism.delta, mechanism.sensitivity) == (1.0, 0.2, 1.0)
    assert mechanism.copy() is mechanism
    assert "epsilon=1" in repr(mechanism)
    assert isinstance(mechanism.randomise(3.5), float)
    assert mechanism.randomise(np.zeros((2, 3))).shape == (2, 3)


def test_moments_of_a_release(mechanism):
    value = 0.3
    errors = np.asarray(mechanism.randomise(np.full(40_000, value))) - value
    spread = math.sqrt(mechanism.variance(value))
    assert errors.mean() == pytest.approx(mechanism.bias(value), abs=5 * spread / 200)
    assert errors.var() == pytest.approx(mechanism.variance(value), rel=0.05)
    assert mechanism.mse(value) == pytest.approx(mechanism.variance(value), rel=1e-9)


def test_constructed_by_parameters_and_integers():
    whole = OptimalMechanism(epsilon=1, delta=0.1, sensitivity=2, integer=True)
    assert isinstance(whole.randomise(4), int)
    assert whole.variance(4) == whole.design.noise.variance


def test_seeds_and_non_numbers_are_refused(mechanism):
    with pytest.raises(ArgumentError, match="random_state must be None"):
        OptimalMechanism(epsilon=1, delta=0.1, sensitivity=1, random_state=42)
    with pytest.raises(ArgumentError, match="value must be finite"):
        mechanism.randomise(math.nan)
    with pytest.raises(ArgumentError, match="value must be"):
        mechanism.variance("seven")
