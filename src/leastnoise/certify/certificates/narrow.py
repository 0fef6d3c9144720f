"""Narrow events around 0 against a mean over shifts: further multipliers of a lower bound.

On a lattice noise may hide all of a peak in one point. A narrow event, compared with what lies
around it after a shift that is drawn at random, does not let it: `narrow.proof.md`. Standard
library only; each e^eps rounded up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from ...errors import FormatError
from ...exact import exp_upper
from ...problem.privacy import Point
from ...work import add_up, arithmetic, bits, charge
from ..codec import NUMBER, SHORT, Codec, Flag, integer, pair, record, several
from ..limits import MAX_CELLS, MAX_NARROW, MAX_POINTS_OF_PROFILE

_ZERO = Fraction(0)


Side = tuple[Fraction, Fraction]  #: (inner, outer): certain up to the one, nothing from the other
_SIDE: Codec[Side] = pair(SHORT, SHORT)


@dataclass(frozen=True)
class NarrowEvent:
    """One event and its multiplier; lengths and shifts are in steps of the certificate.

    On either side of 0 it is certain within `inner`, and its share falls to 0 at `outer`. The shift
    is spread around the whole numbers from `first` to `last`. With `mirror`, its mirror image too.
    """

    point: Annotated[int, integer(0, MAX_POINTS_OF_PROFILE)]  # of the certificate's points
    left: Annotated[Side, _SIDE]
    right: Annotated[Side, _SIDE]
    first: Annotated[int, integer(-MAX_CELLS, MAX_CELLS)]
    last: Annotated[int, integer(-MAX_CELLS, MAX_CELLS)]
    mirror: Flag
    multiplier: Annotated[Fraction, NUMBER]

    def __post_init__(self) -> None:
        if not all(0 <= inner < outer <= 1 for inner, outer in (self.left, self.right)):
            raise FormatError("each side of a narrow event needs 0 <= inner < outer <= 1")
        if self.first > self.last:
            raise FormatError('"first" of a narrow event must be at most its "last"')
        if self.multiplier < 0:
            raise FormatError('"multiplier" must be non-negative')

    @property
    def furthest(self) -> int:
        """No shift of the event is further than so many steps."""
        return 1 + max(abs(self.first), abs(self.last))

    def weights(self) -> list[tuple[int, Fraction]]:
        """(cell, weight): hats of the lattice whose sum is at least the event, moved, in the mean.

        `narrow.proof.md`, 1; a cell may occur twice.
        """
        count = self.last - self.first + 1
        whole = sum((*self.left, *self.right), _ZERO) / (2 * count)
        before, after = ((i * i + i * o + o * o) / (6 * count) for i, o in (self.left, self.right))
        leans = (-self.first if after > before else -self.last), abs(after - before)
        inside = [(-m, whole) for m in range(self.first, self.last + 1)]
        return [(-self.first + 1, after), *inside, (-self.last - 1, before), leans]


NARROW: Codec[tuple[NarrowEvent, ...]] = several(record(NarrowEvent), MAX_NARROW, 1)


def share_of(side: Side, radius: Fraction) -> Fraction:
    """The share of an event at a place so far from 0."""
    inner, outer = side
    if radius <= inner:
        return Fraction(1)
    return max(_ZERO, (outer - radius) / (outer - inner))


@dataclass(frozen=True)
class Narrow:
    """What narrow events add to the loss and its multipliers: all of it piecewise linear."""

    lowered: dict[int, Fraction]  # by so much at a cell, hats
    raised: list[tuple[Fraction, Fraction, Fraction]]  # (radius, to its left, right), from 0 on
    spent: Fraction


def narrow_parts(events: Sequence[NarrowEvent], points: Sequence[Point]) -> Narrow:
    """Sums over all events, mirror images included."""
    lowered: defaultdict[int, Fraction] = defaultdict(Fraction)
    spent = []
    for event in events:
        if not 0 <= event.point < len(points):
            raise FormatError(f"a narrow event names no point, {event.point}")
        epsilon, delta = points[event.point]
        times, sides = exp_upper(epsilon) * event.multiplier, (1, -1) if event.mirror else (1,)
        spent.append(len(sides) * delta * event.multiplier)
        charge(event.last - event.first + 10)
        for cell, weight in event.weights():
            amount = times * weight
            for side in sides:
                charge(2 * arithmetic(bits(lowered[side * cell], amount)))
                lowered[side * cell] += amount
    raised = []
    for r in sorted({_ZERO, *(r for event in events for r in (*event.left, *event.right))}):
        charge(len(events) * 25)
        shares = [(event, share_of(event.left, r), share_of(event.right, r)) for event in events]
        left, right = (
            add_up(
                event.multiplier * (there + event.mirror * mirrored)
                for event, there, mirrored in some
            )
            for some in (shares, [(event, right, left) for event, left, right in shares])
        )
        raised.append((r, left, right))
    return Narrow(dict(lowered), raised, add_up(spent))
