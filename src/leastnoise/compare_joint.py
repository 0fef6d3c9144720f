"""What other noise for several numbers would cost, beside that of a design for their shape."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .baselines.analytic_gaussian import smallest_sigma
from .compared import Compared, ComparedRow, excess_of
from .design import JointDesign, design
from .engine.methods import made
from .engine.search import Search
from .errors import LeastnoiseError
from .formatting import outwards

#: Seconds for each of our own designs that are baselines.
_SECONDS = 5.0
#: The names of rows, by how the words for the noise begin.
_NAMES = {"K-norm noise": "levels", "Gaussian": "gaussian-best", "Euclidean": "euclidean"}


@dataclass(frozen=True)
class JointRow(ComparedRow):
    """One noise; losses are means over all numbers, of other noise closed forms in floats."""

    note: str = ""


@dataclass(frozen=True)
class JointComparison(Compared[JointRow]):
    """Noises that are private for a shape at a budget, the least expected loss first."""

    design: JointDesign

    def plot(self, path: str | Path | None = None) -> Any:
        """How the design's noise is spread (extra `plot`)."""
        return self.design.plot(path)

    def __repr__(self) -> str:
        d = self.design
        proven = f": nothing is below {outwards(d.lower, 6, False)}" if d.lower > 0 else ""
        lines = [
            f"JointComparison at epsilon={d.epsilon:g}, delta={d.delta:g}, {d.shape!r}, "
            f"loss {d.loss_name}, mean over numbers{proven}",
            f"  {'noise':<52}{'loss':>11}",
        ]
        for row in self.rows:
            note = f"  ({row.note})" if row.note else ""
            lines.append(f"  {row.label:<52}{row.loss:>11.6g}{note}")
        return "\n".join(lines)


def beside_shapes(found: JointDesign) -> JointComparison:
    """What else one would add, beside a design for a shape.

    Baselines are given for the mean of l1 or l2 without weights.
    """
    own = found.document.noise.words
    rows = [JointRow("design", f"this design ({own})", found.upper, math.inf)]
    for words, loss in found.stats.get("others", {}).items():
        name = next(name for known, name in _NAMES.items() if words.startswith(known))
        rows.append(JointRow(name, words, loss, math.inf))
    refused: list[tuple[str, str]] = []
    if not found.document.largest and not found.document.problem.weights:
        rows += _closed(found)
        rows += _ours(found, refused)
        known = " ".join([own, *found.stats.get("others", {})])
        if found.document.delta > 0 and found.dimension > 1 and "Euclidean" not in known:
            rows += _euclidean(found, refused)
    rows = [
        JointRow(row.name, row.label, row.loss, excess_of(row.loss, found.lower), row.note)
        for row in sorted(rows, key=lambda row: (row.loss, row.name != "design"))
    ]
    return JointComparison(found, tuple(rows), tuple(refused))


def _closed(found: JointDesign) -> Iterator[JointRow]:
    document = found.document
    shape, power = document.problem.shape, document.problem.power
    reach = float(sum((b.most * b.width for b in shape.blocks), Fraction(0)))
    rate = float(document.epsilon) / reach
    if document.integer:
        q = math.exp(-rate)
        loss = 2 * q / (1 - q * q) if power == 1 else 2 * q / (1 - q) ** 2
    else:
        loss = 1 / rate if power == 1 else 2 / rate**2
    which = "geometric" if document.integer else "Laplace"
    yield JointRow("laplace", f"independent {which} noise", loss, math.inf, "shares of epsilon")
    if document.delta == 0:
        return
    sigma = smallest_sigma(float(document.epsilon), float(document.delta))

    def normal(square: float) -> float:
        return sigma**2 * square if power == 2 else sigma * math.sqrt(2 * square / math.pi)

    yield JointRow("gaussian", "Gaussian noise", normal(float(shape.square)), math.inf)


def _ours(found: JointDesign, refused: list[tuple[str, str]]) -> Iterator[JointRow]:
    """Our noise for one number, as often as there are numbers."""
    document, shape = found.document, found.shape
    if document.delta == 0 or found.dimension == 1:
        return
    budget: dict[str, Any] = {"epsilon": document.epsilon, "delta": document.delta}
    if shape.boxes and len(shape.blocks) == 1:
        try:
            one = design(
                **budget,
                sensitivity=shape.blocks[0].width,
                loss=document.loss,
                integer=document.integer,
                releases=found.dimension,
                time_limit=_SECONDS,
            )
            yield JointRow(
                "releases", f"releases={found.dimension}, independent", one.upper, math.inf
            )
        except LeastnoiseError as error:
            refused.append(("releases", str(error)))


def _euclidean(found: JointDesign, refused: list[tuple[str, str]]) -> Iterator[JointRow]:
    """Euclidean noise where it was not expected to be better."""
    try:
        plan = made("Euclidean noise for a shape", found.document.problem)
        other = Search(plan, 0).run().upper
        assert other is not None
        yield JointRow("euclidean", other.origin, float(other.value), math.inf)
    except LeastnoiseError as error:
        refused.append(("euclidean", str(error)))
