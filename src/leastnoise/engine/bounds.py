"""The only makers of bounds: what the checker's own functions find becomes an `Upper` or a `Lower`.

A bound is what `leastnoise.certify` computes exactly from noise or from multipliers, rounded to the
safe side. Nothing here is believed later: a finished document is checked once more as a whole (of
the curves of a vector, which take longest, the checker itself remembers what it settled: `once`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..certify.base import MechanismFile
from ..certify.certificates.curves import vector_dual
from ..certify.certificates.duality import bound_on_noise
from ..certify.kinds.additive import Certificate, Document
from ..certify.kinds.additive_check import along_orbits
from ..certify.kinds.dependent_check import (
    ChannelCertificate,
    ChannelDocument,
    channel_dual_bound,
    keeps_budgets,
    largest_error,
    loss_of,
    worst_value_loss,
)
from ..certify.kinds.vector import VectorFile, VectorProof, is_vector
from ..certify.noise.constraint_slack import slack_of
from ..certify.noise.lattice_privacy import worst_hockey_stick
from ..certify.noise.release_loss import release_loss
from ..certify.noise.staircase import NoCurves, nothing_below
from ..errors import ArgumentError, FormatError
from ..exact import round_down, round_up
from ..losses import Loss
from ..problem import Point, Problem

#: Digits after the point of a bound: far below every gap, and short in a file. Of a vector's, and
#: of one that is claimed first: exact powers and square roots have many.
_DIGITS, _DIGITS_OF_VECTORS, _DIGITS_CLAIMED = 15, 12, 9
#: Of the closed form for curves, which is nearer to 1 than that.
_DIGITS_OF_ORBITS = 24

#: Noise, answers and noise for a vector, and what proves bounds on each.
AnyNoise = Document | ChannelDocument | VectorFile
AnyCertificate = Certificate | ChannelCertificate | VectorProof


@dataclass(frozen=True)
class Lower:
    """An exact lower bound with the multipliers that prove it (an estimate for custom losses)."""

    value: Fraction
    certificate: AnyCertificate
    resolution: int
    method: str = ""  # the name of the method that gave it

    @property
    def multipliers(self) -> Certificate:
        """What proves a bound on additive noise."""
        assert isinstance(self.certificate, Certificate)
        return self.certificate


@dataclass(frozen=True)
class Upper:
    """A mechanism that passed every exact check, and its exact expected loss."""

    value: Fraction
    document: AnyNoise
    resolution: int
    origin: str
    repair: float = 0.0  # share of the loss that rounding, mixing and the release grid cost
    method: str = ""  # the name of the method that gave it

    @property
    def noise(self) -> Document:
        """A mechanism that adds noise."""
        assert isinstance(self.document, Document)
        return self.document

    @property
    def answers(self) -> ChannelDocument:
        """A mechanism whose answers depend on the value."""
        assert isinstance(self.document, ChannelDocument)
        return self.document

    @property
    def vector(self) -> VectorFile:
        """A mechanism that adds noise to a vector."""
        assert is_vector(self.document)
        return self.document


#: What is proposed together: either half may be missing.
Bounds = tuple[Lower | None, Upper | None]


def proven(
    problem: Problem, certificate: Certificate | ChannelCertificate, resolution: int
) -> Lower:
    """What multipliers prove about every noise, or every answer, that the question allows."""
    if isinstance(certificate, ChannelCertificate):
        value = channel_dual_bound(problem, certificate)
    else:
        points = certificate.points or ((problem.epsilon, problem.delta),)
        value = bound_on_noise(
            certificate,
            points,
            problem.sensitivity,
            problem.loss,
            problem.integer,
            problem.constraints,
        )
    return Lower(round_down(value, _DIGITS), certificate, resolution)


def along_curve(problem: Problem, known: Lower) -> Lower:
    """What the curve of mu-GDP alone proves of all noise, if that is more than what is known."""
    assert problem.gdp is not None
    value = along_orbits(problem.gdp, problem.sensitivity, problem.loss)
    return replace(known, value=max(known.value, round_down(value, _DIGITS_OF_ORBITS)))


def claimed(
    problem: Problem, certificate: VectorProof, value: float, resolution: int
) -> Lower | None:
    """This bound on every noise for a vector, rounded down, if the certificate proves it."""
    if isinstance(certificate, NoCurves):
        goal = round_down(Fraction(value), _DIGITS_OF_VECTORS)
        verdict, _ = nothing_below(
            problem.dimension, problem.epsilon, problem.loss, problem.sensitivity, goal
        )
        return Lower(goal, certificate, resolution) if verdict else None
    lower = round_down(Fraction(value), _DIGITS_CLAIMED)
    asked = problem.dimension, problem.epsilon, problem.delta, problem.sensitivity
    if not vector_dual(*asked, problem.loss, certificate, lower).verdict:
        return None
    return Lower(lower, certificate, resolution)


def certified(
    document: AnyNoise,
    origin: str,
    *,
    loss: Loss,
    resolution: int,
    points: Sequence[Point] = (),
    scale: float | None = None,
) -> Upper | None:
    """The document with its expected loss, if it keeps every budget and all else that it states.

    `points` are further budgets of noise, in the place of its own; `scale` is the loss that was
    hoped for. None for a document that no checker could finish, too.
    """
    digits = _DIGITS
    try:
        if isinstance(document, MechanismFile):
            noise, problem = document.noise, document.problem
            if noise.worst_divergence(problem, problem.epsilon)[1] > problem.delta:
                return None
            value, digits = noise.expected_loss(problem), _DIGITS_OF_VECTORS
        elif isinstance(document, ChannelDocument):
            if not keeps_budgets(document) or not obeys_bounds(document):
                return None
            value = loss_of(document)
        else:
            if not _private(document, points):
                return None
            value = release_loss(document, loss)
            if any(slack_of(document, one) < 0 for one in document.constraints):
                return None
    except (ArgumentError, FormatError):
        return None
    upper = round_up(value, digits)
    repair = 0.0 if scale is None else max(0.0, float(upper) / scale - 1)
    return Upper(upper, replace(document, upper=upper), resolution, origin, repair)


def _private(noise: Document, points: Sequence[Point]) -> bool:
    budgets = points or ((noise.epsilon, noise.delta),)
    return all(worst_hockey_stick(noise, epsilon)[1] <= delta for epsilon, delta in budgets)


def obeys_bounds(document: ChannelDocument) -> bool:
    """Whether the instance bound and the largest error are kept, exactly."""
    loss, error = document.problem.instance_bound, document.problem.max_error
    if loss is not None and worst_value_loss(document) > loss:
        return False
    return error is None or largest_error(document) <= error
