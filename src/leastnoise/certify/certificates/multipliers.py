"""Multipliers of shifts, which prove a lower bound: what they are, read and written.

What they prove is stated in `duality.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from ...errors import FormatError
from ...problem.privacy import Point, check_points
from ..budgets import POINTS
from ..codec import NUMBER, POSITIVE, Codec, Flag, Record, integer, record, several
from ..constraints import CELLS, DUALS, Cell, Dual
from ..fields import demand, read_object
from ..limits import MAX_CELLS, MAX_MULTIPLIERS, MAX_POINTS_OF_PROFILE
from .narrow import NARROW, NarrowEvent


@dataclass(frozen=True)
class ShiftMultipliers:
    """Multipliers of one shift: 0 <= z(i) <= budget for the listed cells, 0 elsewhere."""

    shift: Annotated[int, integer(-MAX_CELLS, MAX_CELLS)]
    mirror: Flag
    budget: Annotated[Fraction, NUMBER]
    cells: Annotated[tuple[Cell, ...], CELLS]
    #: Of the certificate's points, the first being (epsilon, delta) if it has none.
    point: Annotated[int, integer(0, MAX_POINTS_OF_PROFILE)] = 0

    def __post_init__(self) -> None:
        if self.shift == 0:
            raise FormatError("shift 0 proves nothing")
        if self.budget < 0:
            raise FormatError('"budget" must be non-negative')
        if len({i for i, _ in self.cells}) < len(self.cells):
            raise FormatError(f"a cell occurs twice within shift {self.shift}")
        top, bottom = self.budget.as_integer_ratio()
        ratios = [z.as_integer_ratio() for _, z in self.cells]
        if not all(a >= 0 and a * bottom <= top * b for a, b in ratios):
            raise FormatError(f"a multiplier of shift {self.shift} is not from 0 to its budget")


@dataclass(frozen=True)
class Certificate:
    """Multipliers that prove a lower bound by weak duality."""

    step: Fraction
    reach: int
    shifts: tuple[ShiftMultipliers, ...]
    constraints: tuple[Dual, ...] = ()  # one per constraint of the document
    points: tuple[Point, ...] = ()  # at which privacy is used, if not at (epsilon, delta) alone
    narrow: tuple[NarrowEvent, ...] = ()  # besides, for noise below a curve

    def __post_init__(self) -> None:
        if self.step <= 0:
            raise FormatError('"certificate.step" must be positive')
        if not 0 <= self.reach <= MAX_CELLS:
            raise FormatError(f'"reach" must be from 0 to {MAX_CELLS}')
        listed = [(e.point, e.shift) for e in self.shifts]
        listed += [(e.point, -e.shift) for e in self.shifts if e.mirror]
        if len(set(listed)) < len(listed):
            raise FormatError("a shift occurs twice")
        if any(abs(i) > self.reach for entry in self.shifts for i, _ in entry.cells):
            raise FormatError(f"a multiplier lies beyond the reach of {self.reach}")
        if any(not 0 <= point < max(1, len(self.points)) for point in self.used):
            raise FormatError("a shift of the certificate names a point that is not there")
        check_points(self.points)

    @property
    def used(self) -> set[int]:
        """The points at which privacy is used."""
        return {entry.point for entry in self.shifts} | {event.point for event in self.narrow}


def _shifts(each: Record[ShiftMultipliers]) -> Codec[tuple[ShiftMultipliers, ...]]:
    listed = several(each, MAX_CELLS)

    def read(value: object, name: str) -> tuple[ShiftMultipliers, ...]:
        entries = listed.read(value, name)
        few = sum(len(entry.cells) for entry in entries) <= MAX_MULTIPLIERS
        demand(few, f'"{name}" must have at most {MAX_MULTIPLIERS} multipliers in all')
        return entries

    return Codec(read, listed.write)


#: Multipliers of shifts; numbered: each says for which of several points they are.
SHIFTS = _shifts(record(ShiftMultipliers, without=["point"]))
NUMBERED_SHIFTS = _shifts(record(ShiftMultipliers, required=["point"]))


def _certificate_codec(shifts: Codec[Any]) -> Codec[Certificate]:
    return record(
        Certificate,
        optional={"points": (), "constraints": (), "narrow": ()},
        step=POSITIVE,
        reach=integer(0, MAX_CELLS),
        points=POINTS,
        constraints=DUALS,
        shifts=shifts,
        narrow=NARROW,
    )


_PLAIN, _NUMBERED = _certificate_codec(SHIFTS), _certificate_codec(NUMBERED_SHIFTS)


def _read(value: object, name: str) -> Certificate:
    numbered = bool(read_object(value, name).get("points"))
    return (_NUMBERED if numbered else _PLAIN).read(value, name)


#: The multipliers of a file.
CERTIFICATE = Codec[Certificate](
    _read, lambda one: (_NUMBERED if one.points else _PLAIN).write(one)
)
