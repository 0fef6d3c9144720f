"""The file of noise for many linear questions, kind "workload": what it holds, how it is read.

Unknown, missing or repeated keys, wrong types and numbers out of range are refused with a
`FormatError`. What the keys mean is stated in `workload_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar

from ...errors import FormatError
from ...losses import L2, Loss
from ...problem.privacy import MAX_EPSILON, Point, curve_above
from ...problem.workload import Workload
from ...problem.workload_arguments import ADD_REMOVE, REPLACE
from ...problem.workload_parts import WorkloadPart
from ...work import multiply
from ..base import AnyFile, MechanismDocument
from ..certificates.closed_form import VALUE_BITS, EntropyProof
from ..codec import (
    DELTA,
    LOSS,
    POSITIVE,
    About,
    Codec,
    Flag,
    Key,
    NotNegative,
    always,
    integer,
    record,
    several,
)
from ..fields import check_bracket, demand, read_object
from ..layout import read_file, write_file
from ..noise.workloads.factor import FactorProblem, FactorProof, FactorStrategy
from ..noise.workloads.plain_strategies import AnswersStrategy, CountsStrategy
from ..noise.workloads.strategy import Strategy
from .additive import ADDITIVE
from .joint import JOINT, is_joint
from .vector import VECTOR, is_vector
from .workload_parts import demand_short, read_workload, wholes
from .workload_proofs import PROOF, STRATEGY

#: Limits of the checker.
MAX_FACTORS = 100
#: What noise keeps: mu of Gaussian privacy, rho of concentrated privacy, epsilon.
BUDGETS_OF_WORKLOADS = {
    "gdp": (Fraction(1, 1000), 100),
    "zcdp": (Fraction(1, 10**6), 1000),
    "epsilon": (Fraction(1, 10**6), MAX_EPSILON),
}
MAX_KNOTS = 4_000


def _read_law(value: object, name: str) -> AnyFile:
    kind = read_object(value, name).get("kind")
    read = _LAWS.get(str(kind))
    if read is None:
        raise FormatError(f'"{name}" must be a file of kind {", ".join(_LAWS)}')
    return read(value)


#: How the law of one measurement is read, where it has a file of its own.
_LAWS = {"integer": ADDITIVE.read, "joint": JOINT.read, "vector": VECTOR.read}
_LAW = Codec(_read_law, lambda law: law.to_json())


def _read_neighbors(value: object, name: str) -> str:
    if value not in (ADD_REMOVE, REPLACE):
        raise FormatError(f'"{name}" must be "{ADD_REMOVE}" or "{REPLACE}"')
    return str(value)


_NEIGHBORS = Codec(_read_neighbors)
_WORKLOAD = Codec(
    lambda value, name: Workload.of(read_workload(value)), lambda workload: workload.part.to_json()
)


def _check_entropy(proof: EntropyProof) -> None:
    steps, values = proof.steps, proof.values
    demand(steps % 2 == 0, '"steps" must be even')
    demand(len(values) > steps // 2 and values[0] == 0, '"values" must begin with 0, and go on')
    most = 100 << VALUE_BITS
    demand(all(abs(value) <= most for value in values), '"values" must be at most 100 in size')


_ENTROPY = record(
    EntropyProof,
    _check_entropy,
    price=POSITIVE,
    steps=integer(2, MAX_KNOTS),
    values=wholes(MAX_KNOTS),
)


@dataclass(frozen=True)
class WorkloadBudget:
    """What the noise keeps: (epsilon, delta) as asked for, or mu, or rho."""

    epsilon: Annotated[Fraction | None, POSITIVE] = None
    delta: Annotated[Fraction | None, DELTA] = None
    gdp: Annotated[Fraction | None, POSITIVE] = None
    zcdp: Annotated[Fraction | None, POSITIVE] = None

    @classmethod
    def of(cls, most: tuple[str, Fraction], asked: Point | None) -> WorkloadBudget:
        """What the noise keeps, and what was asked for."""
        pair = {} if asked is None else {"epsilon": asked[0], "delta": asked[1]}
        return cls(**(pair | {most[0]: most[1]}))

    def check(self) -> None:
        """`FormatError` unless this is one budget, within limits."""
        pair = (self.epsilon is not None, self.delta is not None)
        others = (self.gdp is not None, self.zcdp is not None)
        demand(
            pair[0] == pair[1]
            and (*pair, *others) != (False,) * 4
            and not all(others)
            and not (pair[0] and others[1]),
            '"budget" must be gdp, zcdp, or epsilon and delta, with or without gdp',
        )
        for name, (least, most) in BUDGETS_OF_WORKLOADS.items():
            value = getattr(self, name)
            words = f'"{name}" must be from {float(least)} to {most}'
            demand(value is None or least <= value <= most, words)

    @property
    def most(self) -> tuple[str, Fraction]:
        """All of it: the curve, where there is one."""
        named = ((name, getattr(self, name)) for name in BUDGETS_OF_WORKLOADS)
        return next((name, value) for name, value in named if value is not None)

    @property
    def asked(self) -> Point | None:
        """(epsilon, delta), if that is what was asked for."""
        if self.epsilon is None or self.delta is None:
            return None
        return self.epsilon, self.delta


@dataclass(frozen=True, kw_only=True)
class WorkloadDocument(MechanismDocument):
    """Noise for many linear questions and its claims as stated. Nothing here is checked."""

    KINDS = ("workload",)
    kind = KINDS[0]

    workload: Annotated[Workload, _WORKLOAD]
    neighbors: Annotated[str, _NEIGHBORS, Key("neighbours")]
    kept: Annotated[WorkloadBudget, record(WorkloadBudget, WorkloadBudget.check), Key("budget")]
    #: The squared error.
    loss: ClassVar[Annotated[Loss, always(L2(), LOSS)]] = L2()
    #: Whether the loss is the largest variance, and not the total.
    largest: Flag = field()
    #: One strategy for each factor of a product, or one for tables.
    strategies: Annotated[tuple[FactorStrategy, ...], several(STRATEGY, MAX_FACTORS), Key("noise")]
    upper: NotNegative
    lower: NotNegative
    multipliers: Annotated[tuple[FactorProof, ...], several(PROOF, MAX_FACTORS), Key("certificate")]
    #: What proves how little variance noise for one number has, with a budget of rho.
    entropy: Annotated[EntropyProof | None, _ENTROPY] = None
    #: The file of the noise, where it is neither Gaussian nor Laplace noise.
    law: Annotated[AnyFile | None, _LAW] = None
    about: About = ""

    def check(self) -> None:
        """`FormatError` unless the parts go together."""
        check_bracket(self.lower, self.upper)
        factors, strategies = self.factors, self.strategies
        demand(len(factors) <= MAX_FACTORS, f'"product" must have at most {MAX_FACTORS} factors')
        for factor in factors:
            demand_short(factor)
        count = len(factors)
        demand(len(strategies) == count, f'"noise" must be a list of {count} entries')
        alone = count == 1 or not any(strategy.alone for strategy in strategies)
        demand(alone, '"scales" are for tables alone, not for products')
        demand(len(self.multipliers) == count, f'"certificate" must be a list of {count} entries')
        asked = self.factor_problems()
        for strategy, problem in zip(strategies, asked, strict=True):
            strategy.check_factor(problem)
        for strategy, proof, problem in zip(strategies, self.multipliers, asked, strict=True):
            strategy.check_proof(proof, problem)
        budget = self.budget[0]
        demand(self.entropy is None or budget == "zcdp", '"entropy" is for a budget of zcdp')
        _suits(budget, strategies, self.law)

    @property
    def budget(self) -> tuple[str, Fraction]:
        """What the noise keeps."""
        return self.kept.most

    @property
    def asked(self) -> Point | None:
        """(epsilon, delta), if that is what was asked for."""
        return self.kept.asked

    @cached_property
    def factors(self) -> tuple[WorkloadPart, ...]:
        """The parts that have a strategy each."""
        return factors_of(self.workload.part, self.replaced)

    @property
    def replaced(self) -> bool:
        """Whether neighbors replace a unit by another."""
        return self.neighbors == REPLACE

    @property
    def sensitivity(self) -> Fraction:
        """A unit is one count: the workload says what it does."""
        return Fraction(1)

    @property
    def epsilon(self) -> Fraction:
        """With `delta`, what is kept when one count changes by one: as asked for, or 0."""
        return Fraction(0) if self.asked is None or self.replaced else self.asked[0]

    @property
    def delta(self) -> Fraction:
        """What belongs to `epsilon`; 1, which says nothing, where that is all that is known."""
        if self.replaced:
            return Fraction(1)
        if self.asked is not None:
            return self.asked[1]
        name, value = self.budget
        return min(Fraction(1), curve_above(value, Fraction(0))) if name == "gdp" else Fraction(1)

    def factor_problems(self) -> tuple[FactorProblem, ...]:
        """What is asked of each strategy; frames are worked out anew for each of these."""
        return tuple(
            FactorProblem(part, self.replaced, self.largest, self.law) for part in self.factors
        )

    @cached_property
    def grid(self) -> Fraction:
        """The step of what is measured; that of tables is finer still."""
        parts = zip(self.strategies, self.factors, strict=True)
        return multiply([strategy.grid(part) for strategy, part in parts])

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        return write_file(_FILE, self.kind, self)


_FILE = record(WorkloadDocument, WorkloadDocument.check)


def parse_workload(data: object) -> WorkloadDocument:
    """The document in a JSON object of kind "workload"; `FormatError` if it is not one."""
    return read_file(_FILE, WorkloadDocument.KINDS, data)


def factors_of(part: WorkloadPart, replaced: bool) -> tuple[WorkloadPart, ...]:
    """The factors of a product, each of which has a strategy of its own."""
    return (part,) if replaced else part.split()


def _suits(budget: str, strategies: tuple[FactorStrategy, ...], law: AnyFile | None) -> None:
    """`FormatError` where the noise of the budget, or the law, is not for such measurements."""
    kinds = {type(strategy) for strategy in strategies}
    alone, answers = len(strategies) == 1, kinds == {AnswersStrategy}
    if law is None:
        pure = all(strategy.pure for strategy in strategies)
        mixed = AnswersStrategy in kinds and not (alone and answers)
        some = any(strategy.pure for strategy in strategies)
        demand(
            pure and not mixed if budget == "epsilon" else not some,
            '"rows", "sums", "counts", "answers" are for a budget of epsilon and delta alone, and '
            "it for them",
        )
        return
    demand(budget == "epsilon", '"law" is for a budget of epsilon and delta without gdp')
    if is_joint(law):
        demand(alone and answers, 'a law of kind "joint" is for "answers"')
    elif is_vector(law):
        rank = strategies[0].rank if isinstance(strategies[0], Strategy) else 0
        words = 'a law of kind "vector" is for its "triangle"'
        demand(alone and rank == law.problem.dimension, words)
    else:
        demand(kinds == {CountsStrategy}, 'a law of kind "integer" is for "counts"')
