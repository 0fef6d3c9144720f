"""Which baselines a design of each kind is compared with: a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..designs.design import Design
from ..errors import ArgumentError
from ..exact import Number
from . import additive, ranged, selection, shapes, vectors, workloads
from .table import Comparison, ComparisonRow, Refused


@dataclass(frozen=True)
class Baselines:
    """The row of a design and the rows of its baselines; what rows are sorted by besides losses.

    `rows` gets the design, its own time limit if one was given, and a list for what is left out.
    """

    rows: Callable[[Design[Any], float | None, Refused], Iterator[ComparisonRow]]
    first: tuple[str, ...] = ()


_LINE = Baselines(additive.rows)
#: A new kind of noise is a new line here.
BASELINES = {
    "additive": _LINE,
    "integer": _LINE,
    "dependent": Baselines(ranged.rows),
    "vector": Baselines(vectors.rows),
    "joint": Baselines(shapes.rows),
    "workload": Baselines(workloads.rows),
    "keyed": Baselines(selection.rows, ("mostly_from", "half_from")),
}


def compare_design(
    design: Design[Any],
    *,
    own: Mapping[str, Mapping[int, Number]] | None = None,
    time_limit: float | None = None,
) -> Comparison:
    """The comparison of a design that is there already; `own` as for `compare`.

    time_limit: seconds for a design of ours that is a baseline.
    """
    kind = BASELINES[design.kind]
    refused: Refused = []
    rows = list(kind.rows(design, time_limit, refused))
    if own is not None:
        if design.kind != "integer" or design.releases != 1:
            raise ArgumentError("own", list(own), "left out without integer=True")
        rows += additive.own_rows(design, own, refused)

    def order(row: ComparisonRow) -> tuple[Any, ...]:
        # Equal losses: the design first, because its figure is a proven bound.
        return *(row[name] for name in kind.first), float(f"{row.loss:.9g}"), row.name != "design"

    lower = design.lower
    return Comparison(
        design,
        tuple(
            replace(row, excess=(row.loss - lower) / lower) if lower > 0 else row
            for row in sorted(rows, key=order)
        ),
        tuple(refused),
    )
