"""Multipliers of shifts, which prove a lower bound on the loss of noise for one number.

What they prove is stated in `duality.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, TypeVar, cast

from ...errors import FormatError
from ...problem import Problem
from ...problem.privacy import Point, check_points
from ..base import MechanismFile
from ..budgets import POINTS
from ..codec import NUMBER, POSITIVE, Codec, Flag, ObjectCodec, Record, integer, record, several
from ..composition import demanded
from ..constraints import CELLS, DUALS, Cell, Dual, check_duals
from ..fields import demand, read_object, read_whole
from ..limits import MAX_CELLS, MAX_MULTIPLIERS, MAX_POINTS_OF_PROFILE
from ..report import NO_LOSS, NOT_CHECKED, REFUTED, Claim, lower_claim, private_words
from .base import Certificate
from .closed_form import along_orbits
from .duality import bound_on_noise
from .narrow import NARROW, NarrowEvent

T = TypeVar("T")


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


class DualCertificate(Certificate[Problem]):
    """Multipliers that prove a lower bound by weak duality."""

    points: tuple[Point, ...]  # at which privacy is used, if not at (epsilon, delta) alone

    @property
    @abstractmethod
    def used(self) -> set[int]:
        """The points at which privacy is used."""

    @abstractmethod
    def dual(self, problem: Problem) -> Fraction:
        """What the multipliers prove: at most what a mechanism costs, private at these points."""

    def bound(self, problem: Problem) -> Fraction:
        """What is known besides counts, too."""
        return self.dual(problem)

    @abstractmethod
    def subject(self, problem: Problem) -> str:
        """The mechanisms that the bound is about, in words."""

    def points_of(self, problem: Problem) -> tuple[Point, ...]:
        """The budgets that multipliers name by number."""
        return self.points or ((problem.epsilon, problem.delta),)

    def asked(self, problem: Problem, point: Point) -> bool:
        """Whether a budget is asked of every mechanism that the bound is about."""
        return problem.asks(point)

    def claim(self, file: MechanismFile[Problem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem = file.problem
        points = self.points_of(problem)
        if not all(self.asked(problem, points[j]) for j in self.used):
            words = "the certificate uses a budget that is not claimed"
            return Claim("lower", REFUTED, None, words)
        return lower_claim(file.lower, self.bound(problem), self.subject(problem))


@dataclass(frozen=True)
class ShiftCertificate(DualCertificate):
    """Multipliers that prove a lower bound on the loss of noise by weak duality."""

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

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless shifts are within the sensitivity, and there is such a proof."""
        demand(
            problem.loss.certified, 'a custom loss has no "certificate": its bracket is an estimate'
        )
        ratio = problem.sensitivity / self.step
        if problem.integer:
            whole, smeared = self.step.denominator == 1, problem.loss.smeared is not None
            demand(whole or smeared, '"certificate.step" must be whole for integer noise')
            demand(
                self.step == 1 or not problem.constraints,
                'with constraints "certificate.step" must be "1" for integer noise',
            )
            ratio = Fraction(ratio.numerator // ratio.denominator) if whole else ratio
        n = read_whole(ratio, "sensitivity/certificate.step", 1, MAX_CELLS)
        demand(
            all(abs(entry.shift) <= n for entry in self.shifts),
            f"a shift of the certificate is beyond the sensitivity, {n} steps",
        )
        if self.narrow:
            plain = not problem.integer and problem.curve is not None and not problem.constraints
            demand(plain, '"narrow" is for noise below a curve, without constraints')
            demand(
                all(event.furthest <= n for event in self.narrow),
                f"a narrow event is moved beyond the sensitivity, {n} steps",
            )
        check_duals(self.constraints, problem.constraints, self.reach)

    def asked(self, problem: Problem, point: Point) -> bool:
        """Whether a budget is asked of every mechanism that the bound is about."""
        total = problem.releases
        return problem.asks(point) if total is None else demanded(total, point)

    def dual(self, problem: Problem) -> Fraction:
        """At most what noise costs that is private at these budgets and obeys the constraints."""
        return bound_on_noise(
            self,
            self.points_of(problem),
            problem.sensitivity,
            problem.loss,
            problem.integer,
            problem.constraints,
        )

    def bound(self, problem: Problem) -> Fraction:
        """The same, or what the curve alone proves, if that is more."""
        bound = self.dual(problem)
        if problem.curve is None or problem.releases is not None:
            return bound
        return max(bound, along_orbits(problem.curve.mu, problem.sensitivity, problem.loss))

    def subject(self, problem: Problem) -> str:
        """Noise with these constraints, of one release or of several."""
        integer = "integer " * problem.integer
        noise = f"additive {integer}noise{' with these constraints' * bool(problem.constraints)}"
        if problem.releases is not None:
            return f"{noise} whose releases together stay within the total budget"
        return f"{private_words(problem)} {noise}"


@dataclass(frozen=True)
class Estimated(Certificate[Problem]):
    """No proof, in a file without the key: the loss is a Python function."""

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless it is."""
        demand(not problem.loss.certified, '"certificate" is missing')

    def claim(self, file: MechanismFile[Problem, Any, Any]) -> Claim:
        """Not checked."""
        return Claim("lower", NOT_CHECKED, None, NO_LOSS)


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


class ByPoints(ObjectCodec[T]):
    """A certificate that lists points, to which multipliers refer by number, or lists none."""

    def __init__(self, plain: Record[T], numbered: Record[T]) -> None:
        self.cls, self.plain, self.numbered = plain.cls, plain, numbered
        super().__init__(
            lambda value, name: self._of(read_object(value, name)).read(value, name),
            lambda dual: (numbered if cast(Any, dual).points else plain).write(dual),
        )

    def _of(self, data: dict[str, Any]) -> Record[T]:
        return self.numbered if data.get("points") else self.plain


def _with(shifts: Codec[Any]) -> Record[ShiftCertificate]:
    return record(
        ShiftCertificate,
        optional={"points": (), "constraints": (), "narrow": ()},
        step=POSITIVE,
        reach=integer(0, MAX_CELLS),
        points=POINTS,
        constraints=DUALS,
        shifts=shifts,
        narrow=NARROW,
    )


#: The multipliers of a file.
CERTIFICATE = ByPoints(_with(SHIFTS), _with(NUMBERED_SHIFTS))
