"""Exact sampling: probabilities are rationals, randomness is bits of the operating system.

No floating-point number takes part in any draw. Each sampler states its law in its docstring and
proves it in the `.proof.md` file beside it.
"""

from __future__ import annotations

from .discrete import DiscreteSampler
from .entropy import Entropy, InsecureSeededEntropy, system_entropy
from .exponential import ExponentialSampler
from .geometric import GeometricSampler, GridOverflowError
from .grid import GridSampler

__all__ = [
    "DiscreteSampler",
    "Entropy",
    "ExponentialSampler",
    "GeometricSampler",
    "GridOverflowError",
    "GridSampler",
    "InsecureSeededEntropy",
    "system_entropy",
]
