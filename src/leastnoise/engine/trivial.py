"""The lower bound that needs no multipliers: the least loss, or 0 where more is asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..certify.certificates.copies import CopiesCertificate
from ..certify.certificates.pairs import PairCertificate, RangeCertificate
from ..certify.constraints import Dual
from ..certify.limits import MAX_CELLS
from ..problem import Problem
from ..program.program import ProgramDuals
from .bounds import Lower, proven
from .line.lattice.relaxed import Relaxed

#: More nodes than this are not looked at one by one.
_MOST_NODES = 1_024


def trivial_lower(problem: Problem) -> Lower:
    """The bound without any multiplier, for additive noise or for answers on a range."""
    return _additive(problem) if problem.range is None else _on_range(problem)


def _additive(problem: Problem) -> Lower:
    # Without constraints what holds for all noise holds for whole numbers.
    whole = problem.integer and problem.constraints and problem.sensitivity <= MAX_CELLS
    n = int(problem.sensitivity) if whole else 1
    nothing = np.zeros(0)
    free = replace(problem, constraints=())
    lower = Relaxed(free, ((problem.epsilon, problem.delta),), n, 0).exact(
        ProgramDuals({}, nothing, nothing), 1.0
    )
    if problem.plain:
        return lower
    unused = replace(lower.multipliers, constraints=unused_duals(problem))
    return replace(lower, value=Fraction(0), certificate=unused)


def unused_duals(problem: Problem) -> tuple[Dual, ...]:
    """Multipliers of the constraints that use none of them."""
    return tuple(
        Dual(
            **dict.fromkeys(constraint.duals, Fraction(0)),
            cells=() if constraint.dual_cells else None,
        )
        for constraint in problem.constraints
    )


def _on_range(problem: Problem) -> Lower:
    step = Fraction(1) if problem.integer else problem.width
    many = problem.width / step + 1 > _MOST_NODES
    certificate: RangeCertificate = PairCertificate(step=step)
    if many:  # copies of no multipliers
        certificate = CopiesCertificate(step=step, layer=int(problem.sensitivity), shifts=())
    return proven(problem, certificate, 0)
