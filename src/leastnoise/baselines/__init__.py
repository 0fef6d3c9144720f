"""Closed-form mechanisms from the literature, a file for each family: the baselines of a design.

`closed_forms` lists those that serve a budget; each states its guarantee, its moments, its
privacy profile and where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from ..errors import RegimeError
from ..exact import Number
from ..losses import Loss
from .base import Mechanism
from .dependent_baselines import ExponentialMechanism, InverseSensitivity, SmoothSensitivity
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace, TruncatedDiscreteLaplace
from .gaussian import AnalyticGaussian, Gaussian
from .gaussian_mixture import GaussianMixture
from .integer import IntegerMechanism
from .inverse import inverse_error
from .laplace import CalibratedLaplace, Laplace, TruncatedLaplace
from .lower_bounds import geng_lower_bound, remainder_lower_bound
from .remap import Remapped
from .staircase import AtomStaircase, Staircase
from .tulap import RoundedTulap, Tulap
from .uniform import Uniform, UniformAtom

__all__ = [
    "AnalyticGaussian",
    "AtomStaircase",
    "CalibratedLaplace",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "GaussianMixture",
    "IntegerMechanism",
    "InverseSensitivity",
    "Laplace",
    "Mechanism",
    "Remapped",
    "RoundedTulap",
    "SmoothSensitivity",
    "Staircase",
    "TruncatedDiscreteLaplace",
    "TruncatedLaplace",
    "Tulap",
    "Uniform",
    "UniformAtom",
    "closed_forms",
    "geng_lower_bound",
    "inverse_error",
    "remainder_lower_bound",
]

#: Closed forms of real noise, and of noise on the integers.
REAL: tuple[type[Mechanism], ...] = (
    Laplace,
    CalibratedLaplace,
    Gaussian,
    AnalyticGaussian,
    TruncatedLaplace,
    Staircase,
    AtomStaircase,
    Tulap,
    Uniform,
    UniformAtom,
)

WHOLE: tuple[type[Mechanism], ...] = (
    DiscreteLaplace,
    TruncatedDiscreteLaplace,
    DiscreteGaussian,
    RoundedTulap,
)

#: All of real noise, also what takes up to a second to find.
ALL_REAL: tuple[type[Mechanism], ...] = (*REAL, GaussianMixture)


def closed_forms(
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
) -> list[Mechanism]:
    """Every closed form here that is private at this budget; some are tuned for the loss.

    With `integer=True` only noise on the integers, which needs an integer sensitivity.

    Guarantee: each of them is (epsilon, delta)-DP for the sensitivity.

    Example: what is private at delta = 0.

        >>> [form.label for form in closed_forms(epsilon=1, delta=0, sensitivity=1)]
        ['Laplace noise', 'Laplace noise calibrated to delta', 'staircase noise', 'staircase
        noise with an atom', 'Tulap noise']
    """
    return tuned(WHOLE if integer else REAL, loss, epsilon, delta, sensitivity)


def tuned(
    kinds: Iterable[type[Mechanism]],
    loss: str | Loss,
    epsilon: Number,
    delta: Number,
    sensitivity: Number,
) -> list[Mechanism]:
    """One mechanism of each kind that serves a budget, tuned for the loss."""
    mechanisms = []
    for kind in kinds:
        with suppress(RegimeError):
            budget = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
            mechanisms.append(kind.tuned(loss, **budget))
    return mechanisms
