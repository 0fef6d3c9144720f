"""The only makers of bounds: what the checker's own functions find becomes an `Upper` or a `Lower`.

A bound is what `leastnoise.certify` computes exactly from noise or from multipliers, rounded to the
safe side. Nothing here is believed later: a finished document is checked once more as a whole (of
the curves of a vector, which take longest, the checker itself remembers what it settled: `once`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..certify.base import AnyFile
from ..certify.certificates.closed_form import along_orbits
from ..certify.certificates.curves import vector_dual
from ..certify.certificates.pairs import RangeCertificate
from ..certify.certificates.shaped import NoProof, ShapeProof
from ..certify.certificates.tails import BestTails
from ..certify.kinds.additive import (
    ESTIMATED,
    UNSTATED,
    AdditiveFile,
    AdditiveProof,
    NumberNoise,
    ShiftCertificate,
    additive_file,
)
from ..certify.kinds.dependent import DependentFile
from ..certify.kinds.joint import JointFile
from ..certify.kinds.keyed import KeyedFile
from ..certify.kinds.vector import VectorFile, VectorProof
from ..certify.kinds.workload import WorkloadFile
from ..certify.noise.keys.chain import Chain
from ..certify.noise.keys.selection import Selection, least_excess
from ..certify.noise.shapes.shaped import ShapeNoise
from ..certify.noise.vectors.staircase import NoCurves, nothing_below
from ..certify.report import PROVEN
from ..errors import ArgumentError, CertificateError, FormatError
from ..exact import round_down, round_up
from ..formatting import ordered
from ..losses import Loss
from ..problem import GaussianCurve, Point, Problem
from ..problem.keyed_problem import KeyedProblem
from ..problem.shape_problem import ShapeProblem

#: Digits after the point of a bound: far below every gap, and short in a file. Of a vector's, and
#: of one that is claimed first: exact powers and square roots have many.
_DIGITS, _DIGITS_OF_VECTORS, _DIGITS_CLAIMED = 15, 12, 9
#: Of how much more often a key could be released, which is next to nothing.
_DIGITS_OF_EXCESS = 3
#: Of the closed form for curves, which is nearer to 1 than that.
_DIGITS_OF_ORBITS = 24

#: What proves a bound (None: nothing that can be told from the noise, whose file states it).
AnyCertificate = AdditiveProof | RangeCertificate | VectorProof | ShapeProof | BestTails | None


@dataclass(frozen=True)
class Lower:
    """An exact lower bound with the multipliers that prove it (an estimate for custom losses)."""

    value: Fraction
    certificate: AnyCertificate
    resolution: int
    method: str = ""  # the name of the method that gave it

    @property
    def multipliers(self) -> ShiftCertificate:
        """What proves a bound on additive noise."""
        assert isinstance(self.certificate, ShiftCertificate)
        return self.certificate


@dataclass(frozen=True)
class Upper:
    """A mechanism that passed every exact check, and its exact expected loss."""

    value: Fraction
    document: AnyFile
    resolution: int
    origin: str
    repair: float = 0.0  # share of the loss that rounding, mixing and the release grid cost
    method: str = ""  # the name of the method that gave it


#: What is proposed together: either half may be missing.
Bounds = tuple[Lower | None, Upper | None]


def joined(lower: Lower, upper: Upper, exact: bool) -> AnyFile:
    """The file of both halves; not `exact` for a loss that only estimates them, without a proof.

    `ContradictionError` if exact bounds exclude each other.
    """
    if lower.certificate is None:
        return upper.document
    low, high = ordered(lower.value, upper.value, exact)
    halves: dict[str, Any] = {
        "lower": low,
        "upper": high,
        "certificate": lower.certificate if exact else ESTIMATED,
    }
    return replace(upper.document, **halves)


def proven(
    problem: Problem, certificate: ShiftCertificate | RangeCertificate, resolution: int
) -> Lower:
    """What multipliers prove about every noise, or every answer, that the question allows."""
    return Lower(round_down(certificate.dual(problem), _DIGITS), certificate, resolution)


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
    document: AdditiveFile | DependentFile | VectorFile,
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
    noise, problem = document.noise, document.problem
    try:
        noise.check()
        noise.check_problem(problem)
        for epsilon, delta in points or problem.budgets:
            if noise.worst_divergence(problem, epsilon)[1] > delta:
                return None
        if any(claim.verdict != PROVEN for claim in noise.demands(problem)):
            return None
        value = noise.release_loss(problem, loss)
    except (ArgumentError, FormatError):
        return None
    if isinstance(value, str):
        return None
    upper = round_up(value, _DIGITS if problem.dimension == 1 else _DIGITS_OF_VECTORS)
    repair = 0.0 if scale is None else max(0.0, float(upper) / scale - 1)
    return Upper(upper, replace(document, upper=upper), resolution, origin, repair)


def noise_file(
    problem: Problem, noise: NumberNoise, curve: GaussianCurve | None = None
) -> AdditiveFile:
    """A file of noise for the question, without bounds."""
    noise = noise.one_by_one() if problem.integer else noise
    return additive_file(stated(problem, curve), noise)


def stated(problem: Problem, curve: GaussianCurve | None = None) -> Problem:
    """The question as a file of noise states it: a curve by its chords, no Python function."""
    return replace(
        problem,
        loss=problem.loss if problem.loss.certified else UNSTATED,
        gdp=None if curve is None else curve.mu,
        curve=curve,
        output_step=None,
    )


def noise_for_shape(problem: ShapeProblem, noise: ShapeNoise) -> Upper:
    """Noise for a shape with what it costs, and no bound from below."""
    upper = round_up(noise.expected_loss(problem), _DIGITS_OF_VECTORS)
    file = JointFile("joint", problem, noise, upper, Fraction(0), NoProof())
    return Upper(upper, file, 0, noise.words)


def below_shape(problem: ShapeProblem, certificate: ShapeProof) -> Lower:
    """What the certificate proves about all noise for a shape."""
    value = certificate.bound(problem)
    return Lower(round_down(value, _DIGITS_OF_VECTORS), certificate, 0)


def noise_for_workload(document: WorkloadFile) -> Upper:
    """What a document states, once the checker's functions gave it (`workloads/candidates.py`)."""
    return Upper(document.upper, document, 0, document.noise.words(document.problem))


def release_of_keys(problem: KeyedProblem, chain: Chain) -> Bounds:
    """The release that a chain is, and the expected loss that nothing of its budget is below.

    `CertificateError` for a chain that would never release a key.
    """
    excess = least_excess(chain, problem)
    if excess is None:
        raise CertificateError("a key that somebody has would never be released")
    noise, proof = Selection(chain, round_up(excess, _DIGITS_OF_EXCESS)), BestTails()
    upper = round_up(noise.expected_loss(problem), _DIGITS)
    lower = round_down(proof.bound(problem), _DIGITS)
    file = KeyedFile("keyed", problem, noise, upper, lower, proof)
    return Lower(lower, proof, 0), Upper(upper, file, 0, "closed form")


def not_negative(certificate: AnyCertificate) -> Lower:
    """No loss is negative: what a certificate proves that proves no more."""
    return Lower(Fraction(0), certificate, 0)
