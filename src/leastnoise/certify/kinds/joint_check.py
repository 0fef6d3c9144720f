"""The checker of noise for several numbers: every claim of a file of kind "joint".

What is claimed and why the checks prove it: `joint_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction

from ...work import counted
from ..report import TRIVIAL, Claim, Report, claim_of, lower_claim, upper_claim
from .joint import JointDocument


def check_joint(document: JointDocument) -> Report:
    """Check every claim of noise for several numbers in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        privacy = document.noise.privacy(document)
        upper = upper_claim(document.upper, release_loss(document), "expected loss of a release")
        return Report((privacy, upper, _lower(document)))


def _lower(document: JointDocument) -> Claim:
    bound = lower_bound(document)
    if bound == 0:
        words = f"{TRIVIAL}: no expected loss is negative"
        return claim_of("lower", -document.lower, words, f"{words}, below the stated lower")
    integer = "integer " * document.integer
    return lower_claim(document.lower, bound, f"(epsilon, delta)-DP additive {integer}noise")


def release_loss(document: JointDocument) -> Fraction:
    """At least the worst case, over values, of the expected loss of a release."""
    power, rounding = document.power, Fraction(0)
    if not document.integer:
        rounding = Fraction(1) if document.largest else Fraction(1, 2 * power)
    return (document.noise.loss(document) + rounding) * document.grid**power


def mean_error(document: JointDocument, block: int) -> Fraction:
    """At least E |x| of the noise of a number of a block, in steps of the grid."""
    return document.noise.mean(document, block, 1)


def lower_bound(document: JointDocument) -> Fraction:
    """What the certificate proves about all private noise; 0 where there is none."""
    return document.certificate.bound(document)
