"""How far answers are off: floats to look at, for choosing; nothing here is a claim of a file."""

from __future__ import annotations

import numpy as np

from ..problem.checks import check_confidence
from .ranged import DependentDesign


def error_bound(design: DependentDesign, confidence: float = 0.95) -> float:
    """The smallest t such that, whatever node of the range the value is, the answer is within t
    of it with this probability; with intervals, one that is large enough; with long steps, values
    between the nodes are looked at, too. (`design.expected_loss` has each value's own.)
    """
    level = check_confidence(confidence)
    if design.document.intervals is not None:
        return max(_near_all(design, first, last, level) for first, last in design.alike)
    return max(_at(design, float(value), level) for value in design.spots)


def _at(design: DependentDesign, value: float, level: float) -> float:
    answers, masses = design.law(value)
    errors = np.abs(answers - value)
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(masses[order])
    first = int(np.searchsorted(reached, level * reached[-1] * (1 - 1e-12)))
    return float(errors[order][min(first, len(order) - 1)])


def _near_all(design: DependentDesign, first: int, last: int, level: float) -> float:
    """Of nodes that have one law: some answers in a row that are enough, and near all the nodes."""
    document, masses = design.document, design.row(first)
    low, high = float(document.place(first)), float(document.place(last))
    # (A value that is told is right but for a thousandth of a step.)
    needed = (level - document.revealed / document.denominator) * (1 - 1e-12)
    if needed <= 0:
        return float(document.finest)
    reached = np.cumsum(masses)
    to = np.searchsorted(reached, reached - masses + needed)  # enough, with all before it
    enough = to < len(masses)
    answers = design.answers
    return float(np.maximum(high - answers[enough], answers[to[enough]] - low).min())
