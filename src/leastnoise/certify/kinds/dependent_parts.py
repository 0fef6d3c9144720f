"""What files of kind "dependent" hold besides rows: noise, answers by rules, and certificates.

What they mean is stated in `dependent_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from ...problem.privacy import Point
from ...problem.problem import Problem
from ..budgets import POINTS
from ..certificates.groups import MAX_GROUP
from ..certificates.multipliers import NUMBERED_SHIFTS, SHIFTS, ShiftMultipliers
from ..codec import (
    COUNT,
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
from ..fields import demand, read_object
from ..limits import MAX_CELLS, MAX_POINTS_OF_PROFILE
from ..noise.intervals import Intervals

#: Limits of the checker: nodes in all, nodes and multipliers of a certificate.
MAX_NODES = 10_000_000
MAX_CERTIFICATE_NODES = 1_100
MAX_PAIR_MULTIPLIERS = 300_000
MAX_STAIRS_OF_RANGE = 1_000
MAX_INTERVALS = 10_000

_PLACES = several(integer(-MAX_NODES, MAX_NODES), MAX_CELLS)


@dataclass(frozen=True)
class LatticeNoise:
    """Noise on whole steps: i with probability weights[i - first] / denominator."""

    first: Annotated[int, integer(-MAX_CELLS, MAX_CELLS)]
    weights: Annotated[tuple[int, ...], several(COUNT, MAX_CELLS, 1)]


@dataclass(frozen=True)
class Moved:
    """Where the first places go, in steps from low, and the last ones, in steps down from high."""

    low: Annotated[tuple[int, ...], _PLACES]
    high: Annotated[tuple[int, ...], _PLACES]


INTERVALS = record(
    Intervals,
    sizes=several(integer(1, MAX_NODES + 1), MAX_INTERVALS),
    answers=several(integer(0, MAX_NODES), MAX_INTERVALS),
    weights=several(COUNT, MAX_INTERVALS),
    stairs=several(COUNT, MAX_STAIRS_OF_RANGE, 1),
)


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


@dataclass(frozen=True)
class Copies:
    """Multipliers that every node has, times its weight, but for `layer` nodes at each end."""

    layer: int
    shifts: tuple[ShiftMultipliers, ...]


@dataclass(frozen=True)
class Prices:
    """What each value must cost at least, as runs (nodes, price), and how many stairs give."""

    stairs: Annotated[int, integer(1, MAX_STAIRS_OF_RANGE)]
    runs: Annotated[
        tuple[tuple[int, Fraction], ...],
        several(pair(integer(1, MAX_NODES), NOT_NEGATIVE), MAX_CELLS),
    ]


@dataclass(frozen=True)
class ChannelCertificate:
    """Multipliers that prove a lower bound by weak duality."""

    #: Answers beyond the outermost nodes never help when the loss falls nowhere.
    first: ClassVar[int] = 0

    step: Fraction
    pairs: tuple[PairMultipliers, ...]
    instance: tuple[Fraction, ...] = ()  # of the instance bound, one per node, or none
    points: tuple[Point, ...] = ()  # at which privacy is used, if not at (epsilon, delta) alone
    copies: Copies | None = None
    group: int = 1  # the multipliers are about nodes up to so many sensitivities apart
    prices: Prices | None = None  # in the place of multipliers: a rule makes them

    def points_of(self, problem: Problem) -> tuple[Point, ...]:
        """The budgets that the pairs name by number."""
        return self.points or ((problem.epsilon, problem.delta),)


def _multipliers(
    pairs: Record[PairMultipliers], shifts: Codec[tuple[ShiftMultipliers, ...]]
) -> Record[ChannelCertificate]:
    copies = record(Copies, layer=integer(0, MAX_NODES), shifts=shifts)
    return record(
        ChannelCertificate,
        optional={"points": (), "group": 1, "copies": None, "instance": ()},
        step=POSITIVE,
        first=always(0, integer(0, 0)),
        points=POINTS,
        group=integer(1, MAX_GROUP),
        pairs=several(pairs, MAX_PAIR_MULTIPLIERS, work=8),
        copies=copies,
        instance=several(NOT_NEGATIVE, MAX_CERTIFICATE_NODES, 1),
    )


_PLAIN = _multipliers(record(PairMultipliers, PairMultipliers.check, without=["point"]), SHIFTS)
_NUMBERED = _multipliers(
    record(PairMultipliers, PairMultipliers.check, required=["point"]), NUMBERED_SHIFTS
)
_BY_PRICES = record(
    ChannelCertificate,
    step=POSITIVE,
    first=always(0, integer(0, 0)),
    pairs=several(record(PairMultipliers), 0),
    prices=record(Prices),
)


def _read(value: object, name: str) -> ChannelCertificate:
    data = read_object(value, name)
    if "prices" in data:
        return _BY_PRICES.read(data, name)
    return (_NUMBERED if data.get("points") else _PLAIN).read(data, name)


def _write(certificate: ChannelCertificate) -> dict[str, Any]:
    if certificate.prices is not None:
        data: dict[str, Any] = _BY_PRICES.write(certificate)
    else:
        data = (_NUMBERED if certificate.points else _PLAIN).write(certificate)
    return data


CHANNEL_CERTIFICATE = Codec(_read, _write)
