"""What else one would add to a vector: closed forms, and noise for each coordinate by itself.

Losses are of the Euclidean norm, in floating point, accurate to rounding where not said otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import gammaincinv

from ..errors import ArgumentError
from ..losses import Loss
from .analytic_gaussian import smallest_sigma
from .tulap import Tulap


@dataclass(frozen=True)
class VectorBaseline:
    """A baseline and its expected loss; `exact` tells a value from an upper bound on it."""

    name: str
    label: str
    loss: float
    exact: bool = True
    #: The smallest t with P(|X| <= t) >= 95 %, where it has a closed form.
    error_95: float | None = None


def gaussian_loss(
    dimension: int, epsilon: float, delta: float, sensitivity: float, loss: Loss
) -> float:
    """E c(|X|) of analytic Gaussian noise; infinite at delta = 0."""
    if delta <= 0:
        return math.inf
    scale = sensitivity * smallest_sigma(epsilon, delta)
    return _radial_mean(
        loss, lambda p: scale**p * _chi_moment(dimension, p), "chi", dimension, scale
    )


def exponential_loss(dimension: int, epsilon: float, sensitivity: float, loss: Loss) -> float:
    """E c(|X|) of noise with density proportional to exp(-epsilon |x| / sensitivity)."""
    if epsilon <= 0:
        return math.inf
    scale = sensitivity / epsilon
    return _radial_mean(
        loss,
        lambda p: scale**p * math.exp(math.lgamma(dimension + p) - math.lgamma(dimension)),
        "gamma",
        dimension,
        scale,
    )


def baselines(
    dimension: int, epsilon: float, delta: float, sensitivity: float, loss: Loss
) -> list[VectorBaseline]:
    """Every baseline at this budget.

    Noise per coordinate has an exact expected square; for the norm itself the root of the
    expected square is stated, an upper bound.
    """
    rows = []
    if delta > 0:
        rows.append(
            VectorBaseline(
                "gaussian",
                "analytic Gaussian noise",
                gaussian_loss(dimension, epsilon, delta, sensitivity, loss),
                True,
                sensitivity
                * smallest_sigma(epsilon, delta)
                * math.sqrt(2 * gammaincinv(dimension / 2, 0.95)),
            )
        )
    rows.append(
        VectorBaseline(
            "exponential",
            "exponential (K-norm) noise",
            exponential_loss(dimension, epsilon, sensitivity, loss),
            True,
            sensitivity / epsilon * float(gammaincinv(dimension, 0.95)) if epsilon > 0 else None,
        )
    )
    if loss.exponent not in (1, 2):
        return rows
    power, exact = float(loss.exponent) / 2, loss.exponent == 2
    if epsilon > 0:
        # All coordinates together move by at most sqrt(d) * sensitivity in the sum of sizes.
        square = 2 * dimension * (math.sqrt(dimension) * sensitivity / epsilon) ** 2
        rows.append(VectorBaseline("laplace", "Laplace noise per coordinate", square**power, exact))
    share, part = epsilon / dimension, delta / dimension
    if share > 0 or part > 0:
        noise = Tulap(epsilon=share, delta=part, sensitivity=sensitivity)
        rows.append(
            VectorBaseline(
                "tulap",
                "Tulap noise per coordinate, the budget split",
                (dimension * noise.variance) ** power,
                exact,
            )
        )
    return rows


def split_design_baseline(
    dimension: int,
    epsilon: float,
    delta: float,
    sensitivity: float,
    loss: Loss,
    time_limit: float = 20.0,
) -> VectorBaseline:
    """Our own best noise for one number on each coordinate, the budget split evenly."""
    from ..design import design

    if loss.exponent not in (1, 2):
        raise ArgumentError("loss", loss.name, "l1 or l2")
    power, exact = float(loss.exponent) / 2, loss.exponent == 2
    single = design(
        epsilon=epsilon / dimension,
        delta=delta / dimension,
        sensitivity=sensitivity,
        loss="l2",
        time_limit=time_limit,
    )
    return VectorBaseline(
        "split",
        "leastnoise per coordinate, the budget split",
        (dimension * float(single.upper)) ** power,
        exact,
    )


def _chi_moment(d: int, p: float) -> float:
    return math.exp(p / 2 * math.log(2) + math.lgamma((d + p) / 2) - math.lgamma(d / 2))


def _radial_mean(
    loss: Loss, moment: Callable[[float], float], name: str, dimension: int, scale: float
) -> float:
    """name: the law of the norm, as scipy.stats calls it."""
    if loss.exponent is not None:
        return float(moment(float(loss.exponent)))
    from scipy import stats  # (slow to import)
    from scipy.integrate import quad

    law = getattr(stats, name)(dimension, scale=scale)
    low, high = law.ppf(1e-15), law.isf(1e-15)
    points = [x for x in map(float, loss.kinks) if low < x < high]
    value, _ = quad(
        lambda r: float(loss(r)) * float(law.pdf(r)),
        low,
        high,
        points=points or None,
        limit=200,
        epsabs=0,
        epsrel=1e-10,
    )
    return float(value)


__all__ = [
    "VectorBaseline",
    "baselines",
    "exponential_loss",
    "gaussian_loss",
    "split_design_baseline",
]
