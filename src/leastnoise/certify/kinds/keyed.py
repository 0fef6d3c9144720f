"""Mechanism files of kind "keyed": a key and the number of units that have it, from one draw.

The mechanism and why it is private: `keyed_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from ...exact import nearest_float
from ...losses import Loss
from ...problem.privacy import Point, Releases
from ..base import MechanismDocument
from ..budgets import PROFILE
from ..codec import (
    COUNT,
    DELTA,
    EPSILON,
    LOSS,
    NUMBER,
    About,
    Codec,
    Count,
    Delta,
    Epsilon,
    NotNegative,
    Positive,
    always,
    integer,
    number,
    read_file,
    record,
    several,
    write_file,
)
from ..fields import check_bracket, demand
from ..limits import MAX_SHORT

#: The farthest noise, and so the longest tables, of a file.
MAX_REACH = 10_000
#: One uniform number has so many bits at least: the sampler looks at 64 of them first.
LEAST_BITS = 64
MAX_KEYS_OF_A_UNIT = 1_000_000
EVEN_ONLY = "even and nowhere falling away from 0, such as l1, l2, power or huber"


@dataclass(frozen=True)
class Chain:
    """The law of a keyed release, for every number of units n, in whole numbers.

    Draw U uniform in 0..denominator - 1. A key that n units have is shown iff U < show(n); its
    value is then max(reach, n + X), where X >= j iff U < tail(j).
    """

    denominator: Count
    #: show(1), show(2), ..., the last one is the denominator.
    shown: Annotated[tuple[int, ...], several(COUNT, 2 * MAX_REACH + 1, 1, work=1)]
    #: tail(1), tail(2), ..., tail(reach) > 0.
    beyond: Annotated[tuple[int, ...], several(COUNT, MAX_REACH, 1, work=1)]

    def check(self) -> None:
        """`FormatError` unless the denominator is a power of two."""
        power = self.denominator > 0 and self.denominator & (self.denominator - 1) == 0
        demand(
            power and self.denominator.bit_length() > LEAST_BITS,
            f'"denominator" must be a power of two, at least 2^{LEAST_BITS}',
        )

    @property
    def reach(self) -> int:
        """T: no value is further than this from the true number."""
        return len(self.beyond)

    @property
    def always_released_from(self) -> int:
        """A key that so many units have, or more, is always shown."""
        return len(self.shown)

    def show(self, n: int) -> int:
        """denominator * P(shown) of a key that n units have."""
        if n < 1:
            return 0
        return self.shown[min(n, len(self.shown)) - 1]

    def tail(self, j: int) -> int:
        """denominator * P(X >= j); X is symmetric."""
        if j > self.reach:
            return 0
        if j >= 1:
            return self.beyond[j - 1]
        return self.denominator - self.tail(1 - j)

    def mass(self, k: int) -> int:
        """denominator * P(X = k)."""
        return self.tail(k) - self.tail(k + 1)

    def least(self, n: int) -> int:
        """denominator * P(shown with the smallest value, `reach`), for n >= 1."""
        return self.show(n) - self.tail(self.reach + 1 - n)


@dataclass(frozen=True)
class FailureCurve:
    """mu-Gaussian privacy, but for a failure of this probability: a trade-off curve."""

    mu: Positive
    failure: Annotated[Fraction, number(lambda v: 0 < v < 1, "between 0 and 1", MAX_SHORT)]


_CURVE = record(FailureCurve)


@dataclass(frozen=True)
class KeyedReleases(Releases):
    """`count` keys together keep the budget, those of the profile, and the curve, if any."""

    profile: tuple[Point, ...] = ()
    curve: FailureCurve | None = None

    @property
    def budgets(self) -> tuple[Point, ...]:
        """All that are kept."""
        return (self.epsilon, self.delta), *self.profile


_RELEASES: Codec[KeyedReleases] = record(
    KeyedReleases,
    optional={"profile": (), "curve": None},
    count=integer(1, MAX_KEYS_OF_A_UNIT),
    epsilon=EPSILON,
    delta=DELTA,
    profile=PROFILE,
    curve=_CURVE,
)


@dataclass(frozen=True, kw_only=True)
class KeyedDocument(MechanismDocument):
    """A keyed mechanism and its claims, exactly as stated. Nothing here is checked."""

    KINDS = ("keyed",)
    kind = KINDS[0]
    #: Releases are integers.
    integer = True

    epsilon: Epsilon
    delta: Delta
    #: One unit more or less is one more or less.
    sensitivity: ClassVar[Annotated[Fraction, always(Fraction(1), NUMBER)]] = Fraction(1)
    loss: Annotated[Loss, LOSS]
    chain: Annotated[Chain, record(Chain, Chain.check)]
    excess: NotNegative
    profile: Annotated[tuple[Point, ...], PROFILE] = ()
    curve: Annotated[FailureCurve | None, _CURVE] = None
    releases: Annotated[KeyedReleases | None, _RELEASES] = None
    upper: NotNegative
    lower: NotNegative
    about: About = ""  # the text of a free JSON object, which nothing here reads

    def check(self) -> None:
        """`FormatError` unless the parts go together."""
        check_bracket(self.lower, self.upper)
        demand(not (self.profile and self.curve), '"profile" and "curve" exclude each other')
        loss = self.loss
        even = loss.symmetric and loss.falls_nowhere and loss.certified
        demand(even, f'"loss" must be {EVEN_ONLY}')

    @property
    def budgets(self) -> tuple[Point, ...]:
        """What a key keeps, and every baseline with it, where there is no curve."""
        return (self.epsilon, self.delta), *self.profile

    @property
    def competitors(self) -> str:
        """Which mechanisms do not release a key more often: with several keys of a unit, those that
        give each key the same part of the budget.
        """
        if self.releases is None:
            return "no equally private mechanism"
        if self.curve is not None:
            return "no mechanism that satisfies this Gaussian curve with failures for each key"
        if self.profile:
            return "no mechanism that satisfies an equal share of these budgets for each key"
        each = f"({nearest_float(self.epsilon):.4g}, {nearest_float(self.delta):.4g})"
        return f"no mechanism that satisfies {each} for each key"

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        return write_file(_FILE, self.kind, self)


_FILE = record(KeyedDocument, KeyedDocument.check)


def parse_keyed(data: object) -> KeyedDocument:
    """The document in a JSON object of kind "keyed"; `FormatError` if it is not one."""
    return read_file(_FILE, KeyedDocument.KINDS, data)
