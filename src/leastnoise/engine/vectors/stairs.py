"""Noise for a vector at delta = 0: stairs without an end, and that nothing is better.

Only the first stair is searched for, in floats; what is claimed is checked exactly
(`../../certify/noise/vectors/staircase.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ...certify.base import MechanismFile
from ...certify.kinds.vector import VectorFile
from ...certify.noise.vectors.staircase import NoCurves, Stairs
from ...exact import exp_upper
from ...problem import Problem
from ..bounds import Bounds, certified, claimed
from ..method import Method
from ..search import Search
from .shells import Shells, best_first

#: Binary digits of the ratio and of the first stair.
_RATIO_BITS, _FIRST_BITS = 64, 20


@dataclass(frozen=True)
class EndlessSettings:
    """Numbers of staircases without an end.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: The grid moves a release by about this share of its expected length.
    grid_share: float = 1e-10
    #: How far below the loss of the noise a bound is tried, the nearest first.
    shares: tuple[float, ...] = (1e-11, 1e-10, 1e-9, 1e-8, 1e-6)


SETTINGS = EndlessSettings()


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    upper = certified(_file(problem), "closed form", loss=problem.loss, resolution=1)
    yield None, upper
    if upper is not None:
        # What rounding to the grid costs is no part of the bound.
        stairs = replace(upper.document.noise, grid=Fraction(0))
        plain = float(stairs.expected_loss(problem))
        for share in SETTINGS.shares:
            lower = claimed(problem, NoCurves(), plain * (1 - share), 1)
            if lower is not None:
                yield lower, None
                return


def _file(problem: Problem) -> VectorFile:
    d, epsilon = problem.dimension, problem.epsilon
    shells = Shells(d, float(epsilon), problem.loss, float(problem.sensitivity))
    parts = (1 << _RATIO_BITS) * math.ceil(1 + 1 / epsilon)
    first = min(max(1, round(best_first(shells) * 2**_FIRST_BITS)), 2**_FIRST_BITS)
    length = d / float(epsilon) * float(problem.sensitivity)
    stairs = Stairs(
        Fraction(2) ** math.floor(math.log2(length * SETTINGS.grid_share / math.sqrt(d))),
        Fraction(first, 2**_FIRST_BITS),
        Fraction(math.ceil(exp_upper(-epsilon) * parts), parts),
    )
    return MechanismFile("vector", problem, stairs, Fraction(0), Fraction(0), NoCurves())


STAIRS = Method(
    "stairs without an end",
    "balls whose radii grow by the sensitivity, the first one where it costs least",
    _bounds,
    whatever=True,
)
