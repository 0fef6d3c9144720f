"""From floats to files: a staircase as a mixture of balls in exact numbers, widened until private.

What is claimed, and why: `../../certify/kinds/vector.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...certify.base import MechanismFile
from ...certify.kinds.vector import VectorCertificate, VectorFile
from ...certify.noise.vectors.shells import BallNoise
from ...errors import CertificateError
from ...exact import whole_part
from ...problem import Problem
from ...work import BUDGET, counted
from ..bounds import Upper, certified
from .shells import RadialStaircase, Shells, feasible

#: Weights are multiples of 2^-_WEIGHT_BITS, radii of 10^-_DIGITS sensitivities.
_WEIGHT_BITS = 100
_DIGITS = 12
#: The grid moves a release by about this share of the expected loss.
_GRID_SHARE = 1e-6


def exact_noise(problem: Problem, stairs: RadialStaircase, origin: str) -> Upper | None:
    """The staircase as a mixture of balls in exact numbers, widened until it is private.

    None if a check of it would take too long.
    """
    shells = Shells(
        problem.dimension, float(problem.epsilon), problem.loss, float(problem.sensitivity)
    )
    widen = 1e-10
    while widen < 1.0:
        noise = _rounded(problem, stairs.edges * (1 + widen))
        document = _file(problem, noise)
        balls = len(noise.radii)
        with counted() as work:
            upper = certified(document, origin, loss=problem.loss, resolution=balls)
        if upper is not None or work.spent > BUDGET:
            return upper
        widen *= 8
        again = feasible(shells, float(problem.delta) * (1 - widen), stairs.edges)
        stairs = again or stairs
    raise CertificateError("the staircase could not be made private in exact numbers")


def _rounded(problem: Problem, edges: np.ndarray[Any, Any]) -> BallNoise:
    d, unit = problem.dimension, 10**_DIGITS
    steps = sorted({math.ceil(edge * unit) for edge in edges.tolist()})
    radii = [Fraction(step, unit) * problem.sensitivity for step in steps]
    epsilon = float(problem.epsilon)
    # Levels e^(-k eps): a ball's mass is its drop times its volume.
    logs = [d * math.log(step) - epsilon * k for k, step in enumerate(steps)]
    top = max(logs)
    drops = [1 - math.exp(-epsilon)] * (len(steps) - 1) + [1.0]
    shares = [drop * math.exp(log - top) for drop, log in zip(drops, logs, strict=True)]
    total = math.fsum(shares)
    denominator = 1 << _WEIGHT_BITS
    weights = [whole_part(share / total, denominator) for share in shares]
    weights[weights.index(max(weights))] += denominator - sum(weights)
    balls = [(radius, weight) for radius, weight in zip(radii, weights, strict=True) if weight]
    return BallNoise(
        _grid(problem, balls, denominator),
        denominator,
        tuple(radius for radius, _ in balls),
        tuple(weight for _, weight in balls),
        atom=0,
    )


def _grid(problem: Problem, balls: Sequence[tuple[Fraction, int]], denominator: int) -> Fraction:
    """A power of two that is fine beside the radii."""
    mean = float(sum(Fraction(w, denominator) * r for r, w in balls))
    share = mean * _GRID_SHARE / math.sqrt(problem.dimension)
    return Fraction(2) ** math.floor(math.log2(share))


def _file(problem: Problem, noise: BallNoise) -> VectorFile:
    nothing = VectorCertificate.nothing(problem.sensitivity)
    return MechanismFile("vector", problem, noise, Fraction(0), Fraction(0), nothing)
