"""Multipliers of shifts, which prove a lower bound: what they are, read and written.

What they prove is stated in `lower.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..ask.demands import Constraint
from ..ask.privacy import Point, check_points
from ..errors import FormatError
from ..exact import text_of
from .constraints import Dual, duals_from_spec
from .curve import POINTS
from .fields import (
    check_keys,
    read_cells,
    read_flag,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_positive,
)
from .limits import MAX_CELLS, MAX_MULTIPLIERS, MAX_POINTS_OF_PROFILE
from .narrow import NarrowEvent, narrow_from_json


@dataclass(frozen=True)
class ShiftMultipliers:
    """Multipliers of one shift: 0 <= z(i) <= budget for the listed cells, 0 elsewhere."""

    shift: int
    mirror: bool
    budget: Fraction
    cells: tuple[tuple[int, Fraction], ...]
    point: int = 0  # of the certificate's points, the first being (epsilon, delta) if it has none

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


def certificate_from_json(raw: object, constraints: tuple[Constraint, ...]) -> Certificate:
    """The multipliers of a file with these constraints."""
    data = read_object(raw, "certificate")
    more = {"constraints"} if constraints else set()
    check_keys(data, "certificate", {"step", "reach", "shifts"} | more, {"points", "narrow"})
    points = POINTS.read(data["points"], "certificate.points") if "points" in data else ()
    return Certificate(
        read_positive(data["step"], "certificate.step"),
        read_integer(data["reach"], "reach", 0, MAX_CELLS),
        shifts_from_json(data["shifts"], bool(points)),
        duals_from_spec(data["constraints"], constraints) if constraints else (),
        points,
        narrow_from_json(data["narrow"]) if "narrow" in data else (),
    )


def shifts_to_json(shifts: Iterable[ShiftMultipliers], numbered: bool) -> list[dict[str, Any]]:
    """Multipliers of shifts as a file lists them, `numbered` if there are several points."""
    return [
        {
            "shift": entry.shift,
            "mirror": entry.mirror,
            "budget": text_of(entry.budget),
            "cells": [[i, text_of(z)] for i, z in entry.cells],
        }
        | ({"point": entry.point} if numbered else {})
        for entry in shifts
    ]


def shifts_from_json(raw: object, numbered: bool) -> tuple[ShiftMultipliers, ...]:
    """The same, read back."""
    entries, multipliers = [], 0
    for raw_entry in read_list(raw, "shifts", MAX_CELLS):
        entry = read_object(raw_entry, "shifts")
        wanted = {"shift", "mirror", "budget", "cells"} | ({"point"} if numbered else set())
        check_keys(entry, "shifts", wanted, set())
        cells = read_cells(entry["cells"], MAX_MULTIPLIERS - multipliers, -MAX_CELLS, MAX_CELLS)
        multipliers += len(cells)
        entries.append(
            ShiftMultipliers(
                read_integer(entry["shift"], "shift", -MAX_CELLS, MAX_CELLS),
                read_flag(entry["mirror"], "mirror"),
                read_number(entry["budget"], "budget"),
                cells,
                read_integer(entry.get("point", 0), "point", 0, MAX_POINTS_OF_PROFILE),
            )
        )
    return tuple(entries)
