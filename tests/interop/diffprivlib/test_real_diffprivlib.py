"""Against the real diffprivlib, which needs an environment of its own (scikit-learn below 1.8).

Skipped where diffprivlib is not installed; run by its own make target.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from leastnoise.baselines import AnalyticGaussian, Gaussian, Staircase, TruncatedLaplace
from leastnoise.interop import OptimalMechanism

try:
    from diffprivlib import mechanisms
    from diffprivlib.mechanisms import transforms
    from diffprivlib.mechanisms.base import DPMechanism
    from diffprivlib.utils import check_random_state
except ImportError:
    pytest.skip("diffprivlib is not installed here", allow_module_level=True)

DRAWS = 20_000


def moments(mechanism):
    draws = np.array([mechanism.randomise(0.0) for _ in range(DRAWS)])
    return float(np.abs(draws).mean()), float(draws.std())


@pytest.mark.parametrize(
    ("name", "options", "absolute", "spread"),
    [
        # Measured on the real packages at epsilon = 1, delta = 0.2.
        ("LaplaceBoundedNoise", {"delta": 0.2}, 0.612, 0.760),
        ("GaussianAnalytic", {"delta": 0.2}, 0.667, 0.836),
        ("Laplace", {"delta": 0.2}, 0.818, 1.156),
        ("Staircase", {}, 0.960, 1.386),
        ("Laplace", {}, 1.000, 1.414),
        ("Gaussian", {"delta": 0.2}, 1.529, 1.914),
    ],
)
def test_moments_of_the_peers(name, options, absolute, spread):
    made = getattr(mechanisms, name)(epsilon=1, sensitivity=1, random_state=1, **options)
    first, second = moments(made)
    # Five standard errors of E|X|, and of the standard deviation for a kurtosis up to 6.
    assert first == pytest.approx(absolute, abs=5 * spread / math.sqrt(DRAWS) + 1e-3)
    assert second == pytest.approx(spread, abs=5 * 1.2 * spread / math.sqrt(DRAWS) + 1e-3)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("LaplaceBoundedNoise", TruncatedLaplace(epsilon=1, delta=0.2)),
        ("GaussianAnalytic", AnalyticGaussian(epsilon=1, delta=0.2)),
        ("Gaussian", Gaussian(epsilon=1, delta=0.2)),
        ("Staircase", Staircase(epsilon=1)),
    ],
)
def test_our_closed_forms_are_theirs(name, ours):
    options = {} if name == "Staircase" else {"delta": 0.2}
    made = getattr(mechanisms, name)(epsilon=1, sensitivity=1, random_state=2, **options)
    first, second = moments(made)
    assert first == pytest.approx(ours.expected_loss("l1"), rel=0.04)
    assert second == pytest.approx(ours.std, rel=0.05)


def test_it_is_one_of_theirs():
    best = OptimalMechanism(epsilon=1, delta=0.2, sensitivity=1)
    assert isinstance(best, DPMechanism)
    rounded = transforms.RoundedInteger(best)
    assert isinstance(rounded.randomise(3.2), int) and rounded.copy() is not None
    words = transforms.StringToInt(OptimalMechanism(epsilon=1, sensitivity=1, integer=True))
    assert isinstance(words.randomise("3"), str)
    # What their own code passes on when nobody gave a seed.
    state = check_random_state(None, secure=True)
    OptimalMechanism(epsilon=1, delta=0.2, sensitivity=1, random_state=state)


def test_a_drop_in_for_their_mechanisms():
    best = OptimalMechanism(epsilon=1, delta=0.2, sensitivity=1)
    for needed in ("randomise", "bias", "variance", "mse", "copy"):
        assert callable(getattr(best, needed))
        assert hasattr(DPMechanism, needed)
    theirs = mechanisms.GaussianAnalytic(epsilon=1, delta=0.2, sensitivity=1)

    def noisy_mean(mechanism, data):
        return mechanism.randomise(float(np.mean(data)))

    data = np.linspace(0, 1, 11)
    assert isinstance(noisy_mean(best, data), float)
    assert isinstance(noisy_mean(theirs, data), float)
    assert (best.epsilon, best.delta) == (theirs.epsilon, theirs.delta)
    assert best.variance(0.5) < theirs.variance(0.5)
