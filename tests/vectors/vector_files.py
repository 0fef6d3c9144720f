"""Vector designs that the tests share, made once."""

from __future__ import annotations

import copy
from functools import cache
from time import monotonic
from typing import Any

from leastnoise.noise.vector import VectorNoise
from leastnoise.vectors import VectorBracket, design_vector
from leastnoise.vectors.design import asked, exact_noise, find_upper


@cache
def made(dimension: int, epsilon: str, delta: str, loss: str = "l1") -> VectorBracket:
    """A design of modest effort."""
    return design_vector(dimension, epsilon, delta, loss=loss, gap=0.05, time_limit=60)


@cache
def noise_of(dimension: int, epsilon: str, delta: str) -> VectorNoise:
    """Private noise without a lower bound."""
    budget = asked(dimension, epsilon, delta, 1, "l1")
    return VectorNoise(exact_noise(budget, find_upper(budget, monotonic() + 10)))


def file(*question: Any) -> dict[str, Any]:
    """A copy of its file, to be changed."""
    return copy.deepcopy(made(*question).document)
