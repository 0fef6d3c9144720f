"""What else one would add to a vector: closed forms, and noise for each coordinate by itself.

Losses are of the Euclidean norm, in floating point, accurate to rounding where not said otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import betainc, gammainccinv, gammaincinv, gammaln, xlogy

from ..errors import ArgumentError
from ..gaussian import smallest_sigma
from ..losses import Loss
from ..numeric import Floats
from .tulap import Tulap

#: Places of each of three parts of an integral: scales agree with those of 800 to 5e-6.
_NODES = 200


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


def exponential_loss(
    dimension: int, epsilon: float, sensitivity: float, loss: Loss, delta: float = 0.0
) -> float:
    """E c(|X|) of noise with density proportional to exp(-|x| / s), at the least scale s."""
    scale = exponential_scale(dimension, epsilon, delta, sensitivity)
    if math.isinf(scale):
        return math.inf
    return _radial_mean(
        loss,
        lambda p: scale**p * math.exp(math.lgamma(dimension + p) - math.lgamma(dimension)),
        "gamma",
        dimension,
        scale,
    )


def exponential_scale(dimension: int, epsilon: float, delta: float, sensitivity: float) -> float:
    """The least s at which noise of density exp(-|x| / s) is private; infinite if none is.

    At delta = 0 it is sensitivity/epsilon. In many dimensions few outputs have nearly that privacy
    loss, so that a small delta allows far less noise.
    """
    pure = 1 / epsilon if epsilon > 0 else math.inf
    if delta <= 0:
        return sensitivity * pure
    low, high = 0.0, pure
    if math.isinf(high):
        high = 1.0
        while _exponential_delta(dimension, epsilon, high) > delta:
            low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if _exponential_delta(dimension, epsilon, middle) > delta:
            low = middle
        else:
            high = middle
    return sensitivity * high


def _exponential_delta(dimension: int, epsilon: float, scale: float) -> float:
    """The hockey-stick divergence at a shift of length 1.

    The best test asks whether the other center is further away by a = epsilon * scale. At distance
    r from a center that is a cap of the sphere, a beta law of the cosine.
    """
    a, half = epsilon * scale, (dimension - 1) / 2
    ends = scale * gammaincinv(dimension, 1e-25), scale * gammainccinv(dimension, 1e-25)
    kinks = [(1 - a) / 2, (1 + a) / 2]  # where a cap begins, or is all of the sphere
    edges = np.sort(np.clip([*ends, *kinks], *ends))
    nodes, shares = _places()
    r = ((edges[1:] + edges[:-1])[:, None] + (edges[1:] - edges[:-1])[:, None] * nodes) / 2
    density = np.exp(xlogy(dimension - 1, r / scale) - r / scale - gammaln(dimension)) / scale
    density *= (edges[1:] - edges[:-1])[:, None] * shares / 2
    near = (1 - a * a - 2 * r * a) / (2 * r)  # cosines below it, seen from the nearer center
    far = (1 - a * a + 2 * r * a) / (2 * r)  # cosines above it, seen from the other one
    caps = [betainc(half, half, np.clip((1 + x) / 2, 0, 1)) for x in (near, -far)]
    caps[1] = np.where(r > a, caps[1], 0)
    return float((density * caps[0]).sum() - math.exp(epsilon) * (density * caps[1]).sum())


@cache
def _places() -> tuple[Floats, Floats]:
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    return nodes, shares


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
    scale = exponential_scale(dimension, epsilon, delta, sensitivity)
    rows.append(
        VectorBaseline(
            "exponential",
            f"exponential (K-norm) noise{', scaled for delta' if delta > 0 else ''}",
            exponential_loss(dimension, epsilon, sensitivity, loss, delta),
            True,
            scale * float(gammaincinv(dimension, 0.95)) if math.isfinite(scale) else None,
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
    "exponential_scale",
    "gaussian_loss",
    "split_design_baseline",
]
