"""Both bounds for tables of counts by attributes (marginals), in closed form.

All columns of such a workload are alike, so the best strategy is known (`table_strategy.proof.md`):
it measures each set of attributes by itself, what no smaller set says. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

from ....errors import FormatError
from ....problem.workload_parts import WorkloadPart
from ....problem.workload_tables import MarginalsPart
from ....work import charge
from ...fields import demand
from .factor import ClosedForm, FactorProblem, FactorProof, FactorStrategy, check_weights

#: Bits behind the point of sums that are rounded to the safe side.
_BITS = 160

Attributes = tuple[int, ...]


@dataclass(frozen=True)
class QueryWeights(FactorProof):
    """Weights of tables, whose weighted total is at most the largest variance."""

    questions: tuple[int, ...]

    def check_factor(self, factor: FactorProblem, strategy: FactorStrategy) -> None:
        """`FormatError` unless there is one for each table."""
        check_weights(self.questions, len(_tables(factor).sets))

    def bound(self, factor: FactorProblem, strategy: FactorStrategy) -> Fraction:
        """The weighted total over the weighted number of queries."""
        part = _tables(factor)
        worth = [c * w for c, w in zip(self.questions, part.worth, strict=True)]
        counts = zip(self.questions, part.sets, strict=True)
        cells = sum(c * part.cells_of(attributes) for c, attributes in counts)
        return lower_tables(part, worth) / cells


@dataclass(frozen=True)
class TableStrategy(FactorStrategy):
    """How strongly each set of attributes is measured: scales over 2^bits, in closure order."""

    bits: int
    scales: tuple[int, ...]

    proofs: ClassVar[tuple[type[FactorProof], ...]] = (ClosedForm, QueryWeights)
    alone = True

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless there is a scale for each set of attributes."""
        part = factor.part
        if not isinstance(part, MarginalsPart) or factor.replaced:
            raise FormatError('"scales" are for tables, add-remove')
        count = len(part.closure)
        demand(len(self.scales) == count, f'"scales" must be a list of {count} entries')
        demand(min(self.scales) > 0, '"scales" must be positive')

    def check_proof(self, proof: FactorProof, factor: FactorProblem) -> None:
        """`FormatError` unless weights are there for the largest variance, and only then."""
        super().check_proof(proof, factor)
        weighed = isinstance(proof, QueryWeights)
        demand(weighed == factor.largest, '"questions" of "scales" are for the largest variance')

    def length(self, factor: FactorProblem) -> Fraction:
        """At least the squared length of what one unit changes."""
        return length_of(_tables(factor), self)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """At least the total, or the largest, of worth times variance."""
        return upper_tables(_tables(factor), self, factor.largest)

    def closed_form(self, factor: FactorProblem) -> Fraction:
        """That of the best strategy."""
        part = _tables(factor)
        return lower_tables(part, part.worth)

    def grid(self, part: WorkloadPart) -> Fraction:
        """(That of each table is finer still.)"""
        return Fraction(1, 1 << self.bits)


def _tables(factor: FactorProblem) -> MarginalsPart:
    assert isinstance(factor.part, MarginalsPart)
    return factor.part


def shares_of(part: MarginalsPart, worth: Sequence[Fraction]) -> dict[Attributes, Fraction]:
    """For each set S of the closure, the sum of worth_P / cells_P over the sets P around S."""
    shares: dict[Attributes, Fraction] = {}
    charge(sum(8 << len(chosen) for chosen in part.sets))
    for chosen, weight in zip(part.sets, worth, strict=True):
        share = weight / part.cells_of(chosen)
        for k in range(len(chosen) + 1):
            for inner in combinations(chosen, k):
                shares[inner] = shares.get(inner, Fraction(0)) + share
    return shares


def left_over(part: MarginalsPart, chosen: Attributes) -> Fraction:
    """The product of 1 - 1/n over a set: what of a unit no smaller set has told."""
    return math.prod(
        (Fraction(part.sizes[i] - 1, part.sizes[i]) for i in chosen), start=Fraction(1)
    )


def lower_tables(
    part: MarginalsPart, worth: Sequence[Fraction], replaced: bool = False
) -> Fraction:
    """At most the total of worth times variance, for every covariance that covers all columns.

    replaced: that covers all differences of two columns.
    """
    scale, total = 1 << _BITS, 0
    for chosen, share in shares_of(part, worth).items():
        if replaced and not chosen:
            continue  # the number of all units is public
        root = math.isqrt(share.numerator * scale * scale // share.denominator)
        total += math.prod(part.sizes[i] - 1 for i in chosen) * root
    squared = Fraction(total, scale) ** 2
    if not replaced:
        return squared
    cells = part.cells
    return squared * Fraction(2 * cells, cells - 1) if cells > 1 else Fraction(0)


def length_of(part: MarginalsPart, strategy: TableStrategy) -> Fraction:
    """At least the squared length of what one unit changes in the measurements."""
    total = 0
    charge(sum((1 + len(chosen)) << len(chosen) for chosen in part.sets))
    for chosen, scale in zip(part.closure, strategy.scales, strict=True):
        left = left_over(part, chosen)
        total += -(-(scale * scale * left.numerator << _BITS) // left.denominator)
    return Fraction(total, 1 << (_BITS + 2 * strategy.bits))


def table_variances(part: MarginalsPart, strategy: TableStrategy) -> list[Fraction]:
    """At least the variance of a count of each table, for measurements of variance 1."""
    charge(sum((9 + len(chosen)) << len(chosen) for chosen in part.sets))
    cost = {
        chosen: left_over(part, chosen) / (scale * scale)
        for chosen, scale in zip(part.closure, strategy.scales, strict=True)
    }
    variances = []
    for attributes in part.sets:
        total = 0
        for k in range(len(attributes) + 1):
            for inner in combinations(attributes, k):
                rest = math.prod(part.sizes[i] for i in attributes if i not in inner)
                cost_left = cost[inner]
                total += -(-(cost_left.numerator << _BITS) // (cost_left.denominator * rest * rest))
        variances.append(Fraction(total << (2 * strategy.bits), 1 << _BITS))
    return variances


def upper_tables(part: MarginalsPart, strategy: TableStrategy, largest: bool) -> Fraction:
    """At least the total, or the largest, of worth times variance."""
    each = table_variances(part, strategy)
    if largest:
        return max(w * v for w, v in zip(part.worth, each, strict=True))
    rows = zip(part.sets, part.worth, each, strict=True)
    return sum((w * v * part.cells_of(attributes) for attributes, w, v in rows), Fraction(0))
