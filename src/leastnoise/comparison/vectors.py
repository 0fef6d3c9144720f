"""Baselines of noise for a vector, calibrated for the same Euclidean sensitivity."""

from __future__ import annotations

from collections.abc import Iterator

from ..baselines.vectors import baselines, split_design_baseline
from ..designs.design import Design
from ..errors import LeastnoiseError
from ..facts import CONFIDENCE, error_column
from ..noise.vector import VectorNoise
from .table import ComparisonRow, Refused

#: Seconds for our own noise on each coordinate.
_SPLIT_SECONDS = 5.0


def rows(
    design: Design[VectorNoise], seconds: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, closed forms, and our own noise for each coordinate.

    Losses and errors are those of the norm, of other noise exact up to rounding.
    """
    yield ComparisonRow(
        "design", "this design", design.upper, (error_column(design.error_bound(CONFIDENCE)),)
    )
    epsilon, delta = float(design.noise.document.epsilon), float(design.noise.document.delta)
    budget = (design.dimension, epsilon, delta, design.sensitivity, design.noise.document.loss)
    others, limit = baselines(*budget), min(seconds or _SPLIT_SECONDS, _SPLIT_SECONDS)
    try:
        others.append(split_design_baseline(*budget, time_limit=limit))
    except LeastnoiseError as error:
        refused.append(("split", str(error)))
    for other in others:
        note = "" if other.exact else "at most this: the root of the expected square"
        yield ComparisonRow(
            other.name, other.label, other.loss, (error_column(other.error_95),), note
        )
