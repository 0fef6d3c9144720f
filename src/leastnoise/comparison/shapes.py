"""Baselines of noise for several numbers: independent noise, Gaussian noise, our other noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..design import design as design_noise
from ..designs.design import Design
from ..engine.methods import made
from ..engine.search import Search
from ..errors import LeastnoiseError
from ..gaussian import smallest_sigma
from ..noise.joint import JointNoise
from .table import ComparisonRow, Refused

#: Seconds for each of our own designs that are baselines.
_SECONDS = 5.0
#: The names of rows, by how the words for the noise begin.
_NAMES = {"K-norm noise": "levels", "Gaussian": "gaussian-best", "Euclidean": "euclidean"}


def rows(
    design: Design[JointNoise], seconds: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, other noise that its search has seen, and what else one would add.

    Losses are means over all numbers, of other noise closed forms in floats. Baselines are given
    for the mean of l1 or l2 without weights.
    """
    words = design.noise.document.noise.words
    yield ComparisonRow("design", f"this design ({words})", design.upper)
    others = design.stats.get("others", {})
    for label, loss in others.items():
        name = next(name for known, name in _NAMES.items() if label.startswith(known))
        yield ComparisonRow(name, label, loss)
    if design.noise.document.largest or design.noise.document.problem.weights:
        return
    yield from _closed_form_rows(design)
    yield from _ours(design, min(seconds or _SECONDS, _SECONDS), refused)
    known = " ".join([words, *others])
    if design.noise.document.delta > 0 and design.dimension > 1 and "Euclidean" not in known:
        yield from _euclidean(design, refused)


def _closed_form_rows(design: Design[JointNoise]) -> Iterator[ComparisonRow]:
    document = design.noise.document
    shape, power = document.problem.shape, document.problem.power
    reach = float(sum((b.most * b.width for b in shape.blocks), Fraction(0)))
    rate = float(document.epsilon) / reach
    if document.integer:
        q = math.exp(-rate)
        loss = 2 * q / (1 - q * q) if power == 1 else 2 * q / (1 - q) ** 2
    else:
        loss = 1 / rate if power == 1 else 2 / rate**2
    which = "geometric" if document.integer else "Laplace"
    yield ComparisonRow("laplace", f"independent {which} noise", loss, note="shares of epsilon")
    if document.delta == 0:
        return
    sigma = smallest_sigma(float(document.epsilon), float(document.delta))

    def normal(square: float) -> float:
        return sigma**2 * square if power == 2 else sigma * math.sqrt(2 * square / math.pi)

    yield ComparisonRow("gaussian", "Gaussian noise", normal(float(shape.square)))


def _ours(design: Design[JointNoise], seconds: float, refused: Refused) -> Iterator[ComparisonRow]:
    """Our noise for one number, as often as there are numbers."""
    document, shape = design.noise.document, design.noise.shape
    if document.delta == 0 or design.dimension == 1:
        return
    budget: dict[str, Any] = {"epsilon": document.epsilon, "delta": document.delta}
    if shape.boxes and len(shape.blocks) == 1:
        try:
            single = design_noise(
                **budget,
                sensitivity=shape.blocks[0].width,
                loss=document.loss,
                integer=document.integer,
                releases=design.dimension,
                time_limit=seconds,
            )
            yield ComparisonRow(
                "releases", f"releases={design.dimension}, independent", single.upper
            )
        except LeastnoiseError as error:
            refused.append(("releases", str(error)))


def _euclidean(design: Design[JointNoise], refused: Refused) -> Iterator[ComparisonRow]:
    """Euclidean noise where it was not expected to be better."""
    try:
        plan = made("Euclidean noise for a shape", design.noise.document.problem)
        other = Search(plan, 0).run().upper
        assert other is not None
        yield ComparisonRow("euclidean", other.origin, float(other.value))
    except LeastnoiseError as error:
        refused.append(("euclidean", str(error)))
