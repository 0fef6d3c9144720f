"""The lower bound that needs no multipliers: the least loss, or 0 where more is asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..ask import Question
from ..certify.channel import ChannelCertificate, Copies
from ..certify.constraints import Dual
from ..certify.limits import MAX_CELLS
from ..program.program import Multipliers
from .bounds import Lower, proven
from .lattice.relaxed import Relaxed

#: More nodes than this are not looked at one by one.
_MOST_NODES = 1_024


def trivial_lower(question: Question) -> Lower:
    """The bound without any multiplier, for additive noise or for answers on a range."""
    return _additive(question) if question.range is None else _on_range(question)


def _additive(question: Question) -> Lower:
    # Without constraints what holds for all noise holds for whole numbers.
    whole = question.integer and question.constraints and question.sensitivity <= MAX_CELLS
    n = int(question.sensitivity) if whole else 1
    nothing = np.zeros(0)
    free = replace(question, constraints=())
    found = Relaxed(free, ((question.epsilon, question.delta),), n, 0).exact(
        Multipliers({}, nothing, nothing), 1.0
    )
    if question.plain:
        return found
    unused = replace(found.multipliers, constraints=unused_duals(question))
    return replace(found, value=Fraction(0), certificate=unused)


def unused_duals(question: Question) -> tuple[Dual, ...]:
    """Multipliers of the constraints that use none of them."""
    return tuple(
        Dual(**dict.fromkeys(one.duals, Fraction(0)), cells=() if one.dual_cells else None)
        for one in question.constraints
    )


def _on_range(question: Question) -> Lower:
    step = Fraction(1) if question.integer else question.width
    many = question.width / step + 1 > _MOST_NODES
    copies = Copies(int(question.sensitivity), ()) if many else None  # none of them, everywhere
    certificate = ChannelCertificate(step, (), copies=copies)
    return proven(question, certificate, 0)
