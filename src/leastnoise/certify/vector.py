"""The checker of vector mechanisms: every claim of a file of kind "vector".

What is claimed and why the checks prove it: `vector.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ..exact import exp_upper, nearest_float
from ..losses import Loss
from ..work import add_up, arithmetic, bits, charge
from .balls import BallMixture
from .report import NOT_CHECKED, PROVEN, REFUTED, Checks, Claim
from .stairs import listed, nothing_below, stairs_loss
from .vector_document import VectorDocument
from .vector_lower import vector_dual

#: The most stairs that are listed one by one.
MOST_LISTED = 5_000


def mixture_of(document: VectorDocument) -> BallMixture:
    """The noise of the file; of stairs a part, and the rest, which is next to nothing, as if it
    gave the value away. `LimitError` if there are too many stairs."""
    if document.stairs is not None:
        masses, rest = listed(document.dimension, document.stairs, MOST_LISTED)
        radii = [(document.stairs.first + j) * document.sensitivity for j in range(len(masses))]
        return BallMixture(document.dimension, radii, masses, rest)
    return BallMixture(
        document.dimension,
        document.radii,
        [Fraction(weight, document.denominator) for weight in document.weights],
        Fraction(document.atom, document.denominator),
    )


def _total(document: VectorDocument) -> Fraction:
    if document.stairs is not None:
        return Fraction(1)  # one law for every ratio and every first stair
    return Fraction(sum(document.weights) + document.atom, document.denominator)


def worst_stick(document: VectorDocument, epsilon: Fraction) -> tuple[str, Fraction]:
    """Where the largest hockey stick is, and at least its size."""
    if document.stairs is not None:
        excess = 1 - document.stairs.ratio / exp_upper(-epsilon)
        return "a step from stair to stair, rounded up", max(Fraction(0), excess)
    worst = mixture_of(document).hockey_stick(epsilon, document.sensitivity)
    return "shifts by the sensitivity, rounded up", worst


def _lower(document: VectorDocument) -> Claim:
    if document.certificate is None:
        return _lower_of_stairs(document)
    proof = vector_dual(
        document.dimension,
        document.epsilon,
        document.delta,
        document.sensitivity,
        document.loss,
        document.certificate,
        document.lower,
    )
    where = f"at radius {nearest_float(proof.at * document.sensitivity):.6g}"
    if proof.verdict is None:
        return Claim("lower", NOT_CHECKED, None, f"the curves are not settled in time, {where}")
    if not proof.verdict:
        return Claim("lower", REFUTED, None, f"the curves prove less than the stated lower {where}")
    theta = document.lower + document.delta * document.certificate.budget
    slack = Fraction(0) if proof.least is None else proof.least - theta
    words = f"every private noise costs at least {nearest_float(document.lower):.12g}"
    return Claim("lower", PROVEN, slack, words)


def _lower_of_stairs(document: VectorDocument) -> Claim:
    verdict, at = nothing_below(
        document.dimension, document.epsilon, document.loss, document.sensitivity, document.lower
    )
    where = f"where the first is at {nearest_float(at):.6g} sensitivities"
    if verdict is None:
        return Claim("lower", NOT_CHECKED, None, f"stairs are too close to call, {where}")
    if not verdict:
        return Claim("lower", REFUTED, None, f"stairs cost less than the stated lower, {where}")
    words = f"every private noise costs at least {nearest_float(document.lower):.12g}"
    return Claim("lower", PROVEN, None, words)


def moved_by_rounding(document: VectorDocument) -> Fraction:
    """At least how far rounding moves a release: grid * sqrt(dimension) / 2."""
    size = 1 << 64
    return document.grid * Fraction(isqrt(document.dimension * size * size) + 1, 2 * size)


def release_loss(document: VectorDocument) -> Fraction:
    """At least the worst case, over values, of the expected loss of a release on the grid."""
    d, move = document.dimension, moved_by_rounding(document)
    if document.stairs is not None:
        return stairs_loss(d, document.stairs, document.loss, document.sensitivity, move)
    terms = [document.atom * document.loss.upper(move)]
    for radius, weight in zip(document.radii, document.weights, strict=True):
        if weight:
            wide = radius + move
            charge(_mean_work(document.loss, d, wide))
            mean = document.loss.ball_mean(d, wide)
            terms.append(weight * (radius * mean + move * document.loss.upper(wide)) / wide)
    return add_up(terms) / document.denominator


def _mean_work(loss: Loss, d: int, radius: Fraction) -> int:
    """Microseconds of the mean over a ball; powers of the radius may be d times as long."""
    length = bits(radius) + sum(map(bits, loss.kinks))
    longest = length if loss.exponent is not None else d * length
    return 3 * loss.effort_at(length) + 12 * arithmetic(2 * longest)


#: Checks every claim of a file of kind "vector".
check_vector = Checks(_total, worst_stick, release_loss, _lower, lambda document: ())
