"""Noise on each count, or on each answer, without a matrix: what both cost, in closed form.

Such noise may be of a law of its own, in a file inside the file. Statements and proofs:
`plain_strategies.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Annotated, ClassVar

from ....losses import L2
from ....problem.shape import Shape
from ....problem.workload import MAX_TABLE
from ....problem.workload_parts import WorkloadPart
from ....problem.workload_tables import MarginalsPart
from ....work import charge
from ...base import AnyFile
from ...codec import FLAG, always
from ...fields import demand
from ...kinds.additive import is_additive
from ...kinds.joint import is_joint
from ...kinds.vector import is_vector
from ...report import PROVEN, REFUTED, Claim, check_parts
from ..vectors.shells import moved_by_rounding
from .factor import ClosedForm, FactorProblem, FactorProof, FactorStrategy
from .root_strategy import PrefixProof, lower_roots
from .strategy import Multipliers
from .table_strategy import lower_tables


class PlainStrategy(FactorStrategy):
    """Measurements without a matrix."""

    proofs: ClassVar[tuple[type[FactorProof], ...]] = (ClosedForm, Multipliers, PrefixProof)
    pure = True

    def closed_form(self, factor: FactorProblem) -> Fraction:
        """What is known of some workloads."""
        return lower_plain(factor.part, factor.largest, factor.replaced)

    def grid(self, part: WorkloadPart) -> Fraction:
        """Integers are measured."""
        return Fraction(1)


@dataclass(frozen=True)
class CountsStrategy(PlainStrategy):
    """Every count of a factor is measured by itself."""

    counts: ClassVar[Annotated[bool, always(True, FLAG)]] = True
    where = " on each count"

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` for too many counts, or where units are replaced."""
        demand(not factor.replaced, '"counts" are for add-remove')
        few = factor.part.cells <= MAX_TABLE
        demand(few, f'"counts" are of at most {MAX_TABLE} cells')

    def length(self, factor: FactorProblem) -> Fraction:
        """A unit changes one count, or two."""
        return Fraction(2 if factor.replaced else 1)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """The squared lengths of the queries."""
        return factor.part.squared_lengths(factor.largest)


@dataclass(frozen=True)
class AnswersStrategy(PlainStrategy):
    """Every answer is measured by itself."""

    answers: ClassVar[Annotated[bool, always(True, FLAG)]] = True
    where = " on each answer"

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` for too many counts, or answers that are no integers."""
        few = factor.part.cells <= MAX_TABLE
        demand(few, f'"answers" are of at most {MAX_TABLE} cells')
        demand(factor.part.denominator == 1, '"answers" must be integers')

    def length(self, factor: FactorProblem) -> Fraction:
        """1 where the change is one that joint noise is for, else above 1.

        (Laplace noise is for as much as it is.)
        """
        return Fraction(1 if factor.law is None or _moved_within(factor) else 2)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """The weights of the queries."""
        return answers_cost(factor.part, factor.largest)


def _moved_within(factor: FactorProblem) -> bool:
    """Whether what a unit does to the answers is what their joint noise is for."""
    law, part = factor.law, factor.part
    if not is_joint(law) or len(law.problem.shape.blocks) != 1:
        return False
    moves = law.problem.shape
    return moves.dimension == part.queries and columns_within(part, moves, factor.replaced)


def answers_cost(part: WorkloadPart, largest: bool) -> Fraction:
    """The total of the weights of the questions, or the largest one."""
    charge(3 * part.queries)
    return max(part.weights()) if largest else sum(part.weights(), Fraction(0))


def answers_moved(part: WorkloadPart, replaced: bool) -> Fraction:
    """At least by how much a unit moves all answers together, in the sum of sizes."""
    return part.moved() * (2 if replaced else 1)


def lower_plain(part: WorkloadPart, largest: bool, replaced: bool) -> Fraction:
    """At most what every covariance costs that covers all shifts; 0 where nothing is known."""
    if isinstance(part, MarginalsPart) and not largest:
        return lower_tables(part, part.worth, replaced)
    if replaced and part.cells == 1:
        return Fraction(0)  # no unit can be of another kind
    scale, named = part.scaled()
    if named.family == "identity":
        return scale * (1 if largest else part.cells)
    if named.family == "prefix" and not (largest or replaced):
        return scale * lower_roots(part.cells)
    return Fraction(0)


def columns_within(part: WorkloadPart, shape: Shape, replaced: bool) -> bool:
    """Whether what a unit does to the answers is a move of the cube."""
    (block,) = shape.blocks
    if part.denominator != 1 or (shape.one_sided and replaced):
        return False
    charge(part.queries * (part.cells // 8 + 2))
    signs = set()
    for row in part.rows():
        low, high = min(row), max(row)
        signs |= {low < 0, high <= 0} if low < 0 or high > 0 else set()
        if (high - low if replaced else max(-low, high)) > block.width:
            return False
    return not shape.one_sided or len(signs) <= 1


def law_claim(law: AnyFile, epsilon: Fraction, delta: Fraction) -> Claim:
    """Whether all that a file says of a law is proven, and is what is needed of it here."""
    fits, words = _fits(law)
    kept = law.epsilon <= epsilon and law.delta <= delta
    if not fits or not kept:
        why = words if not fits else "its budget is above the stated one"
        return Claim("law", REFUTED, None, f"the noise of one measurement: {why}")
    for claim in check_parts(law).claims:
        if claim.verdict != PROVEN:
            return Claim(
                "law",
                claim.verdict,
                claim.slack,
                f"the noise of one measurement, {claim.name}: {claim.detail}",
            )
    return Claim("law", PROVEN, None, words)


def _fits(law: AnyFile) -> tuple[bool, str]:
    if law.loss != L2() or law.largest or law.profile or law.constraints:
        return False, "it must be for the squared error, and for nothing else"
    if is_additive(law):
        noise = law.noise
        even = noise.weights == noise.weights[::-1] and 2 * noise.first == 1 - len(noise.weights)
        return (
            law.integer and law.sensitivity == 1 and not noise.gridded and even,
            "integer noise of mean 0 for a count that changes by one, proven by its own file",
        )
    if is_joint(law):
        problem = law.problem
        single = len(problem.shape.blocks) == 1 and not problem.weights and problem.shape.boxes
        return (
            single and law.integer,
            "joint noise for integers that may all change at once, proven by its own file",
        )
    balls = is_vector(law) and law.sensitivity == 1
    return balls, "noise for a vector of sensitivity one, proven by its own file"


def law_variance(law: AnyFile) -> Fraction:
    """At least the variance of one measurement, if the law's file is proven."""
    if not is_vector(law):
        upper: Fraction = law.upper
        return upper
    square, scale = law.noise.variance(law.problem), 1 << 64
    deviation = Fraction(isqrt(square.numerator * scale * scale // square.denominator) + 1, scale)
    return (deviation + moved_by_rounding(law.problem, law.noise.grid)) ** 2
