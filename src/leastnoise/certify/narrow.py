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
from typing import Any

from ..ask.privacy import Point
from ..errors import FormatError
from ..exact import exp_upper, text_of
from ..work import add_up, arithmetic, bits, charge
from .fields import (
    check_keys,
    read_flag,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_short_number,
)
from .limits import MAX_CELLS, MAX_NARROW, MAX_POINTS_OF_PROFILE

_ZERO = Fraction(0)


@dataclass(frozen=True)
class NarrowEvent:
    """One event and its multiplier; lengths and shifts are in steps of the certificate.

    It is certain within `inner` of 0, its share falls to 0 at `outer`, and the shift is spread
    around the whole numbers from `first` to `last`. With `mirror`, its mirror image too.
    """

    point: int  # of the certificate's points
    inner: Fraction
    outer: Fraction
    first: int
    last: int
    mirror: bool
    multiplier: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.inner < self.outer <= 1:
            raise FormatError('a narrow event needs 0 <= "inner" < "outer" <= 1')
        if self.first > self.last:
            raise FormatError('"first" of a narrow event must be at most its "last"')
        if self.multiplier < 0:
            raise FormatError('"multiplier" must be non-negative')

    @property
    def furthest(self) -> int:
        """No shift of the event is further than so many steps."""
        return 1 + max(abs(self.first), abs(self.last))

    def share(self, radius: Fraction) -> Fraction:
        """Of a place so far from 0."""
        if radius <= self.inner:
            return Fraction(1)
        return max(_ZERO, (self.outer - radius) / (self.outer - self.inner))

    def weights(self) -> list[tuple[int, Fraction]]:
        """(cell, weight): hats of the lattice whose sum is at least the event, moved, in the mean.

        `narrow.proof.md`, 1.
        """
        i, o, count = self.inner, self.outer, self.last - self.first + 1
        whole, beside = (i + o) / count, (i * i + i * o + o * o) / (6 * count)
        inside = [(-m, whole) for m in range(self.first, self.last + 1)]
        return [(-self.first + 1, beside), *inside, (-self.last - 1, beside)]


@dataclass(frozen=True)
class Narrow:
    """What narrow events add to the loss and its multipliers: all of it piecewise linear."""

    lowered: dict[int, Fraction]  # by so much at a cell, hats
    raised: list[tuple[Fraction, Fraction]]  # (radius, by so much there), from 0 on
    spent: Fraction


def narrow_parts(events: Sequence[NarrowEvent], points: Sequence[Point]) -> Narrow:
    """Sums over all events, mirror images included."""
    lowered: defaultdict[int, Fraction] = defaultdict(Fraction)
    spent = []
    for one in events:
        if not 0 <= one.point < len(points):
            raise FormatError(f"a narrow event names no point, {one.point}")
        epsilon, delta = points[one.point]
        times, sides = exp_upper(epsilon) * one.multiplier, (1, -1) if one.mirror else (1,)
        spent.append(len(sides) * delta * one.multiplier)
        charge(one.last - one.first + 10)
        for cell, weight in one.weights():
            amount = times * weight
            for side in sides:
                charge(2 * arithmetic(bits(lowered[side * cell], amount)))
                lowered[side * cell] += amount
    raised = []
    for r in sorted({_ZERO, *(r for one in events for r in (one.inner, one.outer))}):
        charge(len(events) * 8)
        shares = ((1 + one.mirror) * one.multiplier * one.share(r) for one in events)
        raised.append((r, add_up(share for share in shares if share)))
    return Narrow(dict(lowered), raised, add_up(spent))


def narrow_to_json(events: Sequence[NarrowEvent]) -> list[dict[str, Any]]:
    """Narrow events as a file lists them."""
    return [
        {
            "point": one.point,
            "inner": text_of(one.inner),
            "outer": text_of(one.outer),
            "first": one.first,
            "last": one.last,
            "mirror": one.mirror,
            "multiplier": text_of(one.multiplier),
        }
        for one in events
    ]


def narrow_from_json(raw: object) -> tuple[NarrowEvent, ...]:
    """The same, read back."""
    found = []
    for raw_event in read_list(raw, "narrow", MAX_NARROW):
        one = read_object(raw_event, "narrow")
        keys = {"point", "inner", "outer", "first", "last", "mirror", "multiplier"}
        check_keys(one, "narrow", keys, set())
        found.append(
            NarrowEvent(
                read_integer(one["point"], "point", 0, MAX_POINTS_OF_PROFILE),
                read_short_number(one["inner"], "inner"),
                read_short_number(one["outer"], "outer"),
                read_integer(one["first"], "first", -MAX_CELLS, MAX_CELLS),
                read_integer(one["last"], "last", -MAX_CELLS, MAX_CELLS),
                read_flag(one["mirror"], "mirror"),
                read_number(one["multiplier"], "multiplier"),
            )
        )
    return tuple(found)
