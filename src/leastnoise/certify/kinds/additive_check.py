"""The checker of additive noise: what its files claim besides what every file does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...losses import L2, Loss
from ...problem import Point
from ...problem.privacy import implied
from ..certificates.closed_form import gaussian_variance
from ..certificates.duality import bound_on_noise
from ..composition import demanded
from ..noise.constraint_slack import slack_of
from ..noise.lattice_privacy import worst_hockey_stick
from ..noise.release_loss import release_loss
from ..report import NOT_CHECKED, REFUTED, Checks, Claim, claim_of, lower_claim, private_words
from .additive import Certificate, Document

_FUNCTION = "the loss is a Python function: an estimate"


def total(document: Document) -> Fraction:
    """The weights and the atom, tails and all, over the denominator."""
    found = Fraction(sum(document.weights) + document.atom)
    if document.tail is not None:
        period, ratio = document.tail.period, document.tail.ratio
        ends = sum(document.weights[:period]) + sum(document.weights[-period:])
        found += ends * ratio / (1 - ratio)
    return found / document.denominator


def _loss(document: Document) -> Fraction | str:
    return _FUNCTION if document.loss is None else release_loss(document, document.loss)


def _demands(document: Document) -> Iterator[Claim]:
    for constraint in document.constraints:
        words = ", ".join(
            f"{key} {value}"
            for key, value in constraint.spec().items()
            if key != "name" and isinstance(value, str)
        )
        words = f" ({words})" if words else ""
        slack = slack_of(document, constraint)
        yield claim_of(
            constraint.name,
            slack,
            f"the noise satisfies it{words}",
            f"the noise violates it{words}",
        )


def _lower(document: Document) -> Claim:
    if document.loss is None or document.certificate is None:
        return Claim("lower", NOT_CHECKED, None, _FUNCTION)
    bound = lower_bound(document, document.certificate, document.loss)
    if bound is None:
        return Claim("lower", REFUTED, None, "the certificate uses a budget that is not claimed")
    integer = "integer " * (document.kind == "integer")
    noise = f"additive {integer}noise{' with these constraints' * bool(document.constraints)}"
    which = f"{private_words(document)} {noise}"
    if document.releases is not None:
        which = f"{noise} whose releases together stay within the total budget"
    return lower_claim(document.lower, bound, which)


def lower_bound(document: Document, certificate: Certificate, loss: Loss) -> Fraction | None:
    """What the certificate proves; None if it uses a budget that is not asked of all noise."""
    points = certificate.points or ((document.epsilon, document.delta),)
    # (With a curve, (epsilon, delta) is a point of the noise's own chords, just below it.)
    own = ((document.epsilon, document.delta),) if document.gdp is None else ()
    stated = (*own, *document.profile)

    def asked(point: Point) -> bool:
        """Whether all noise that the claim is about is private at this budget."""
        if document.releases is not None:
            return demanded(document.releases, point)
        return implied(point, stated, None if document.gdp is None else document.gdp.mu)

    if not all(asked(points[j]) for j in certificate.used):
        return None
    whole = document.kind == "integer"
    found = bound_on_noise(
        certificate, points, document.sensitivity, loss, whole, document.constraints
    )
    if document.gdp is None or document.releases is not None:
        return found
    return max(found, along_orbits(document.gdp.mu, document.sensitivity, loss))


def along_orbits(mu: Fraction, sensitivity: Fraction, loss: Loss) -> Fraction:
    """What every mu-GDP noise costs at least, whatever the multipliers
    (`../certificates/closed_form.proof.md`).

    A squared error is at least the variance, and a shift by the sensitivity is among those that
    must be hidden; 0 for other losses.
    """
    if loss != L2():
        return Fraction(0)
    return gaussian_variance(mu) * sensitivity**2


#: Checks every claim of a file of kind "additive" or "integer".
check_noise = Checks(total, worst_hockey_stick, _loss, _lower, _demands)
