"""Multipliers on pairs of nodes of a range, which prove a lower bound on the loss of answers.

Statement and proof: `pairs.proof.md`, `groups.proof.md`. Standard library only, e^eps rounded up.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Annotated, Any, ClassVar, TypeVar

from ...errors import FormatError
from ...losses import Loss
from ...problem.privacy import Point, check_points
from ...problem.problem import Problem
from ...work import add_up, bits, charge
from ..base import MechanismFile
from ..budgets import POINTS
from ..codec import (
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    Codec,
    Flag,
    Key,
    NotNegative,
    Record,
    always,
    integer,
    pair,
    record,
    several,
)
from ..constraints import Cell
from ..fields import demand, read_whole
from ..limits import MAX_NODES, MAX_POINTS_OF_PROFILE
from ..noise.ranges.answers import FALLS
from ..report import NOT_CHECKED, Claim, private_words
from .groups import MAX_GROUP, grouped
from .multipliers import NUMBERED_SHIFTS, SHIFTS, ByPoints, DualCertificate
from .weak_duality import Gains, Units, floors_on, units_of

#: Limits of the checker: nodes and multipliers of a certificate.
MAX_CERTIFICATE_NODES = 1_100
MAX_PAIR_MULTIPLIERS = 300_000
#: Multipliers share a denominator of at most so many bits, so that sums of them stay small.
MOST_BITS = 1024

C = TypeVar("C", bound="RangeCertificate")


@dataclass(frozen=True)
class PairMultipliers:
    """Multipliers of one ordered pair of nodes: 0 <= z(y) <= budget for the listed outputs."""

    source: Annotated[int, integer(0, MAX_NODES), Key("from")]
    target: Annotated[int, integer(0, MAX_NODES), Key("to")]
    mirror: Flag
    budget: NotNegative
    cells: Annotated[
        tuple[Cell, ...], several(pair(integer(0, MAX_NODES), NUMBER), MAX_PAIR_MULTIPLIERS)
    ]
    #: Of the certificate's points, the first being (epsilon, delta) if it has none.
    point: Annotated[int, integer(0, MAX_POINTS_OF_PROFILE)] = 0

    def check(self) -> None:
        """`FormatError` unless these are multipliers within the budget."""
        known = {y for y, _ in self.cells}
        demand(len(known) == len(self.cells), "an output occurs twice within a pair")
        within = all(0 <= z <= self.budget for _, z in self.cells)
        demand(within, '"cells" must be from 0 to the budget')


@dataclass(frozen=True, kw_only=True)
class RangeCertificate(DualCertificate):
    """A lower bound on what answers cost, for a loss that never falls away from 0."""

    #: Answers beyond the outermost nodes never help, so the first one is node 0.
    first: ClassVar[int] = 0
    #: How many nodes there may be.
    most_nodes: ClassVar[int] = MAX_NODES

    step: Fraction
    pairs: tuple[PairMultipliers, ...] = ()
    points: tuple[Point, ...] = ()
    group: int = 1  # the multipliers are about nodes up to so many sensitivities apart

    def check(self) -> None:
        """`FormatError` unless the fields go together."""
        check_points(self.points)
        demand(self.group == 1 or not self.points, '"group" does not go with "points"')

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless nodes fit the range, and pairs are neighbors."""
        if self.group > 1:
            problem = grouped(problem, self.group, self.step)[0]
        demand(not problem.integer or self.step == 1, '"certificate.step" must be "1" for integers')
        read_whole(
            problem.width / self.step + problem.integer,
            "range/certificate.step",
            1,
            self.most_nodes,
        )
        self.check_nodes(problem)
        self._check_pairs(problem)

    def count(self, problem: Problem) -> int:
        """How many nodes there are."""
        return int(problem.width / self.step) + problem.integer

    def reach(self, problem: Problem) -> int:
        """How many nodes apart neighbors may be."""
        return floor(problem.sensitivity / self.step)

    @abstractmethod
    def check_nodes(self, problem: Problem) -> None:
        """`FormatError` unless what the certificate says besides pairs is about these nodes."""

    def _check_pairs(self, problem: Problem) -> None:
        last, reach = self.count(problem) - 1, self.reach(problem)
        points, seen = max(1, len(self.points)), set()
        for each in self.pairs:
            source, target = each.source, each.target
            demand(max(source, target) <= last, f'"pairs" must be of nodes from 0 to {last}')
            demand(each.point < points, f'"point" must be below {points}')
            near = 1 <= abs(source - target) <= reach
            demand(near, f"nodes {source} and {target} need not be neighbors")
            for key in [(source, target), (last - source, last - target)][: 1 + each.mirror]:
                demand((each.point, *key) not in seen, f"the pair {key} occurs twice")
                seen.add((each.point, *key))
            demand(all(y <= last for y, _ in each.cells), f'"cells" must be from 0 to {last}')
        multipliers = sum(len(each.cells) for each in self.pairs)
        demand(multipliers <= MAX_PAIR_MULTIPLIERS, f"more than {MAX_PAIR_MULTIPLIERS} multipliers")

    @property
    def used(self) -> set[int]:
        """The points at which privacy is used."""
        return {each.point for each in self.pairs}

    def units(self, problem: Problem, more: Iterable[Sequence[Cell]] = ()) -> Units:
        """Integers for the multipliers of pairs, and for more."""
        listed = (*(each.cells for each in self.pairs), *more)
        return units_of(self.points_of(problem), ([z for _, z in c] for c in listed), MOST_BITS)

    def add_pairs(
        self,
        rows: Mapping[int, Gains],
        units: Units,
        last: int,
        often: int = 1,
        start: Callable[[int], int] = lambda k: 0,
    ) -> Fraction:
        """Add the multipliers of pairs, so often, to the gains of nodes; what they spend.

        start: the answer with which the gains of a node begin.
        """
        for each in self.pairs:
            amounts = units.amounts(each.cells, each.point)
            for flip in (False, True)[: 1 + each.mirror]:
                source, target = each.source, each.target
                if flip:
                    source, target = last - source, last - target
                helped, hurt = rows[source], rows[target]
                here, there = start(source), start(target)
                for y, gained, lost in amounts:
                    at = last - y if flip else y
                    helped[at - here] += often * gained
                    hurt[at - there] -= often * lost
        return add_up(
            (1 + each.mirror) * units.spent(each.point, each.budget) for each in self.pairs
        )

    @abstractmethod
    def dual_of_nodes(self, problem: Problem) -> Fraction:
        """The bound for a problem whose neighbors the multipliers are about."""

    def dual(self, problem: Problem) -> Fraction:
        """At most what answers cost that are private at these points, whatever they are.

        Holds for any multipliers 0 <= z <= budget, however they were found, for a loss that never
        falls away from 0.
        """
        if self.group == 1:
            return self.dual_of_nodes(problem)
        about, share = grouped(problem, self.group, self.step)
        return share * self.dual_of_nodes(about) + (1 - share) * problem.loss.lower(Fraction(0))

    def subject(self, problem: Problem) -> str:
        """Mechanisms for one release, whatever the total of several is."""
        limited = problem.max_error is not None or self.further_losses(problem)
        within = " and within the file's bounds at every value" * bool(limited)
        if problem.releases is not None:
            return f"mechanism within the file's budgets for one release{within}"
        return f"{private_words(problem)} mechanism on this range{within}"

    def claim(self, file: MechanismFile[Problem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem = file.problem
        if not all(loss.falls_nowhere for loss in (problem.loss, *self.further_losses(problem))):
            return Claim("lower", NOT_CHECKED, None, FALLS)
        return super().claim(file)

    def further_losses(self, problem: Problem) -> tuple[Loss, ...]:
        """Whose expectations are known to be bounded, and used."""
        return ()


@dataclass(frozen=True, kw_only=True)
class PairCertificate(RangeCertificate):
    """All multipliers are listed, and those of the instance bound."""

    most_nodes = MAX_CERTIFICATE_NODES

    instance: tuple[Fraction, ...] = ()  # one per node, or none

    def check_nodes(self, problem: Problem) -> None:
        """`FormatError` unless there is an instance bound that each node has a multiplier for."""
        if self.instance:
            count = self.count(problem)
            demand(problem.instance_bound is not None, '"instance" is for an instance bound')
            fits = len(self.instance) == count
            demand(fits, f'"instance" must have {count} entries, one for each node')

    def further_losses(self, problem: Problem) -> tuple[Loss, ...]:
        """That of the instance bound, if there are multipliers of it."""
        return (problem.instance_loss,) if self.instance else ()

    def dual_of_nodes(self, problem: Problem) -> Fraction:
        """sum_k theta_k - sum delta_j * budgets_j."""
        loss, step = problem.loss, self.step
        weights = node_weights(problem, step)
        count = len(weights)
        last = count - 1
        units = self.units(problem)
        charge(count * count // 50)
        rows = {k: [0] * count for k in range(count)}
        total = -self.add_pairs(rows, units, last)
        limits = self.instance or (Fraction(0),) * count
        losses = [loss]
        if self.instance:
            if problem.instance_bound is None:
                raise FormatError("multipliers of an instance bound that is not there")
            total -= problem.instance_bound * add_up(self.instance)
            if problem.instance_loss != loss:
                losses.append(problem.instance_loss)
        span = answer_span(problem, step, count)
        # The rest in integers: many rows times many outputs.
        floors, unit = _whole_floors(problem, losses, step, last)
        whole, second = floors[0], floors[-1]
        longest = max(int.bit_length(low) for table in floors for low in table.values())
        longest += unit.bit_length() + units.scale.bit_length()
        each, crossed = _crossing(problem, step)
        parts = []
        for k, row in rows.items():
            weight, limit, extra = weights[k], limits[k], weights[k] * each
            if len(losses) == 1:
                weight, limit = weight + limit, Fraction(0)
            below = lcm(weight.denominator * unit, limit.denominator * unit, extra.denominator)
            above = weight.numerator * (below // (weight.denominator * unit)) * units.unit
            beside = limit.numerator * (below // (limit.denominator * unit)) * units.unit
            across = extra.numerator * (below // extra.denominator) * units.unit
            outputs = range(max(0, k - span), min(count, k + span + 1))
            size = longest + bits(weight, limit, extra) + 128
            several = bool(limit or extra)
            each_output = (800 if several else 300) + size // 4 + (size // 80) ** 2  # nanoseconds
            charge(10 + len(outputs) * each_output // 1000)
            if several:
                least = min(
                    above * whole[y - k]
                    + beside * second[y - k]
                    + below * row[y]
                    + across * crossed(k, y)
                    for y in outputs
                )
            else:
                least = min(above * whole[y - k] + below * row[y] for y in outputs)
            parts.append(Fraction(least, below * units.unit))
        return total + add_up(parts)


def _whole_floors(
    problem: Problem, losses: Sequence[Loss], step: Fraction, last: int
) -> tuple[list[dict[int, int]], int]:
    """(what losses cost at least, by the distance of nodes, in integers of 1 / unit; unit)."""
    tables = []
    for loss in losses:
        charge(2 * (last + 1) * loss.effort_at(bits(step) + 20))
        floors = floors_on(loss, -last, last, step, problem.integer)
        tables.append(dict(enumerate(floors, -last)))
    unit = lcm(*(low.denominator for table in tables for low in table.values()))
    return [
        {i: low.numerator * (unit // low.denominator) for i, low in table.items()}
        for table in tables
    ], unit


def node_weights(problem: Problem, step: Fraction) -> list[Fraction]:
    """w_k: step times the infimum of the density on cell k; the mass of a whole number."""
    cells = problem.pieces(step)
    if problem.integer:
        return [pieces[0][2] for pieces in cells]
    return [min(mass / (b - a) for a, b, mass in pieces) * step for pieces in cells]


def crossing_floor(problem: Problem, step: Fraction, k: int, y: int) -> Fraction:
    """At most what crossing costs, as piecewise linear in the answer, for every offset of nodes."""
    unit, floors = _crossing(problem, step)
    return unit * floors(k, y)


def _crossing(problem: Problem, step: Fraction) -> tuple[Fraction, Callable[[int, int], int]]:
    """(unit, f): crossing costs f(k, y) units at least, f whole."""
    rule = problem.crossing
    if rule is None:
        return Fraction(0), lambda k, y: 0
    place = (rule.at - problem.low) / step
    if problem.integer:
        top, bottom = place.as_integer_ratio()

        def apart(k: int, y: int) -> int:
            value, answer = k * bottom - top, y * bottom - top
            return abs(answer) if value * answer < 0 else 0

        return rule.slope / bottom, apart
    below, above = floor(place), ceil(place)

    def hinge(k: int, y: int) -> int:
        if k >= above:  # the whole cell lies above: answers below pay
            return max(0, below - (y + 1))
        return max(0, y - above) if k + 1 <= below else 0

    return rule.slope * step, hinge


def answer_span(problem: Problem, step: Fraction, count: int) -> int:
    """How many nodes away from a value its answer may be, after rounding to nodes."""
    if problem.max_error is None:
        return count
    reach = problem.max_error / step
    return floor(reach) if problem.integer else ceil(reach + 1) - 1


def pair_codec(cls: type[C], more: Callable[[Codec[Any]], Any]) -> ByPoints[C]:
    """Certificates with pairs. more: how further keys are read, given how shifts are."""

    def each(pairs: Record[PairMultipliers], shifts: Codec[Any]) -> Record[C]:
        return record(
            cls,
            cls.check,
            optional={"points": (), "group": 1, "instance": ()},
            step=POSITIVE,
            first=always(0, integer(0, 0)),
            points=POINTS,
            group=integer(1, MAX_GROUP),
            pairs=several(pairs, MAX_PAIR_MULTIPLIERS, work=8),
            **more(shifts),
        )

    return ByPoints(each(_PLAIN, SHIFTS), each(_NUMBERED, NUMBERED_SHIFTS))


_PLAIN = record(PairMultipliers, PairMultipliers.check, without=["point"])
_NUMBERED = record(PairMultipliers, PairMultipliers.check, required=["point"])
PAIRS = pair_codec(
    PairCertificate, lambda shifts: {"instance": several(NOT_NEGATIVE, MAX_CERTIFICATE_NODES, 1)}
)
