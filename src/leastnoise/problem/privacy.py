"""What is asked of privacy: budgets, a Gaussian curve, a total over many releases.

mu-GDP: at every gamma = e^eps >= 0 and every allowed shift the hockey stick is at most
sup over t of Phi(mu - t) - gamma Phi(-t). The curve is enclosed, and lines below it prove that
noise stays below it. Statement and proof: `privacy.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ..errors import FormatError
from ..exact import exp_bounds, nearest_float, normal_bounds, text_of
from ..work import charge

Point = tuple[Fraction, Fraction]  # (epsilon, delta)

#: What a mechanism file may say; designs stay below (`values.py`).
MAX_EPSILON = 100
MAX_RELEASES = 1_000_000_000


@dataclass(frozen=True)
class GaussianCurve:
    """Noise below these points, joined by chords, is mu-GDP: a line of the curve is over each.

    `points` rise in epsilon from 0 on and end with delta = 0; `thresholds` has one t per chord.
    """

    mu: Fraction
    points: tuple[Point, ...]
    thresholds: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if self.mu <= 0:
            raise FormatError('"mu" must be positive')
        if len(self.points) < 2 or len(self.thresholds) != len(self.points) - 1:
            raise FormatError('"gdp" needs at least two points, and a threshold between any two')
        if self.points[0][0] != 0 or self.points[-1][1] != 0:
            raise FormatError('the points of "gdp" must begin at epsilon 0 and end at delta 0')
        if any(a[0] >= b[0] for a, b in pairwise(self.points)):
            raise FormatError('the points of "gdp" must rise in epsilon')
        check_points(self.points)

    def slack(self) -> Fraction:
        """The least distance of a chord's ends to the line over it; negative: not proven."""
        charge(sum(_normal_work(self.mu - t) + _normal_work(t) + 300 for t in self.thresholds))
        return min(
            line_below(self.mu, t, epsilon) - delta
            for t, ends in zip(self.thresholds, pairwise(self.points), strict=True)
            for epsilon, delta in ends
        )


@dataclass(frozen=True)
class Releases:
    """`count` releases together keep the budget (epsilon, delta)."""

    count: int
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MAX_RELEASES:
            raise FormatError(f'"count" must be from 1 to {MAX_RELEASES}')
        check_points(((self.epsilon, self.delta),))

    def slack(self, mu: Fraction) -> Fraction:
        """How much of delta is left by `count` releases that are mu-GDP each."""
        return self.delta - curve_above(root_above(mu * mu * self.count), self.epsilon)

    def slack_of_sum(self, points: Sequence[Point]) -> Fraction | None:
        """The same if each keeps these budgets, adding up epsilons and deltas; None: no epsilon."""
        left = [
            self.delta - self.count * delta
            for epsilon, delta in points
            if self.count * epsilon <= self.epsilon
        ]
        return max(left, default=None)

    @property
    def words(self) -> str:
        """For a repr."""
        budget = f"epsilon={nearest_float(self.epsilon):g}, delta={nearest_float(self.delta):g}"
        return f"{self.count} releases for {budget}"


def _normal_work(x: Fraction) -> int:
    """Microseconds of `normal_bounds(x)`: its series is long where x is large."""
    far = min(int(abs(x)), 40)
    return 300 + 3 * far * far


def root_above(value: Fraction) -> Fraction:
    """A rational at least the square root, relative error below 10^-15."""
    scale = 10**20
    top = math.isqrt(value.numerator * value.denominator * scale * scale) + 1
    return Fraction(top, value.denominator * scale)


def line_below(mu: Fraction, t: Fraction, epsilon: Fraction) -> Fraction:
    """At most Phi(mu - t) - e^epsilon Phi(-t), which is nowhere above the curve."""
    return normal_bounds(mu - t)[0] - exp_bounds(epsilon)[1] * normal_bounds(-t)[1]


def curve_above(mu: Fraction, epsilon: Fraction) -> Fraction:
    """At least the delta that mu-GDP allows at epsilon."""
    charge(_normal_work(mu / 2 - epsilon / mu) + _normal_work(mu / 2 + epsilon / mu) + 200)
    here = normal_bounds(mu / 2 - epsilon / mu)[1]
    return here - exp_bounds(epsilon)[0] * normal_bounds(-mu / 2 - epsilon / mu)[0]


def implied(point: Point, stated: Sequence[Point], mu: Fraction | None = None) -> bool:
    """Whether privacy at the stated budgets and below the curve of mu is enough for this budget."""
    epsilon, delta = point
    if any(e <= epsilon and d <= delta for e, d in stated):
        return True
    return mu is not None and curve_above(mu, epsilon) <= delta


def check_points(points: tuple[Point, ...]) -> None:
    """`FormatError` unless each point is a budget."""
    for epsilon, delta in points:
        if not (0 <= epsilon <= MAX_EPSILON and 0 <= delta < 1):
            raise FormatError(
                f"a point of a profile must have epsilon from 0 to {MAX_EPSILON} and "
                "delta at least 0 and below 1"
            )


def points_to_json(points: tuple[Point, ...]) -> list[list[str]]:
    """The pairs [epsilon, delta] of the file."""
    return [[text_of(epsilon), text_of(delta)] for epsilon, delta in points]
