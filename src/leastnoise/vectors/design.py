"""Design of vector noise: an upper and a lower bound, each checked exactly before it is returned.

What is claimed, and why: `../certify/vector.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from ..certify.report import PROVEN
from ..certify.vector import check_vector, mixture_of, release_loss
from ..certify.vector_document import (
    MAX_DIMENSION,
    VectorCertificate,
    VectorDocument,
    loss_of_norm,
    parse_vector,
)
from ..errors import ArgumentError, CertificateError, LeastnoiseError
from ..exact import Number, rational, round_up
from ..losses import Loss, as_loss
from ..noise.vector import VectorNoise
from .dual import prove_lower
from .rivals import exponential_loss, gaussian_loss
from .staircase import Shells, Staircase, best_staircase, feasible

#: Weights are multiples of 2^-_WEIGHT_BITS, radii of 10^-_DIGITS sensitivities.
_WEIGHT_BITS = 100
_DIGITS = 12
#: The grid moves a release by about this share of the expected loss.
_GRID_SHARE = 1e-6


class VectorBracket(NamedTuple):
    """Noise, the proven bounds on the least expected loss, and the file that proves them."""

    noise: VectorNoise
    lower: Fraction
    upper: Fraction
    document: dict[str, Any]


def design_vector(
    dimension: int, epsilon: Number, delta: Number, sensitivity: Number = 1,
    loss: str | Loss = "l1", gap: float = 3e-3, time_limit: float = 20.0,
) -> VectorBracket:
    """Noise for a vector whose Euclidean sensitivity is given, with a proven bracket.

    `upper` is at least the expected loss of a release; no private additive noise of any kind has
    an expected loss below `lower`. Every claim has passed the exact checker. The search stops at
    the relative `gap` or at `time_limit` seconds. delta must be positive: at delta = 0 no noise
    of bounded size is private, and the file of this kind holds no other.
    """
    budget = asked(dimension, epsilon, delta, sensitivity, loss)
    start = monotonic()
    deadline = start + time_limit
    stairs = find_upper(budget, start + 0.45 * time_limit)
    document = exact_noise(budget, stairs)
    lower, certificate = prove_lower(
        budget.dimension, budget.epsilon, budget.delta, budget.sensitivity, budget.loss, stairs,
        gap, deadline,
    )
    document = replace(document, lower=min(lower, document.upper), certificate=certificate)
    data = document.to_json()
    document = parse_vector(data)
    report = check_vector(document)
    if any(claim.verdict != PROVEN for claim in report.claims):
        raise CertificateError("a vector design did not pass the exact checker")
    return VectorBracket(VectorNoise(document), document.lower, document.upper, data)


class Budget(NamedTuple):
    """What is asked for, exactly."""

    dimension: int
    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss


def asked(
    dimension: int, epsilon: Number, delta: Number, sensitivity: Number, loss: str | Loss
) -> Budget:
    """The arguments, checked."""
    if isinstance(dimension, bool) or not isinstance(dimension, int):
        raise ArgumentError("dimension", dimension, "a whole number")
    if not 1 <= dimension <= MAX_DIMENSION:
        raise ArgumentError("dimension", dimension, f"from 1 to {MAX_DIMENSION}")
    exact = rational(epsilon, "epsilon")
    if not 0 < exact <= 20:
        raise ArgumentError("epsilon", epsilon, "positive and at most 20 for a vector")
    share = rational(delta, "delta")
    if not 0 < share < 1:
        raise ArgumentError(
            "delta", delta,
            "above 0 and below 1 for a vector: at delta = 0 no bounded noise is private "
            "(exponential noise is the closed form there)",
        )
    size = rational(sensitivity, "sensitivity")
    if size <= 0:
        raise ArgumentError("sensitivity", sensitivity, "positive")
    c = as_loss(loss)
    if not loss_of_norm(c):
        raise ArgumentError("loss", c.name, "l1, l2, power or huber: a loss of the norm")
    return Budget(dimension, exact, share, size, c)


def find_upper(budget: Budget, deadline: float) -> Staircase:
    """The best staircase found."""
    found = best_staircase(
        budget.dimension, float(budget.epsilon), float(budget.delta), budget.loss,
        float(budget.sensitivity), deadline,
    )
    if found is None:
        raise LeastnoiseError("no private staircase was found at this budget")
    return found


def exact_noise(budget: Budget, stairs: Staircase) -> VectorDocument:
    """The staircase as a mixture of balls in exact numbers, widened until it is private."""
    shells = Shells(
        budget.dimension, float(budget.epsilon), budget.loss, float(budget.sensitivity)
    )
    widen = 1e-10
    while widen < 1.0:
        document = _rounded(budget, stairs.edges * (1 + widen))
        worst = mixture_of(document).hockey_stick(budget.epsilon, budget.sensitivity)
        if worst <= budget.delta:
            upper = round_up(release_loss(document), 12)
            return replace(document, upper=upper)
        widen *= 8
        again = feasible(shells, float(budget.delta) * (1 - widen), stairs.edges)
        stairs = again or stairs
    raise CertificateError("the staircase could not be made private in exact numbers")


def _rounded(budget: Budget, edges: np.ndarray[Any, Any]) -> VectorDocument:
    d, unit = budget.dimension, 10**_DIGITS
    steps = sorted({math.ceil(edge * unit) for edge in edges.tolist()})
    radii = [Fraction(step, unit) * budget.sensitivity for step in steps]
    epsilon = float(budget.epsilon)
    # Levels e^(-k eps): a ball's mass is its drop times its volume.
    logs = [d * math.log(step) - epsilon * k for k, step in enumerate(steps)]
    top = max(logs)
    drops = [1 - math.exp(-epsilon)] * (len(steps) - 1) + [1.0]
    shares = [drop * math.exp(log - top) for drop, log in zip(drops, logs, strict=True)]
    total = math.fsum(shares)
    denominator = 1 << _WEIGHT_BITS
    weights = [int(Fraction(share / total) * denominator) for share in shares]
    weights[weights.index(max(weights))] += denominator - sum(weights)
    held = [(radius, weight) for radius, weight in zip(radii, weights, strict=True) if weight]
    mean = float(sum(Fraction(w, denominator) * r for r, w in held))
    exponent = math.floor(math.log2(mean * _GRID_SHARE / math.sqrt(d)))
    return VectorDocument(
        dimension=d, epsilon=budget.epsilon, delta=budget.delta, sensitivity=budget.sensitivity,
        loss=budget.loss, grid=Fraction(2) ** exponent, denominator=denominator,
        radii=tuple(radius for radius, _ in held), weights=tuple(weight for _, weight in held),
        atom=0, upper=Fraction(0), lower=Fraction(0),
        certificate=VectorCertificate(budget.sensitivity, Fraction(1), (), ()),
    )


def best_rival(budget: Budget) -> float:
    """The smaller expected loss of analytic Gaussian and exponential noise."""
    epsilon, delta, size = (
        float(x) for x in (budget.epsilon, budget.delta, budget.sensitivity)
    )
    return min(
        gaussian_loss(budget.dimension, epsilon, delta, size, budget.loss),
        exponential_loss(budget.dimension, epsilon, size, budget.loss),
    )
