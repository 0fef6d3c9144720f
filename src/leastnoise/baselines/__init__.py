"""Closed-form mechanisms from the literature, a file for each family: the baselines of a design.

`closed_forms` lists those that serve a budget; each states its guarantee, its moments, its
privacy profile and where it comes from.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..errors import RegimeError
from ..exact import Number
from ..losses import Loss
from .analytic_gaussian import AnalyticGaussian
from .base import Mechanism
from .dependent_baselines import ExponentialMechanism, InverseSensitivity, SmoothSensitivity
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .gaussian import Gaussian
from .gaussian_mixture import GaussianMixture
from .integer import IntegerMechanism
from .inverse import inverse_error
from .laplace import CalibratedLaplace, Laplace
from .lower_bounds import geng_lower_bound, remainder_lower_bound
from .remap import Remapped
from .rounded_tulap import RoundedTulap
from .staircase import AtomStaircase, Staircase
from .truncated_discrete_laplace import TruncatedDiscreteLaplace
from .truncated_laplace import TruncatedLaplace
from .tulap import Tulap
from .uniform import Uniform
from .uniform_atom import UniformAtom

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

REAL: tuple[type[Mechanism], ...] = (
    Laplace,
    CalibratedLaplace,
    Gaussian,
    AnalyticGaussian,
    GaussianMixture,
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


def closed_forms(
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
    searched: bool = False,
) -> list[Mechanism]:
    """Every mechanism here that is private at this budget; some are tuned for the loss.

    With `integer=True` only noise on the integers, which needs an integer sensitivity. With
    `searched=True` also mixtures of Gaussians, whose sigma takes up to a second to find.

    Guarantee: each of them is (epsilon, delta)-DP for the sensitivity.

    Example: what is private at delta = 0.

        >>> [form.label for form in closed_forms(epsilon=1, delta=0, sensitivity=1)]
        ['Laplace noise', 'Laplace noise calibrated to delta', 'staircase noise', 'staircase
        noise with an atom', 'Tulap noise']
    """
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    mechanisms: list[Mechanism] = []
    for kind in WHOLE if integer else REAL:
        if searched or not kind.searched:
            with suppress(RegimeError):
                mechanisms.append(kind.tuned(loss, mechanisms, **budget))
    return mechanisms
