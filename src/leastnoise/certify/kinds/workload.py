"""The file of noise for many linear questions, kind "workload": what it holds, how it is read.

What the keys mean is stated in `../noise/workloads/measurements.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeGuard

from ...errors import FormatError
from ...losses import L2
from ...problem.privacy import MAX_EPSILON
from ...problem.workload import Workload
from ...problem.workload_problem import ADD_REMOVE, REPLACE, WorkloadBudget, WorkloadProblem
from ..base import AnyFile, MechanismFile
from ..certificates.closed_form import VALUE_BITS, EntropyProof
from ..certificates.factors import FactorProofs
from ..codec import (
    DELTA,
    FLAG,
    LOSS,
    NOT_NEGATIVE,
    POSITIVE,
    Codec,
    always,
    integer,
    record,
    several,
)
from ..fields import demand, read_object
from ..layout import Cases, Layout
from ..noise.workloads.measurements import Measurements
from .additive import ADDITIVE
from .joint import JOINT
from .vector import VECTOR
from .workload_parts import demand_short, read_workload, wholes
from .workload_proofs import PROOF, STRATEGY

WorkloadFile = MechanismFile[WorkloadProblem, Measurements, FactorProofs]

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
    layout = _LAWS.get(str(kind))
    if layout is None:
        raise FormatError(f'"{name}" must be a file of kind {", ".join(_LAWS)}')
    return layout.read(value)


#: How the law of one measurement is read, where it has a file of its own.
_LAWS = {"integer": ADDITIVE, "joint": JOINT, "vector": VECTOR}


def _read_neighbors(value: object, name: str) -> str:
    if value not in (ADD_REMOVE, REPLACE):
        raise FormatError(f'"{name}" must be "{ADD_REMOVE}" or "{REPLACE}"')
    return str(value)


def _check_entropy(proof: EntropyProof) -> None:
    steps, values = proof.steps, proof.values
    demand(steps % 2 == 0, '"steps" must be even')
    demand(len(values) > steps // 2 and values[0] == 0, '"values" must begin with 0, and go on')
    most = 100 << VALUE_BITS
    demand(all(abs(value) <= most for value in values), '"values" must be at most 100 in size')


def _check_budget(budget: WorkloadBudget) -> None:
    """`FormatError` unless this is one budget, within limits."""
    pair = (budget.epsilon is not None, budget.delta is not None)
    others = (budget.gdp is not None, budget.zcdp is not None)
    demand(
        pair[0] == pair[1]
        and (*pair, *others) != (False,) * 4
        and not all(others)
        and not (pair[0] and others[1]),
        '"budget" must be gdp, zcdp, or epsilon and delta, with or without gdp',
    )
    for name, (least, most) in BUDGETS_OF_WORKLOADS.items():
        value = getattr(budget, name)
        words = f'"{name}" must be from {float(least)} to {most}'
        demand(value is None or least <= value <= most, words)


def _check_problem(problem: WorkloadProblem) -> None:
    """`FormatError` for more factors, or longer ones, than a check can take."""
    few = len(problem.factors) <= MAX_FACTORS
    demand(few, f'"product" must have at most {MAX_FACTORS} factors')
    for factor in problem.factors:
        demand_short(factor)


_BUDGET = record(
    WorkloadBudget,
    _check_budget,
    optional={"epsilon": None, "delta": None, "gdp": None, "zcdp": None},
    epsilon=POSITIVE,
    delta=DELTA,
    gdp=POSITIVE,
    zcdp=POSITIVE,
)
_PROBLEM = record(
    WorkloadProblem,
    _check_problem,
    keys={"neighbors": "neighbours"},
    workload=Codec(
        lambda value, name: Workload.of(read_workload(value)),
        lambda workload: workload.part.to_json(),
    ),
    neighbors=Codec(_read_neighbors),
    budget=_BUDGET,
    loss=always(L2(), LOSS),
    largest=FLAG,
)
_NOISE = record(
    Measurements,
    optional={"law": None},
    keys={"strategies": "noise"},
    strategies=several(STRATEGY, MAX_FACTORS),
    law=Codec(_read_law, lambda law: law.to_json()),
)
_ENTROPY = record(
    EntropyProof,
    _check_entropy,
    price=POSITIVE,
    steps=integer(2, MAX_KNOTS),
    values=wholes(MAX_KNOTS),
)
_PROOFS = record(
    FactorProofs,
    optional={"entropy": None},
    keys={"multipliers": "certificate"},
    multipliers=several(PROOF, MAX_FACTORS),
    entropy=_ENTROPY,
)

#: Files of kind "workload".
WORKLOAD = Layout(
    ("workload",),
    _PROBLEM,
    Cases[Measurements](lambda data: _NOISE, _NOISE),
    _PROOFS,
    (
        *("workload", "neighbours", "budget", "loss", "largest", "noise", "upper", "lower"),
        *("certificate", "entropy", "law"),
    ),
    upper=NOT_NEGATIVE,
    lower=NOT_NEGATIVE,
)


def is_workload(file: object) -> TypeGuard[WorkloadFile]:
    """Whether this is a file of noise for many linear questions."""
    return isinstance(file, MechanismFile) and file.kind == "workload"
