"""The interface of diffprivlib's mechanisms, without diffprivlib; the rest in `diffprivlib/`."""

from __future__ import annotations

import math
import secrets

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
    SystemRandom = secrets.SystemRandom  # what diffprivlib itself uses without a seed
    OptimalMechanism(epsilon=1, delta=0.1, sensitivity=1, integer=True, random_state=SystemRandom())


def test_wrong_types_are_type_errors_too(mechanism):
    for wrong in (
        {"epsilon": "1"},
        {"epsilon": 1j},
        {"delta": "0"},
        {"sensitivity": "1"},
        {"sensitivity": None},
        {"sensitivity": 1.5, "integer": True},
    ):
        with pytest.raises(TypeError) as caught:
            OptimalMechanism(**{"epsilon": 1, "sensitivity": 1, **wrong})
        assert isinstance(caught.value, ArgumentError)
    for ask in (mechanism.randomise, mechanism.bias, mechanism.variance):
        for value in ("secret", None, 2 + 1j):
            with pytest.raises(TypeError) as caught:
                ask(value)
            assert "secret" not in str(caught.value) and "2" not in str(caught.value)
    whole = OptimalMechanism(epsilon=1, delta=0.1, sensitivity=1, integer=True)
    with pytest.raises(TypeError, match="value must be an integer"):
        whole.randomise(1.5)
    with pytest.raises(ValueError, match="epsilon must be"):
        OptimalMechanism(epsilon=-1, sensitivity=1)


def test_symmetric_noise_has_no_bias(mechanism):
    assert mechanism.bias(3) == 0.0 and isinstance(mechanism.bias(3), float)
    pure = OptimalMechanism(epsilon=1, sensitivity=1)
    assert pure.bias(0) == 0.0
    skew = OptimalMechanism(epsilon=1, delta=0.1, sensitivity=1, integer=True, loss="pinball:0.8")
    assert skew.bias(0) == skew.design.noise.mean != 0
    free = design(epsilon=1, delta=0.2, sensitivity=1, loss="pinball:0.8", gap=0.1)
    assert OptimalMechanism.of(free).bias(0) != 0


def test_only_designs_with_one_budget():
    many = design(epsilon=1, delta=0.01, releases=2, sensitivity=1, integer=True, gap=0.5)
    with pytest.raises(ArgumentError, match="design must be a design with an epsilon"):
        OptimalMechanism.of(many)
