"""How far answers are off: floats to look at, for choosing; nothing here is a claim of a file."""

from __future__ import annotations

import numpy as np

from ..ask.values import check_confidence
from .ranged import DependentDesign


def error_bound(design: DependentDesign, confidence: float = 0.95) -> float:
    """The smallest t such that, whatever node of the range the value is, the answer is within t
    of it with this probability. (The worst node; `design.expected_loss` has each value's own.)
    """
    level = check_confidence(confidence)
    return max(_at(design, float(value), level) for value in design.nodes)


def _at(design: DependentDesign, value: float, level: float) -> float:
    answers, masses = design.law(value)
    errors = np.abs(answers - value)
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(masses[order])
    first = int(np.searchsorted(reached, level * reached[-1] * (1 - 1e-12)))
    return float(errors[order][min(first, len(order) - 1)])
