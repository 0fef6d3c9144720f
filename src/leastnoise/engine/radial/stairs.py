"""Noise for a vector at delta = 0: stairs without an end, and that nothing is better.

Only the first stair is searched for, in floats; what is claimed is checked exactly
(`../../certify/stairs.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize_scalar

from ...ask import Question
from ...certify.stairs import Stairs, stairs_loss
from ...certify.vector_document import VectorDocument
from ...exact import exp_upper
from ..bounds import Bounds, certified, claimed
from ..method import Method
from ..search import Search

#: Binary digits of the ratio and of the first stair.
_RATIO_BITS, _FIRST_BITS = 64, 20
#: Among more stairs than these the first one changes the loss by some 10^-12 of it, at most.
_MANY = 150_000
#: Places of the first stair that are looked at before the best is moved.
_PLACES = 32
#: The grid moves a release by about this share of its expected length.
_GRID_SHARE = 1e-10
#: How far below the loss of the noise a bound is tried, the nearest first.
_SHARES = (1e-11, 1e-10, 1e-9, 1e-8, 1e-6)


def _bounds(question: Question, search: Search) -> Iterator[Bounds]:
    upper = certified(_document(question), "closed form", loss=question.loss, resolution=1)
    yield None, upper
    if upper is not None:
        # What rounding to the grid costs is no part of the bound.
        stairs = upper.vector.stairs
        assert stairs is not None
        asked = question.dimension, stairs, question.loss, question.sensitivity
        plain = float(stairs_loss(*asked, Fraction(0)))
        for share in _SHARES:
            lower = claimed(question, None, plain * (1 - share), 1)
            if lower is not None:
                yield lower, None
                return


def _document(question: Question) -> VectorDocument:
    d, epsilon = question.dimension, question.epsilon
    parts = (1 << _RATIO_BITS) * math.ceil(1 + 1 / epsilon)
    first = min(max(1, round(_best_first(question) * 2**_FIRST_BITS)), 2**_FIRST_BITS)
    length = d / float(epsilon) * float(question.sensitivity)
    return VectorDocument(
        dimension=d,
        epsilon=epsilon,
        delta=question.delta,
        sensitivity=question.sensitivity,
        loss=question.loss,
        grid=Fraction(2) ** math.floor(math.log2(length * _GRID_SHARE / math.sqrt(d))),
        denominator=1,
        radii=(),
        weights=(),
        atom=0,
        upper=Fraction(0),
        lower=Fraction(0),
        certificate=None,
        stairs=Stairs(
            Fraction(first, 2**_FIRST_BITS), Fraction(math.ceil(exp_upper(-epsilon) * parts), parts)
        ),
    )


def _best_first(question: Question) -> float:
    """Where the first stair costs least; anywhere, if that is all the same."""
    if _stairs(question) > _MANY:
        return 1.0
    places = np.arange(1, _PLACES + 1) / _PLACES
    start = min(places.tolist(), key=lambda first: _loss(question, first))
    ends = (max(1e-6, start - 1 / _PLACES), min(1.0, start + 1 / _PLACES))
    found = minimize_scalar(
        lambda first: _loss(question, first), bounds=ends, method="bounded", options={"xatol": 1e-7}
    )
    return float(found.x) if found.fun < _loss(question, start) else start


def _stairs(question: Question) -> int:
    """How many stairs there are before next to nothing is left."""
    d = question.dimension
    return math.ceil((d + 60 + 12 * math.sqrt(d)) / float(question.epsilon)) + 2


def _loss(question: Question, first: float) -> float:
    d, rate = question.dimension, float(question.epsilon)
    j = first + np.arange(_stairs(question))
    logs = d * np.log(j) - rate * j
    weights = np.exp(logs - logs.max())
    costs = question.loss.ball_means(d, j * float(question.sensitivity))
    return float(weights @ costs / weights.sum())


STAIRS = Method(
    "stairs without an end",
    "balls whose radii grow by the sensitivity, the first one where it costs least",
    _bounds,
    seconds=0.1,
    whatever=True,
)
