"""Constraints and their multipliers in a mechanism file, read strictly. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from ..errors import FormatError
from ..problem.constraints import (
    DISTINGUISHED,
    MAX_CONSTRAINTS,
    Constraint,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from .codec import LOSS, NUMBER, SHORT, Codec, Record, by_name, integer, pair, record, several
from .limits import MAX_CELLS, MAX_MULTIPLIERS

Cell = tuple[int, Fraction]  #: a cell and its multiplier

_CONSTRAINTS: dict[str, Record[Any]] = {
    case.cls.name: case
    for case in (
        record(Support, optional={"low": None, "high": None}, low=SHORT, high=SHORT),
        record(MaxError, t=SHORT),
        record(Unimodal, at=SHORT),
        record(Monotone),
        record(Symmetric),
        record(Unbiased),
        record(LossAtMost, loss=LOSS, bound=SHORT),
    )
}
_CONSTRAINT: Codec[Constraint] = by_name(_CONSTRAINTS)


def _read_constraint(value: object, name: str) -> Constraint:
    if isinstance(value, dict) and value.get("name") == "distinguishing":
        raise FormatError(
            'the constraint "distinguishing" is not supported: "profile" states the budget '
            f'["{DISTINGUISHED}", at_most] in its place'
        )
    return _CONSTRAINT.read(value, name)


CONSTRAINTS: Codec[tuple[Constraint, ...]] = several(
    Codec(_read_constraint, _CONSTRAINT.write), MAX_CONSTRAINTS
)
CELLS: Codec[tuple[Cell, ...]] = several(
    pair(integer(-MAX_CELLS, MAX_CELLS), NUMBER), MAX_MULTIPLIERS
)


@dataclass(frozen=True)
class Dual:
    """Multipliers of one constraint in the proof of a lower bound; its class says which."""

    slope: Annotated[Fraction | None, NUMBER] = None
    weight: Annotated[Fraction | None, NUMBER] = None
    cells: Annotated[tuple[Cell, ...] | None, CELLS] = None

    @property
    def numbers(self) -> dict[str, Fraction]:
        """Those that are numbers."""
        numbers = {"slope": self.slope, "weight": self.weight}
        return {key: value for key, value in numbers.items() if value is not None}


DUALS: Codec[tuple[Dual, ...]] = several(record(Dual), MAX_CONSTRAINTS, 1)


def check_duals(duals: Sequence[Dual], constraints: Sequence[Constraint], reach: int) -> None:
    """`FormatError` unless the multipliers are of the right number, sign and place."""
    if len(duals) != len(constraints):
        raise FormatError(f'"certificate.constraints" must have {len(constraints)} entries')
    for dual, constraint in zip(duals, constraints, strict=True):
        free, cells = constraint.centered, dual.cells or ()
        if (
            tuple(dual.numbers) != constraint.duals
            or (dual.cells is not None) != constraint.dual_cells
        ):
            wanted = ", ".join((*constraint.duals, *(["cells"] * constraint.dual_cells))) or "none"
            raise FormatError(f"the multipliers of {constraint.name} must be: {wanted}")
        if (not free and any(v < 0 for v in dual.numbers.values())) or any(u < 0 for _, u in cells):
            raise FormatError(f"a multiplier of {constraint.name} is negative")
        if len({i for i, _ in cells}) < len(cells):
            raise FormatError(f"a cell occurs twice within {constraint.name}")
        if any(abs(i) > reach for i, _ in cells):
            raise FormatError(f"a multiplier of {constraint.name} lies beyond the reach of {reach}")
