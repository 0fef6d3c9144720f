"""The checker of vector mechanisms: every claim of a file of kind "vector".

What is claimed and why the checks prove it: `vector.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ..exact import nearest_float
from ..losses import Huber, Loss, Power
from .balls import BallMixture
from .enclosures import ceil_at, power
from .report import NOT_CHECKED, PROVEN, REFUTED, Claim, Report, claim_of
from .vector_document import VectorDocument
from .vector_lower import vector_dual

#: The expected loss is rounded up to so many bits behind the first one.
_BITS = 256


def check_vector(document: VectorDocument) -> Report:
    """Check every claim of a vector mechanism in exact arithmetic."""
    return Report(
        (_distribution(document), _privacy(document), _upper(document), _lower(document))
    )


def mixture_of(document: VectorDocument) -> BallMixture:
    """The noise of the file."""
    return BallMixture(
        document.dimension, document.radii,
        [Fraction(weight, document.denominator) for weight in document.weights],
        Fraction(document.atom, document.denominator),
    )


def _distribution(document: VectorDocument) -> Claim:
    total = Fraction(sum(document.weights) + document.atom, document.denominator)
    return claim_of(
        "distribution", -abs(total - 1),
        "the weights are non-negative and sum to the denominator",
        f"the weights sum to {nearest_float(total)} times the denominator",
    )


def _privacy(document: VectorDocument) -> Claim:
    worst = mixture_of(document).hockey_stick(document.epsilon, document.sensitivity)
    words = (
        f"largest hockey stick at most {nearest_float(worst):.12g}, "
        f"delta {nearest_float(document.delta):g}"
    )
    return claim_of("privacy", document.delta - worst, words, words)


def _upper(document: VectorDocument) -> Claim:
    loss = release_loss(document)
    words = f"expected loss of a release at most {nearest_float(loss):.12g}"
    return claim_of("upper", document.upper - loss, words, f"{words}, above the stated upper")


def _lower(document: VectorDocument) -> Claim:
    proof = vector_dual(
        document.dimension, document.epsilon, document.delta, document.sensitivity, document.loss,
        document.certificate, document.lower,
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


def release_loss(document: VectorDocument) -> Fraction:
    """At least the worst case, over values, of the expected loss of a release on the grid."""
    d, grid, loss = document.dimension, document.grid, document.loss
    # Rounding moves a release by at most grid * sqrt(d) / 2.
    size = 1 << 64
    move = grid * Fraction(isqrt(d * size * size) + 1, 2 * size)
    most = loss.upper(move + document.radii[-1] if document.radii else move)
    # Every cost is rounded up to these bits: exact denominators of many radii would multiply.
    bits = _BITS + max(0, most.denominator.bit_length() - most.numerator.bit_length())
    total = document.atom * ceil_at(loss.upper(move), bits)
    for radius, weight in zip(document.radii, document.weights, strict=True):
        if weight:
            wide = radius + move
            mean = ball_mean(loss, d, wide)
            total += weight * ceil_at((radius * mean + move * loss.upper(wide)) / wide, bits)
    return Fraction(total, document.denominator << bits)


def ball_mean(loss: Loss, d: int, radius: Fraction) -> Fraction:
    """At least E c(|X|) for X uniform in the ball of this radius."""
    if isinstance(loss, Power):
        return loss.upper(radius) * d / (d + loss.p)
    if isinstance(loss, Huber):
        width = min(loss.width, radius)
        inside = Fraction(power(ceil_at(width / radius, _BITS), d, _BITS, up=True), 1 << _BITS)
        linear = Fraction(d, d + 1) * radius - width / 2
        return width * (linear + width * inside / ((d + 1) * (d + 2)))
    return radius * Fraction(d, d + 1)
