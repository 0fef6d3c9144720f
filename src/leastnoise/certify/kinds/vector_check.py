"""The checker of vector mechanisms: every claim of a file of kind "vector".

What is claimed and why the checks prove it: `vector_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ..report import Checks
from .vector import VectorDocument


def worst_stick(document: VectorDocument, epsilon: Fraction) -> tuple[str, Fraction]:
    """Where the largest hockey stick is, and at least its size."""
    return document.noise.worst_stick(document, epsilon)


def moved_by_rounding(document: VectorDocument) -> Fraction:
    """At least how far rounding moves a release: grid * sqrt(dimension) / 2."""
    size = 1 << 64
    return document.grid * Fraction(isqrt(document.dimension * size * size) + 1, 2 * size)


def release_loss(document: VectorDocument) -> Fraction:
    """At least the worst case, over values, of the expected loss of a release on the grid."""
    return document.noise.loss(document, moved_by_rounding(document))


#: Checks every claim of a file of kind "vector".
check_vector = Checks[VectorDocument](
    lambda document: document.noise.total(),
    worst_stick,
    release_loss,
    lambda document: document.certificate.claim(document),
    lambda document: (),
)
